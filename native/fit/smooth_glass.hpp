// SPDX-License-Identifier: Apache-2.0
// Indices of refraction that have no derivative.
#pragma once

#include "fit/parameters.hpp"
#include "scene/scene.hpp"

#include <span>

namespace weft::fit {

/// A change of the index of refraction of glass without roughness moves what is seen through it, and no derivative says
/// where to.
/// @throws ArgumentError if such an index is among the parameters.
void require_known_directions(const scene::Scene& scene, std::span<const Parameter> parameters);

} // namespace weft::fit
