// SPDX-License-Identifier: Apache-2.0
// Scenes whose materials have other numbers, such as those that a fit has found.
#pragma once

#include "core/api.hpp"
#include "scene/material_values.hpp"
#include "scene/scene.hpp"

#include <functional>
#include <map>
#include <string>

namespace weft::scene {

/// Numbers by the name of a parameter, as parameter_names.hpp writes it: one, or one a component.
using ParameterValues = std::map<std::string, Numbers, std::less<>>;

/// The scene with other numbers at inputs of its materials; the one given stays as it is. What does not change is shared
/// with it, so that a renderer that is given the new scene keeps meshes, images and, where no input is new, kernels. An
/// input that had its default gets a value, which may make another program of the material. A constant goes by its own
/// name or by that of an input that it drives, and changes wherever it is used. Numbers that drive a normal have no names
/// here.
/// @throws ArgumentError if there is no such number: the message has names that are near, or says what drives the input
///         instead; or if it has another number of components.
[[nodiscard]] WEFT_API Scene with_parameters(const Scene& scene, const ParameterValues& values);

} // namespace weft::scene
