// SPDX-License-Identifier: Apache-2.0
// Scenes whose lights are brighter, dimmer or of another colour.
#pragma once

#include "core/api.hpp"
#include "scene/colors.hpp"
#include "scene/materials.hpp"
#include "scene/scene.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace weft::scene {

/// Factors by the name of a light, of the environment, or of an emissive material: linear RGB, 0 or greater.
using LightFactors = std::map<std::string, Rgb, std::less<>>;

/// Names of the inputs that say what a material gives off, as parameters are called: colour and strength of each closure
/// that shines, in turn. Empty: it is no light.
[[nodiscard]] WEFT_API std::vector<std::string> emission_names(const Material& material);

/// Names of all that emits: lights, the environment, and emissive materials.
/// @throws ArgumentError as materials_of().
[[nodiscard]] WEFT_API std::vector<std::string> light_names(const Scene& scene);

/// The scene with some lights scaled; the one given stays as it is. What does not change is shared with it. Lights of
/// factor 0 stay in the scene, and materials keep their inputs.
/// @throws ArgumentError if there is no such light, several have the name, or the light of a material is not the same
///         everywhere.
[[nodiscard]] WEFT_API Scene with_light_factors(const Scene& scene, const LightFactors& factors);

} // namespace weft::scene
