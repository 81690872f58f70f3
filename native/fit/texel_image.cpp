// SPDX-License-Identifier: Apache-2.0
#include "fit/texel_image.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/quantiles.hpp"
#include "fit/run_parts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace weft::fit {

namespace {

/// Weights of a Gaussian at whole distances of -radius to radius; they add to 1.
std::vector<double> gaussian(double sigma) {
    const int radius = static_cast<int>(3 * sigma + 0.5);
    std::vector<double> weights;
    double total = 0;
    for (int k = -radius; k <= radius; ++k) {
        weights.push_back(std::exp(-0.5 * (k / sigma) * (k / sigma)));
        total += weights.back();
    }
    for (double& weight : weights) {
        weight /= total;
    }
    return weights;
}

/// A place of an image whose ends are repeated, `radius` times each, in the image itself.
std::size_t inside(std::size_t place, std::size_t radius, std::size_t places) {
    return std::min(std::max(place, radius) - radius, places - 1);
}

void add_scaled(const double* from, double weight, std::size_t count, double* out) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] += weight * from[i];
    }
}

/// Averages along columns, each row of the result from rows around it.
void blur_rows(const TexelView& image, const std::vector<double>& weights, core::ThreadPool* pool,
               TexelImage& out) {
    const std::size_t row = image.shape.width * image.shape.channels;
    const std::size_t radius = weights.size() / 2;
    run_parts(pool, image.shape.height, texel_parts(image.shape.height * image.shape.width),
              [&](std::size_t, std::size_t first, std::size_t last) {
                  for (std::size_t y = first; y < last; ++y) {
                      for (std::size_t k = 0; k < weights.size(); ++k) {
                          const std::size_t from = inside(y + k, radius, image.shape.height);
                          add_scaled(image.values.data() + from * row, weights[k], row,
                                     out.values.data() + y * row);
                      }
                  }
              });
}

/// Averages along rows, in place.
void blur_columns(TexelImage& image, const std::vector<double>& weights, core::ThreadPool* pool) {
    const std::size_t channels = image.shape.channels;
    const std::size_t row = image.shape.width * channels;
    const std::size_t radius = weights.size() / 2;
    run_parts(pool, image.shape.height, texel_parts(image.shape.height * image.shape.width),
              [&](std::size_t, std::size_t first, std::size_t last) {
                  // The row with its ends repeated: each weight is then one pass over it.
                  std::vector<double> wide(row + 2 * radius * channels);
                  for (std::size_t y = first; y < last; ++y) {
                      double* own = image.values.data() + y * row;
                      for (std::size_t x = 0; x < image.shape.width + 2 * radius; ++x) {
                          std::copy_n(own + inside(x, radius, image.shape.width) * channels,
                                      channels,
                                      wide.begin() + static_cast<std::ptrdiff_t>(x * channels));
                      }
                      std::fill_n(own, row, 0.0);
                      for (std::size_t k = 0; k < weights.size(); ++k) {
                          add_scaled(wide.data() + k * channels, weights[k], row, own);
                      }
                  }
              });
}

/// Adds to both texels what their differences raise the variation by.
void add_slopes(const std::vector<float>& image, std::size_t first, std::size_t second,
                std::size_t count, float softness, std::vector<float>& out) {
    for (std::size_t i = 0; i < count; ++i) {
        const float step = image[second + i] - image[first + i];
        const float slope = step / std::sqrt(step * step + softness);
        out[first + i] -= slope;
        out[second + i] += slope;
    }
}

} // namespace

void require_shape(const char* function, const char* what, const TexelView& image,
                   const ImageShape& shape) {
    const ImageShape& own = image.shape;
    if (own.height != shape.height || own.width != shape.width || own.channels != shape.channels ||
        image.values.size() != shape.size()) {
        throw core::ArgumentError(
            core::text(function, ": ", what, " must be an image of ", shape.height, " x ",
                       shape.width, " x ", shape.channels, ", got ", own.height, " x ", own.width,
                       " x ", own.channels, " and ", image.values.size(), " numbers"));
    }
}

TexelImage blurred_by(const TexelView& image, double sigma, core::ThreadPool* pool) {
    require_shape("blurred_by", "the image", image, image.shape);
    TexelImage out(image.shape);
    if (sigma <= 0 || image.values.empty()) {
        std::ranges::copy(image.values, out.values.begin());
        return out;
    }
    const std::vector<double> weights = gaussian(sigma);
    blur_rows(image, weights, pool, out);
    blur_columns(out, weights, pool);
    return out;
}

TexelImage variation_derivative(const TexelView& image, double soft) {
    require_shape("variation_derivative", "the image", image, image.shape);
    std::vector<float> own(image.values.size());
    std::ranges::transform(image.values, own.begin(),
                           [](double value) { return static_cast<float>(value); });
    std::vector<float> slopes(own.size());
    const auto softness = static_cast<float>(soft * soft);
    const std::size_t channels = image.shape.channels;
    const std::size_t row = image.shape.width * channels;
    for (std::size_t y = 0; y + 1 < image.shape.height; ++y) {
        add_slopes(own, y * row, (y + 1) * row, row, softness, slopes);
    }
    for (std::size_t y = 0; y < image.shape.height && image.shape.width > 1; ++y) {
        for (std::size_t x = image.shape.width - 1; x-- > 0;) {
            const std::size_t first = y * row + x * channels;
            add_slopes(own, first, first + channels, channels, softness, slopes);
        }
    }
    TexelImage out(image.shape);
    std::ranges::copy(slopes, out.values.begin());
    return out;
}

std::vector<bool> find_known(std::span<const double> told) {
    std::vector<double> some;
    std::ranges::copy_if(told, std::back_inserter(some), [](double value) { return value > 0; });
    const double least = kKnownShare * median(std::move(some));
    std::vector<bool> known(told.size());
    std::transform(told.begin(), told.end(), known.begin(),
                   [least](double value) { return value > least; });
    return known;
}

} // namespace weft::fit
