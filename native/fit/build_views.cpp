// SPDX-License-Identifier: Apache-2.0
#include "fit/build_views.hpp"

#include "core/error.hpp"

#include <cstddef>
#include <utility>

namespace weft::fit {

std::vector<View> build_views(const render::Renderer& renderer,
                              std::span<const Observation> observations,
                              std::span<const std::vector<LightPart>> light,
                              const RecordingDesc& recording) {
    std::vector<View> views;
    for (std::size_t number = 0; number < observations.size(); ++number) {
        std::vector<ViewPart> parts;
        for (const LightPart& part : light[number]) {
            parts.push_back(
                {.recorder = renderer.create_recorder(recording.materials, recording.rows,
                                                      recording.with_texels, part.tables),
                 .light = part.light});
        }
        views.emplace_back(observations[number], std::move(parts),
                           renderer.start_media(observations[number].camera));
    }
    return views;
}

void require_same_scene(const render::Renderer& renderer, const render::SceneTablesRef& tables) {
    if (renderer.tables() != tables) {
        throw core::ArgumentError("Fit::step: the renderer renders another scene since update(); "
                                  "make a new Fit of it");
    }
}

} // namespace weft::fit
