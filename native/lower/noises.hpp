// SPDX-License-Identifier: Apache-2.0
// The functions of shaders/weft/noise.slang, each of which is one node of Blender's.
#pragma once

#include "lower/tree.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace weft::lower {

/// What a source defines so that these functions are lookups of textures with names of their own.
inline constexpr std::string_view kHasNodes = "export static const bool weft_has_nodes = true;\n";

struct NoiseNode {
    std::string_view texture; ///< the name in shaders/weft/noise.slang
    std::string_view dimensions;
    std::string_view input; ///< "W", or "Vector"
};

/// The node that stands for lookups of a texture; nullopt: it is a texture of the user's.
[[nodiscard]] std::optional<NoiseNode> noise_node(std::string_view texture) noexcept;

/// The node itself, fed by what feeds the lookup. Outputs are "Value" and "Color".
[[nodiscard]] TreeNode make_noise_node(const NoiseNode& noise, const Source& place);

} // namespace weft::lower
