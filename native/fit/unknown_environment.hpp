// SPDX-License-Identifier: Apache-2.0
// The environment as an unknown of a fit. Light of an unknown environment cannot steer how it is sampled, so it is a material
// for the time of the fit: a box around everything that gives off a texture, looked up by direction and met by bounces alone
// (docs/decisions/0026-unknown-environment.md). The box is there before the renderer is:
//
//     const weft::fit::EnvironmentParameter sky{.width = 32, .height = 16};
//     weft::engine::Renderer renderer(*weft, weft::fit::with_unknown_environment(scene, sky, observations));
//     weft::engine::Fit fit(renderer, observations, {.environment = sky});
//     fit.run();
//     scene.environment = std::make_shared<weft::scene::Environment>(fit.environment()->environment);
//
// Scenes of RendererDesc::lit_by are made of the one with the box. One that has a world of its own and shall not be lit by
// the unknown one leaves it dark before it gets that: scene::with_light_factors(boxed, {{sky.name, {0, 0, 0}}}).
#pragma once

#include "core/api.hpp"
#include "fit/observation.hpp"
#include "fit/parameters.hpp"
#include "scene/environment.hpp"
#include "scene/scene.hpp"

#include <span>
#include <string>
#include <string_view>

namespace weft::fit {

/// An environment that a fit has found.
struct FittedEnvironment {
    scene::Environment environment{}; ///< of the parameter's size and name
    std::string
        undetermined{}; ///< what its brightness cannot be told from, a sentence; "": nothing
};

/// The scene inside of a box that shines as the unknown environment does; its own environment is left out. The scene given
/// stays as it is.
/// @param observations whose cameras the box is around; their mean radiance is where the fit begins, unless the
///        parameter has a start.
/// @throws ArgumentError if the parameter's size or a number is out of range, a material has its name, or a camera looks
///         less far than the scene reaches; ends of what cameras see do not count beyond, as they would cut off the box.
[[nodiscard]] WEFT_API scene::Scene
with_unknown_environment(const scene::Scene& scene, const EnvironmentParameter& parameter,
                         std::span<const Observation> observations);

/// @throws ArgumentError that names the parameter if its size is not from 8 x 4 to 512 x 256, a component of `start` is not
///         above 0, or `smoothness` is not finite or below 0.
WEFT_API void require_valid(const EnvironmentParameter& parameter);

/// Slang text of the function that looks the texture up.
[[nodiscard]] std::string_view environment_lookup() noexcept;

} // namespace weft::fit
