// SPDX-License-Identifier: Apache-2.0
// What a fit of a program in C++ owns: pictures, views, models, and the stage that moves them. For the sources of this layer.
#pragma once

#include "core/interrupt_poll.hpp"
#include "fit/parameters.hpp"
#include "fit/scalar_model.hpp"
#include "fit/scene_fit.hpp"
#include "fit/stage.hpp"
#include "fit/texture_model.hpp"
#include "fit/unknowns.hpp"
#include "render/renderer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace weft::fit {

/// Made in the order of its members: later ones refer to earlier ones.
struct SceneFit::Parts {
    /// Pictures and unknowns; views, models and the stage are none.
    /// @param own renderer of the scene; it outlives this. @throws as require_valid() and build_unknowns().
    Parts(render::Renderer& own, std::vector<Observation> pictures, const Sought& sought,
          const FitSettings& given, core::InterruptPoll check);

    /// Makes the views, and the model of the numbers where numbers are sought, and of the textures where some are.
    /// @throws as find_light_parts(), ScalarModel() and TextureModel().
    void make_models(const Sought& sought);
    /// Which pixels of each view show textures that change, or lie close to one that does. Waits.
    [[nodiscard]] std::vector<std::vector<bool>> find_shown() const;

    render::Renderer& renderer;
    render::SceneTablesRef tables; ///< that the renderer has
    FitSettings settings;
    core::InterruptPoll poll;
    std::vector<Observation> observations;
    Unknowns unknowns;
    std::vector<std::uint32_t> textured; ///< materials whose textures change
    std::vector<View> views{};
    std::optional<ScalarModel> scalars{};   ///< not set: textures move alone
    std::optional<TextureModel> textures{}; ///< not set: numbers move alone
    std::unique_ptr<Stage> stage{};
};

} // namespace weft::fit
