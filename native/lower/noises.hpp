// SPDX-License-Identifier: Apache-2.0
// The functions of shaders/weft/noise.slang, each of which is one node of Blender's.
#pragma once

#include "lower/tree.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::lower {

/// What a source defines so that these functions are lookups of textures with names of their own.
inline constexpr std::string_view kHasNodes = "export static const bool weft_has_nodes = true;\n";

/// What a source defines so that cells of Voronoi patterns are Blender 4's.
inline constexpr std::string_view kHasOldCells =
    "export static const bool weft_has_old_cells = true;\n";

/// A node that stands for lookups of a texture.
struct NoiseNode {
    struct In {
        std::string_view socket;
        std::size_t first = 0; ///< of the numbers that the texture is looked up at
        std::size_t count = 1; ///< 2 and 3: a vector
    };
    struct Out {
        std::string_view socket;
        std::string_view part; ///< "X", "Y" or "Z" of a vector; "": all of it
    };

    std::string type;
    std::vector<std::pair<std::string, std::string>> properties;
    std::vector<In> inputs;
    std::array<Out, 4> outputs; ///< of the components of a lookup
    bool has_scale = true;      ///< which Blender sets to 5
};

/// @param texture the name in shaders/weft/noise.slang
/// @return nullopt: it is an image
[[nodiscard]] std::optional<NoiseNode> noise_node(std::string_view texture);

} // namespace weft::lower
