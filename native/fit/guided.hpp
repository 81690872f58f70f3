// SPDX-License-Identifier: Apache-2.0
// Maps of the shape of reflections follow the maps beside them, where noise hides their own detail.
//
// Colour and metallic weigh what a surface reflects: noise of neighbouring texels cancels in a pixel. Roughness and its
// like shape it, and texels that scatter about the truth look rougher or smoother than their mean does: noise becomes
// bias. So such a map is replaced, where the noise of its texels explains the difference, by what the other maps say of it
// around each texel: the guided filter (He, Sun and Tang 2013), a linear regression in every window.
#pragma once

#include "core/api.hpp"
#include "fit/texel_image.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace weft::fit {

/// Whether an input shapes what is reflected, instead of weighing it. @param name "<material>.<input>".
[[nodiscard]] WEFT_API bool is_shape(std::string_view name);

/// Squares around each texel, of the texels that say something.
class TexelWindows {
public:
    /// @param weights which those are, one a texel. @throws ArgumentError if there are not as many as texels.
    WEFT_API TexelWindows(const ImageShape& shape, const std::vector<bool>& weights);

    /// Means over windows, in float.
    [[nodiscard]] WEFT_API TexelImage means(const TexelView& values) const;

private:
    ImageShape m_shape;
    std::vector<float> m_weights;
    std::vector<double> m_total;
};

/// Channels that are asked for, and those that say what they are.
struct GuidedChannels {
    std::vector<std::size_t> own;
    std::vector<std::size_t> guides;
};

/// The channels `own` as the others around each texel say that they are.
/// @param maps in units of their ranges.
[[nodiscard]] WEFT_API TexelImage guided(const TexelView& maps, const TexelWindows& windows,
                                         const GuidedChannels& channels,
                                         core::ThreadPool* pool = nullptr);

/// Maps with some channels where the others lead them. A channel goes there by the share of its distance that the noise of
/// its texels explains: detail of its own that the pictures tell stays. Without guides, or a texel that says something, the
/// maps stay.
/// @param maps in units of their ranges. @param weights texels that say something.
/// @param variances of the noise of each number of each texel. @param own channels that may move; the others guide.
[[nodiscard]] WEFT_API TexelImage follow_guides(const TexelView& maps,
                                                const std::vector<bool>& weights,
                                                const TexelView& variances,
                                                const std::vector<std::size_t>& own,
                                                core::ThreadPool* pool = nullptr);

} // namespace weft::fit
