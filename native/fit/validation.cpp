// SPDX-License-Identifier: Apache-2.0
#include "fit/validation.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace weft::fit {

namespace {

constexpr std::size_t kMostPixels = std::size_t{1} << 16U;  ///< of all views, that are looked at
constexpr std::int64_t kMostSamples = 64;                   ///< in each half
constexpr std::size_t kPathsAtOnce = std::size_t{1} << 17U; ///< of a view
constexpr std::size_t kLeastAtOnce = 256;                   ///< pixels
constexpr std::uint32_t kTile = 16; ///< pixels: what is looked at of large pictures
constexpr std::uint64_t kFirstDraw = std::uint64_t{1} << 20U; ///< far from those of the fit

using PixelNumbers = std::vector<std::uint32_t>;

/// The pixels that count, or those of tiles all over a large picture.
PixelNumbers chosen_pixels(const View& view, std::size_t views) {
    PixelNumbers counted = view.counted_pixels();
    const std::size_t most = kMostPixels / views;
    if (counted.size() <= most) {
        return counted;
    }
    const auto width = static_cast<std::uint32_t>(view.observation().camera.width);
    const auto tile_of = [width](std::uint32_t pixel) {
        return pixel / width / kTile * (width / kTile + 1) + pixel % width / kTile;
    };
    std::set<std::uint32_t> tiles;
    std::ranges::transform(counted, std::inserter(tiles, tiles.end()), tile_of);
    const PixelNumbers order(tiles.begin(), tiles.end());
    // A step that shares no factor with the tiles of a row spreads over the picture.
    const std::size_t step = (counted.size() + most - 1) / most;
    const std::uint64_t share = (std::uint64_t{1} << 32U) / step;
    PixelNumbers out;
    std::ranges::copy_if(counted, std::back_inserter(out), [&](std::uint32_t pixel) {
        const auto place = static_cast<std::uint32_t>(
            std::ranges::lower_bound(order, tile_of(pixel)) - order.begin());
        const std::uint32_t hash = place * 0x9E3779B1U; // wraps
        return hash < share;
    });
    return out;
}

/// Lets views look at all pixels alike, and gives them their pixels back.
class KeptPixels {
public:
    explicit KeptPixels(std::vector<View>& views) : m_views(views) {
        for (const View& view : views) {
            m_pixels.push_back(view.pixels());
        }
        for (View& view : views) {
            view.ignore_trust(true);
        }
    }
    ~KeptPixels() {
        for (std::size_t i = 0; i < m_views.size(); ++i) {
            m_views[i].set_pixels(std::move(m_pixels[i]));
            m_views[i].ignore_trust(false);
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

std::vector<Validation> draw_validations(ScalarModel& model, std::span<const double> x,
                                         std::vector<View>& views, std::int64_t samples,
                                         std::int64_t paths) {
    const KeptPixels before(views);
    std::vector<Validation> out;
    std::vector<PixelNumbers> chosen;
    std::size_t total = 0;
    std::size_t most = 0;
    for (const View& view : views) {
        out.push_back(empty_validation(view));
        chosen.push_back(chosen_pixels(view, views.size()));
        total += chosen.back().size();
        most = std::max(most, chosen.back().size());
    }
    const std::int64_t wanted =
        paths / (2 * std::max<std::int64_t>(static_cast<std::int64_t>(total), 1));
    samples = std::clamp(wanted, std::min(samples, kMostSamples), kMostSamples);
    const std::size_t at_once =
        std::max(kPathsAtOnce / (2 * static_cast<std::size_t>(samples)), kLeastAtOnce);
    for (std::size_t begin = 0; begin < most; begin += at_once) {
        for (std::size_t i = 0; i < views.size(); ++i) {
            const auto from = static_cast<std::ptrdiff_t>(std::min(begin, chosen[i].size()));
            const auto to =
                static_cast<std::ptrdiff_t>(std::min(begin + at_once, chosen[i].size()));
            // A view that has no more is drawn in one pixel: none would be no picture.
            views[i].set_pixels(from < to
                                    ? PixelNumbers(chosen[i].begin() + from, chosen[i].begin() + to)
                                    : PixelNumbers(chosen[i].begin(), chosen[i].begin() + 1));
        }
        const ResidualPair halves = model.look(x, samples, kFirstDraw + begin / at_once);
        std::size_t first = 0;
        for (std::size_t i = 0; i < views.size(); ++i) {
            take(out[i], views[i].pixels(), halves, first);
            first += views[i].pixels().size() * kChannels;
        }
    }
    return out;
}

} // namespace weft::fit
