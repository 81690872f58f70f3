// SPDX-License-Identifier: Apache-2.0
#include "lower/noises.hpp"

#include <algorithm>

namespace weft::lower {

namespace {

constexpr std::array<NoiseNode, 3> kNodes{{{"weft_noise_white1", "1D", "W"},
                                           {"weft_noise_white2", "2D", "Vector"},
                                           {"weft_noise_white3", "3D", "Vector"}}};

} // namespace

std::optional<NoiseNode> noise_node(std::string_view texture) noexcept {
    // Slang numbers names that it declares again: "weft_noise_white3_0".
    const auto found = std::find_if(kNodes.begin(), kNodes.end(), [&](const NoiseNode& node) {
        return texture.starts_with(node.texture);
    });
    return found == kNodes.end() ? std::nullopt : std::optional(*found);
}

TreeNode make_noise_node(const NoiseNode& noise, const Source& place) {
    return {"ShaderNodeTexWhiteNoise",
            {{"noise_dimensions", std::string(noise.dimensions)}},
            {{std::string(noise.input), place}}};
}

} // namespace weft::lower
