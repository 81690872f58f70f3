// SPDX-License-Identifier: Apache-2.0
// Which pixels show materials. For the sources of this layer.
#pragma once

#include "render/renderer.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace weft::fit {

/// Which pixels show one of some materials in their centres, or lie close to one that does, one flag a pixel. Waits.
/// @param materials their numbers, as scene::materials_of() counts them.
[[nodiscard]] std::vector<bool> find_shown(render::Renderer& renderer, const scene::Camera& camera,
                                           std::span<const std::uint32_t> materials);

} // namespace weft::fit
