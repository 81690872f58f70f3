// SPDX-License-Identifier: Apache-2.0
#include "fit/guided.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/run_parts.hpp"
#include "fit/small_matrix.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace weft::fit {

namespace {

constexpr std::array<std::string_view, 4> kShapes{"roughness", "anisotrop", "rotation", "ior"};
constexpr std::size_t kRadius = 3; ///< of windows, texels
constexpr double kRidge =
    1e-3; ///< variance of maps in units of their ranges, below which they guide nothing
constexpr double kLeastWeight = 1e-6;
constexpr double kLeastSpread = 1e-12;

std::size_t texels_of(const ImageShape& shape) {
    return shape.height * shape.width;
}

ImageShape with_channels(const ImageShape& shape, std::size_t channels) {
    return {.height = shape.height, .width = shape.width, .channels = channels};
}

/// Some channels, about `middle`.
TexelImage chosen(const TexelView& maps, const std::vector<std::size_t>& channels,
                  const Vector& middle) {
    TexelImage out(with_channels(maps.shape, channels.size()));
    auto own = out.values.begin();
    for (std::size_t texel = 0; texel < texels_of(maps.shape); ++texel) {
        for (const std::size_t channel : channels) {
            *own++ = maps.texel(texel)[channel] - middle[channel];
        }
    }
    return out;
}

/// The product of each channel of one image with each of the other.
TexelImage products(const TexelView& a, const TexelView& b) {
    TexelImage out(with_channels(a.shape, a.shape.channels * b.shape.channels));
    auto own = out.values.begin();
    for (std::size_t texel = 0; texel < texels_of(a.shape); ++texel) {
        for (const double one : a.texel(texel)) {
            for (const double other : b.texel(texel)) {
                *own++ = one * other;
            }
        }
    }
    return out;
}

/// Covariances over windows.
TexelImage covariances(const TexelView& a, const TexelView& b, const TexelView& mean_a,
                       const TexelView& mean_b, const TexelWindows& windows) {
    TexelImage out = windows.means(products(a, b));
    const TexelImage means = products(mean_a, mean_b);
    for (std::size_t i = 0; i < out.values.size(); ++i) {
        out.values[i] -= means.values[i];
    }
    return out;
}

Vector mean_of(const TexelView& maps) {
    Vector out(maps.shape.channels);
    for (std::size_t i = 0; i < maps.values.size(); ++i) {
        out[i % out.size()] += maps.values[i];
    }
    for (double& each : out) {
        each /= static_cast<double>(texels_of(maps.shape));
    }
    return out;
}

/// Slopes of a regression on the guides, for each texel: guides x own channels.
template <int Most>
void solve_slopes(const TexelView& square, const TexelView& cross, std::size_t guides,
                  core::ThreadPool* pool, TexelImage& slopes) {
    const auto rows = static_cast<Eigen::Index>(guides);
    const std::size_t channels = cross.shape.channels;
    const auto columns = static_cast<Eigen::Index>(channels / guides);
    const std::size_t texels = texels_of(square.shape);
    run_parts(
        pool, texels, texel_parts(texels), [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t texel = first; texel < last; ++texel) {
                SmallMatrix<Most> matrix = block_view(square.texel(texel).data(), guides);
                matrix.diagonal().array() += kRidge;
                const Eigen::Map<const DenseMatrix> right(cross.texel(texel).data(), rows, columns);
                Eigen::Map<DenseMatrix>(slopes.values.data() + texel * channels, rows, columns) =
                    Eigen::LLT<SmallMatrix<Most>>(matrix).solve(right);
            }
        });
}

/// The sum over the guides of x times the slopes, one number for each own channel.
TexelImage predicted(const TexelView& x, const TexelView& slopes) {
    const std::size_t guides = x.shape.channels;
    const std::size_t count = slopes.shape.channels / guides;
    TexelImage out(with_channels(x.shape, count));
    for (std::size_t texel = 0; texel < texels_of(x.shape); ++texel) {
        for (std::size_t i = 0; i < guides; ++i) {
            for (std::size_t o = 0; o < count; ++o) {
                out.values[texel * count + o] +=
                    x.texel(texel)[i] * slopes.texel(texel)[i * count + o];
            }
        }
    }
    return out;
}

std::vector<std::size_t> others_of(std::size_t count, const std::vector<std::size_t>& own) {
    std::vector<std::size_t> out;
    for (std::size_t channel = 0; channel < count; ++channel) {
        if (std::ranges::find(own, channel) == own.end()) {
            out.push_back(channel);
        }
    }
    return out;
}

} // namespace

bool is_shape(std::string_view name) {
    std::string input = scene::split_name(name).back();
    input = input.substr(input.rfind('/') + 1); // scenes of earlier exports have slashes
    std::ranges::transform(input, input.begin(), [](unsigned char letter) {
        return letter == ' ' ? '_' : static_cast<char>(std::tolower(letter));
    });
    return std::ranges::any_of(kShapes, [&input](std::string_view shape) {
        return input.find(shape) != std::string::npos;
    });
}

TexelWindows::TexelWindows(const ImageShape& shape, const std::vector<bool>& weights)
    : m_shape(with_channels(shape, 1)), m_weights(weights.begin(), weights.end()) {
    if (weights.size() != m_shape.size()) {
        throw core::ArgumentError(core::text("TexelWindows: there must be a weight of each of ",
                                             m_shape.size(), " texels, got ", weights.size()));
    }
    std::vector<float> total = m_weights;
    box_blur(total, m_shape, kRadius);
    m_total.resize(total.size());
    std::ranges::transform(total, m_total.begin(), [](float sum) {
        return static_cast<double>(std::max(sum, static_cast<float>(kLeastWeight)));
    });
}

TexelImage TexelWindows::means(const TexelView& values) const {
    require_shape("TexelWindows::means", "values", values,
                  with_channels(m_shape, values.shape.channels));
    const std::size_t channels = values.shape.channels;
    std::vector<float> weighed(values.values.size());
    for (std::size_t i = 0; i < weighed.size(); ++i) {
        weighed[i] = static_cast<float>(values.values[i]) * m_weights[i / channels];
    }
    box_blur(weighed, values.shape, kRadius);
    TexelImage out(values.shape);
    for (std::size_t i = 0; i < weighed.size(); ++i) {
        out.values[i] = static_cast<double>(weighed[i]) / m_total[i / channels];
    }
    return out;
}

TexelImage guided(const TexelView& maps, const TexelWindows& windows,
                  const GuidedChannels& channels, core::ThreadPool* pool) {
    const std::size_t guides = channels.guides.size();
    const std::size_t count = channels.own.size();
    // About the means of all texels: products in float keep their digits.
    const Vector middle = mean_of(maps);
    const TexelImage x = chosen(maps, channels.guides, middle);
    const TexelImage y = chosen(maps, channels.own, middle);
    const TexelImage mean_x = windows.means(x);
    TexelImage offsets = windows.means(y);
    const TexelImage square = covariances(x, x, mean_x, mean_x, windows);
    const TexelImage cross = covariances(x, y, mean_x, offsets, windows);
    TexelImage slopes(cross.shape);
    with_small(guides,
               [&]<int Most>() { solve_slopes<Most>(square, cross, guides, pool, slopes); });
    const TexelImage about = predicted(mean_x, slopes);
    for (std::size_t i = 0; i < offsets.values.size(); ++i) {
        offsets.values[i] -= about.values[i];
    }
    // Each texel lies in many windows: the mean of what they say.
    TexelImage found = predicted(x, windows.means(slopes));
    const TexelImage mean_offsets = windows.means(offsets);
    for (std::size_t i = 0; i < found.values.size(); ++i) {
        found.values[i] += mean_offsets.values[i] + middle[channels.own[i % count]];
    }
    return found;
}

TexelImage follow_guides(const TexelView& maps, const std::vector<bool>& weights,
                         const TexelView& variances, const std::vector<std::size_t>& own,
                         core::ThreadPool* pool) {
    require_shape("follow_guides", "variances", variances, maps.shape);
    TexelImage out(maps.shape);
    std::ranges::copy(maps.values, out.values.begin());
    const GuidedChannels channels{own, others_of(maps.shape.channels, own)};
    if (own.empty() || channels.guides.empty() ||
        std::ranges::find(weights, true) == weights.end()) {
        return out;
    }
    const TexelWindows windows(maps.shape, weights);
    TexelImage distance = guided(maps, windows, channels, pool);
    TexelImage squares(distance.shape);
    for (std::size_t i = 0; i < distance.values.size(); ++i) {
        const std::size_t channel = own[i % own.size()];
        distance.values[i] = maps.texel(i / own.size())[channel] - distance.values[i];
        squares.values[i] = distance.values[i] * distance.values[i];
    }
    const TexelImage spread = windows.means(squares);
    for (std::size_t i = 0; i < distance.values.size(); ++i) {
        const std::size_t place = i / own.size() * maps.shape.channels + own[i % own.size()];
        const double share =
            std::min(variances.values[place] / std::max(spread.values[i], kLeastSpread), 1.0);
        out.values[place] -= share * distance.values[i];
    }
    return out;
}

} // namespace weft::fit
