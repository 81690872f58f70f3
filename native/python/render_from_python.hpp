// SPDX-License-Identifier: Apache-2.0
// Cameras, settings and views of Python as native/render takes them. Call with the lock taken.
#pragma once

#include "python/call_function.hpp"
#include "render/path_arguments.hpp"
#include "scene/kernel_text.hpp"

#include <pybind11/pybind11.h>

namespace weft::python {

/// Of weft.scene.kernel_text.SceneTraits, or what has its attributes.
[[nodiscard]] scene::SceneTraits traits_from_python(pybind11::handle object);
/// The arguments of weft.scene.kernel_text.SceneTraits.
[[nodiscard]] pybind11::dict traits_to_python(const scene::SceneTraits& traits);
/// Of a weft.scene.Camera.
[[nodiscard]] scene::Camera camera_from_python(pybind11::handle object);
/// Of a weft.scene.LightPaths; None has no effect.
[[nodiscard]] scene::LightPaths light_paths_from_python(pybind11::handle object);
/// Of a weft.render.PathSettings. @throws ArgumentError for a filter that there is none of.
[[nodiscard]] render::PathSettings settings_from_python(pybind11::handle object);

/// A dict of numbers, tensors and dicts, as calls read it. Keeps its tensors. @throws ArgumentError that begins with `name`
/// for other values.
[[nodiscard]] render::KernelArgument argument_from_python(CallPool& pool, pybind11::handle object,
                                                          std::string_view name);
/// The other way round, for arguments that native/render made.
[[nodiscard]] pybind11::dict argument_to_python(const render::KernelArgument& argument);

} // namespace weft::python
