// SPDX-License-Identifier: Apache-2.0
#include "fit/validation.hpp"

#include "fit/validation_plan.hpp"

#include <cstddef>
#include <utility>

namespace weft::fit {

namespace {

constexpr std::uint64_t kFirstDraw = std::uint64_t{1} << 20U; ///< far from those of the fit

using PixelNumbers = std::vector<std::uint32_t>;

/// Lets views look at pixels otherwise than steps do, and gives them their pixels back.
class KeptPixels {
public:
    KeptPixels(std::vector<View>& views, Weighting weighting) : m_views(views) {
        for (const View& view : views) {
            m_pixels.push_back(view.pixels());
        }
        for (View& view : views) {
            view.set_weighting(weighting);
        }
    }
    ~KeptPixels() {
        for (std::size_t i = 0; i < m_views.size(); ++i) {
            m_views[i].set_pixels(std::move(m_pixels[i]));
            m_views[i].set_weighting(Weighting::fitted);
        }
    }
    KeptPixels(const KeptPixels&) = delete;
    KeptPixels& operator=(const KeptPixels&) = delete;

private:
    std::vector<View>& m_views;
    std::vector<PixelNumbers> m_pixels;
};

Validation empty_validation(const View& view) {
    const std::size_t pixels = view.lost().size();
    return {.observation = &view.observation(),
            .counts = std::vector<bool>(pixels),
            .a = std::vector<float>(pixels * kChannels),
            .b = std::vector<float>(pixels * kChannels),
            .weights = view.noise_weights(),
            .trust = view.trust()};
}

/// Takes the residuals of a view's pixels, from `first` on.
void take(Validation& fresh, const PixelNumbers& pixels, const ResidualPair& halves,
          std::size_t first) {
    for (std::size_t i = 0; i < pixels.size() * kChannels; ++i) {
        const std::size_t at = std::size_t{pixels[i / kChannels]} * kChannels + i % kChannels;
        fresh.a[at] = halves.a[first + i];
        fresh.b[at] = halves.b[first + i];
        fresh.counts[pixels[i / kChannels]] = true;
    }
}

} // namespace

std::vector<Validation> draw_validations(const Look& look, std::vector<View>& views,
                                         std::int64_t samples, std::int64_t paths) {
    const KeptPixels before(views, Weighting::noise);
    std::vector<Validation> out;
    std::vector<ViewPixels> counted;
    for (const View& view : views) {
        out.push_back(empty_validation(view));
        counted.push_back({.pixels = view.counted_pixels(), .width = view.width()});
    }
    const ValidationPlan plan = plan_validation(counted, samples, paths);
    for (std::size_t round = 0; round < plan.rounds(); ++round) {
        for (std::size_t i = 0; i < views.size(); ++i) {
            views[i].set_pixels(plan.part(i, round));
        }
        const ResidualPair halves = look(plan.samples, kFirstDraw + round);
        std::size_t first = 0;
        for (std::size_t i = 0; i < views.size(); ++i) {
            take(out[i], views[i].pixels(), halves, first);
            first += views[i].pixels().size() * kChannels;
        }
    }
    return out;
}

std::vector<std::vector<float>> draw_differences(const Look& look, std::vector<View>& views,
                                                 const std::vector<PixelNumbers>& pixels,
                                                 std::int64_t samples, std::uint64_t draw) {
    const KeptPixels before(views, Weighting::unit);
    for (std::size_t i = 0; i < views.size(); ++i) {
        views[i].set_pixels(pixels[i]);
    }
    const ResidualPair halves = look(samples, draw);
    std::vector<std::vector<float>> out;
    std::size_t next = 0;
    for (const PixelNumbers& own : pixels) {
        std::vector<float>& mean = out.emplace_back(own.size() * kChannels);
        for (float& each : mean) {
            each = (halves.a[next] + halves.b[next]) / 2;
            ++next;
        }
    }
    return out;
}

} // namespace weft::fit
