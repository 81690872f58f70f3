// SPDX-License-Identifier: Apache-2.0
// The parts that the light of pictures is made of. A picture is linear in its lights: each light that a fit changes is
// traced by itself, and the picture is the sum of the parts, each times the factor of its light.
#pragma once

#include "fit/observation.hpp"
#include "fit/parameters.hpp"
#include "render/renderer.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace weft::fit {

/// A scene lit by some of its lights.
struct LightPart {
    render::SceneTablesRef tables;      ///< of that scene, never null
    std::optional<std::size_t> light{}; ///< number of the light whose factor it has; not set: none
};

/// The parts of each observation: the scene as it is lit there by each of the lights that change alone, in their order,
/// then by all others, if any shines. Where none of them changes: the scene as it is lit there.
/// @param renderer of the scene. @param observations say which of its lights they show.
/// @param parameters that change besides.
/// @throws ArgumentError if there is no such light, several have the name, it shines in no observation, its strength is no
///         constant, a parameter changes what it gives off, or nothing shines in an observation; DeviceError.
[[nodiscard]] std::vector<std::vector<LightPart>>
find_light_parts(const render::Renderer& renderer, std::span<const Observation> observations,
                 std::span<const LightParameter> lights, std::span<const Parameter> parameters);

} // namespace weft::fit
