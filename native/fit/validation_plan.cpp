// SPDX-License-Identifier: Apache-2.0
#include "fit/validation_plan.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace weft::fit {

namespace {

constexpr std::size_t kMostPixels = std::size_t{1} << 16U; ///< of all views, that are looked at
constexpr std::size_t kLeastAtOnce = 256;                  ///< pixels
constexpr std::size_t kTile = 16; ///< pixels: what is looked at of large pictures

using PixelNumbers = std::vector<std::uint32_t>;

PixelNumbers chosen_pixels(const ViewPixels& counted, std::size_t most) {
    if (counted.pixels.size() <= most) {
        return counted.pixels;
    }
    const std::size_t width = counted.width;
    const auto tile_of = [width](std::uint32_t pixel) {
        return pixel / width / kTile * (width / kTile + 1) + pixel % width / kTile;
    };
    std::set<std::size_t> tiles;
    std::ranges::transform(counted.pixels, std::inserter(tiles, tiles.end()), tile_of);
    const std::vector<std::size_t> order(tiles.begin(), tiles.end());
    // A step that shares no factor with the tiles of a row spreads over the picture.
    const std::size_t step = (counted.pixels.size() + most - 1) / most;
    const std::uint64_t share = (std::uint64_t{1} << 32U) / step;
    PixelNumbers out;
    std::ranges::copy_if(counted.pixels, std::back_inserter(out), [&](std::uint32_t pixel) {
        const auto place = static_cast<std::uint32_t>(
            std::ranges::lower_bound(order, tile_of(pixel)) - order.begin());
        const std::uint32_t hash = place * 0x9E3779B1U; // wraps
        return hash < share;
    });
    return out;
}

} // namespace

std::size_t ValidationPlan::rounds() const noexcept {
    std::size_t most = 0;
    for (const PixelNumbers& own : pixels) {
        most = std::max(most, own.size());
    }
    return (most + at_once - 1) / at_once;
}

std::vector<std::uint32_t> ValidationPlan::part(std::size_t view, std::size_t round) const {
    const PixelNumbers& own = pixels[view];
    const std::size_t from = round * at_once;
    if (from >= own.size()) {
        return own.empty() ? PixelNumbers{} : PixelNumbers{own.front()};
    }
    const std::size_t to = std::min(from + at_once, own.size());
    return {own.begin() + static_cast<std::ptrdiff_t>(from),
            own.begin() + static_cast<std::ptrdiff_t>(to)};
}

ValidationPlan plan_validation(std::span<const ViewPixels> views, std::int64_t samples,
                               std::int64_t paths) {
    ValidationPlan out;
    std::int64_t total = 0;
    for (const ViewPixels& view : views) {
        out.pixels.push_back(chosen_pixels(view, kMostPixels / views.size()));
        total += std::ssize(out.pixels.back());
    }
    const std::int64_t wanted = paths / (2 * std::max<std::int64_t>(total, 1));
    out.samples =
        std::clamp(wanted, std::min(samples, kMostValidationSamples), kMostValidationSamples);
    out.at_once = std::max(kValidationPathsAtOnce / (2 * static_cast<std::size_t>(out.samples)),
                           kLeastAtOnce);
    return out;
}

} // namespace weft::fit
