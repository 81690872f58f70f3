// SPDX-License-Identifier: Apache-2.0
#include "scene/environment.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/alias_table.hpp"
#include "scene/light_rows.hpp"
#include "scene/pairwise_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

namespace weft::scene {

namespace {

using core::ArgumentError;
using std::numbers::pi;

constexpr std::size_t kChannels = kColorChannels;

struct Size {
    std::size_t width = 0;
    std::size_t height = 0;

    std::size_t pixels() const noexcept { return width * height; }
};

/// Cosine of the height of a row's centre over the horizon: how much of all directions its pixels cover.
double row_weight(std::size_t row, std::size_t height) {
    return std::cos(pi * ((static_cast<double>(row) + 0.5) / static_cast<double>(height) - 0.5));
}

/// Weights of pixels, and the light of all.
struct Weights {
    std::unique_ptr<double[]> values; ///< from the bottom row up
    double total = 0;
    double mean = 0; ///< luminance over all directions
};

/// Rows of an image from the bottom up, three at a time.
class Window {
public:
    Window(std::span<const float> image, const Size& size) : m_image(image), m_size(size) {
        for (std::size_t k = 0; k < kRows; ++k) {
            m_bright[k].resize(size.width);
            m_widest[k].resize(size.width);
        }
        load(0);
    }

    /// Gets the row above `row`, and leaves those at and below it.
    void load_above(std::size_t row) {
        if (row + 1 < m_size.height) {
            load(row + 1);
        }
    }
    const std::vector<double>& bright(std::size_t row) const { return m_bright[row % kRows]; }
    /// Of each pixel the brightest of it and its neighbours in the row; rows beyond the image are as the last.
    const std::vector<double>& widest(std::ptrdiff_t row) const {
        const auto last = static_cast<std::ptrdiff_t>(m_size.height) - 1;
        const auto inside = static_cast<std::size_t>(std::clamp(row, std::ptrdiff_t{0}, last));
        return m_widest[inside % kRows];
    }

private:
    void load(std::size_t row) {
        std::vector<double>& bright = m_bright[row % kRows];
        std::vector<double>& widest = m_widest[row % kRows];
        const std::size_t width = m_size.width;
        const float* const rgb = m_image.data() + (m_size.height - 1 - row) * width * kChannels;
        for (std::size_t x = 0; x < width; ++x) {
            bright[x] = luminance(rgb + kChannels * x);
        }
        for (std::size_t x = 1; x + 1 < width; ++x) {
            widest[x] = std::max(std::max(bright[x], bright[x - 1]), bright[x + 1]);
        }
        for (const std::size_t x : {std::size_t{0}, width - 1}) { // around the seam
            const double left = bright[(x + width - 1) % width];
            widest[x] = std::max(std::max(bright[x], left), bright[(x + 1) % width]);
        }
    }

    static constexpr std::size_t kRows = 3;

    std::span<const float> m_image;
    Size m_size;
    std::array<std::vector<double>, kRows> m_bright;
    std::array<std::vector<double>, kRows> m_widest;
};

/// Between pixels light is interpolated: what a pixel may show is what its neighbours have, too.
Weights weights_of(std::span<const float> image, const Size& size) {
    Weights out{.values = std::make_unique_for_overwrite<double[]>(size.pixels())};
    Window window(image, size);
    std::vector<double> lights(size.height);
    std::vector<double> sines(size.height);
    for (std::size_t row = 0; row < size.height; ++row) {
        window.load_above(row);
        sines[row] = row_weight(row, size.height);
        const auto y = static_cast<std::ptrdiff_t>(row);
        const double* const bright = window.bright(row).data();
        const double* const below = window.widest(y - 1).data();
        const double* const here = window.widest(y).data();
        const double* const above = window.widest(y + 1).data();
        double* const weights = out.values.get() + row * size.width;
        for (std::size_t x = 0; x < size.width; ++x) {
            const double around = std::max(std::max(below[x], here[x]), above[x]);
            weights[x] = (0.5 * around + 0.5 * bright[x]) * sines[row];
        }
        lights[row] = pairwise_sum(window.bright(row)) * sines[row];
    }
    out.total = pairwise_sum({out.values.get(), size.pixels()});
    out.mean = pairwise_sum(lights) / (pairwise_sum(sines) * static_cast<double>(size.width));
    if (out.total <= 0) { // black: every direction alike
        require_radiance("Environment", image);
        for (std::size_t row = 0; row < size.height; ++row) {
            std::fill_n(out.values.get() + row * size.width, size.width, sines[row]);
        }
        out.total = pairwise_sum({out.values.get(), size.pixels()});
    }
    return out;
}

void copy_from_bottom(std::span<const float> image, const Size& size, float* out) {
    const std::size_t row = size.width * kChannels;
    for (std::size_t y = size.height; y-- > 0; out += row) {
        std::memcpy(out, image.data() + y * row, row * sizeof(float));
    }
}

void require_images(std::span<const std::span<const float>> images, const Size& size) {
    if (images.empty() || size.pixels() == 0) {
        throw ArgumentError("Environment: an image must have at least one pixel, got none");
    }
    for (const auto& image : images) {
        if (image.size() != size.pixels() * kChannels) {
            throw ArgumentError(core::text("Environment: images must be (", size.height, ", ",
                                           size.width, ", 3), got ", image.size(), " numbers"));
        }
    }
}

} // namespace

void require_radiance(std::string_view owner, std::span<const float> image) {
    bool is_valid = true;
    for (const float value : image) {
        is_valid &= value >= 0 && value <= std::numeric_limits<float>::max();
    }
    if (!is_valid) {
        throw ArgumentError(
            core::text(owner, ": radiance must be finite and not negative; repair the image"));
    }
}

Environment environment(std::vector<float> image, std::uint32_t width, std::uint32_t height) {
    if (image.empty() || image.size() != std::size_t{kChannels} * width * height) {
        throw ArgumentError(core::text("environment: image must be (height, width, 3), got ",
                                       image.size(), " numbers for ", height, " x ", width));
    }
    require_radiance("environment", image);
    const auto owned = std::make_shared<const std::vector<float>>(std::move(image));
    Environment made;
    made.image = *owned;
    made.width = width;
    made.height = height;
    made.owner = owned;
    return made;
}

Environment environment(const Rgb& color) {
    std::vector<float> image(color.size());
    std::ranges::transform(color, image.begin(),
                           [](double value) { return static_cast<float>(value); });
    return environment(std::move(image), 1, 1);
}

EnvironmentImages build_environment_images(std::span<const std::span<const float>> images,
                                           std::uint32_t width, std::uint32_t height) {
    const Size size{.width = width, .height = height};
    require_images(images, size);
    const Weights weights = weights_of(images.front(), size);
    EnvironmentImages out{.texel_count = images.size() * size.pixels() * kChannels,
                          .pixel_count = size.pixels(),
                          .mean = weights.mean};
    out.alias = std::make_unique_for_overwrite<EnvironmentEntry[]>(out.pixel_count);
    const std::span<const double> values(weights.values.get(), size.pixels());
    fill_alias_table(values, weights.total, reinterpret_cast<std::byte*>(out.alias.get()),
                     sizeof(EnvironmentEntry));
    const double even = weights.total / static_cast<double>(size.pixels());
    for (std::size_t k = 0; k < values.size(); ++k) {
        out.alias[k][2] = std::bit_cast<std::uint32_t>(static_cast<float>(values[k] / even));
    }
    out.texels = std::make_unique_for_overwrite<float[]>(out.texel_count);
    for (std::size_t k = 0; k < images.size(); ++k) {
        copy_from_bottom(images[k], size, out.texels.get() + k * size.pixels() * kChannels);
    }
    return out;
}

EnvironmentPlacement place_environment(const Environment& environment) {
    EnvironmentPlacement out;
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (!std::ranges::all_of(environment.rotation, is_finite) ||
        !std::ranges::all_of(environment.strength, is_finite)) {
        throw ArgumentError(core::text("Environment '", environment.name,
                                       "': rotation and strength must be finite; give them other "
                                       "numbers"));
    }
    for (std::size_t k = 0; k < 3; ++k) {
        out.strength[k] = static_cast<float>(environment.strength[k]);
        for (std::size_t j = 0; j < 3; ++j) { // the inverse of a rotation
            out.to_world[3 * k + j] = static_cast<float>(environment.rotation[3 * j + k]);
        }
    }
    for (std::size_t k = 0; k < environment.views.size(); ++k) {
        const std::size_t kind = environment.views[k].kind;
        if (kind >= out.layers.size()) {
            throw ArgumentError(core::text("Environment '", environment.name, "': view ", k,
                                           " must be of one of the ", out.layers.size(),
                                           " kinds of ray, got ", kind));
        }
        out.layers[kind] = static_cast<std::uint32_t>(k) + 1;
    }
    for (std::size_t kind = 0; kind < out.layers.size(); ++kind) {
        if ((environment.hidden_from & kEnvironmentViews[kind].bit) != 0) {
            out.layers[kind] = kNoLight;
        }
    }
    out.is_sampled = (environment.hidden_from & kScatteredRays) == 0;
    return out;
}

std::optional<double> environment_power(const EnvironmentPlacement& environment, double mean,
                                        double extent) {
    const double brightest = static_cast<double>(std::ranges::max(environment.strength));
    if (!environment.is_sampled || !(mean * brightest > 0)) {
        return std::nullopt;
    }
    return mean * luminance(environment.strength.data()) * pi * pi * (extent * extent);
}

} // namespace weft::scene
