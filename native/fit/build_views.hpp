// SPDX-License-Identifier: Apache-2.0
// Views as fits of numbers and of textures begin with them. For the sources of this layer.
#pragma once

#include "fit/lighting.hpp"
#include "fit/observation.hpp"
#include "fit/view.hpp"
#include "render/renderer.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace weft::fit {

/// What paths record.
struct RecordingDesc {
    std::vector<std::uint32_t> materials{}; ///< numbers of those that change, ascending
    std::span<const float> rows{};          ///< directions of numbers; empty: none moves
    bool with_texels = false;               ///< textures move
};

/// A view of each observation, a recorder for each part of its light.
/// @param renderer of the scene. @param observations outlive the views. @param light find_light_parts() of these.
/// @throws as render::Renderer::create_recorder().
[[nodiscard]] std::vector<View> build_views(const render::Renderer& renderer,
                                            std::span<const Observation> observations,
                                            std::span<const std::vector<LightPart>> light,
                                            const RecordingDesc& recording);

/// @throws ArgumentError unless the renderer still renders the scene that a fit was made for.
void require_same_scene(const render::Renderer& renderer, const render::SceneTablesRef& tables);

} // namespace weft::fit
