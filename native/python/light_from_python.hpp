// SPDX-License-Identifier: Apache-2.0
// Lights of weft.scene, which are Python's own objects, as those of scene/light.hpp. Call with the lock taken.
#pragma once

#include "scene/environment.hpp"
#include "scene/light.hpp"

#include <pybind11/pybind11.h>

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::python {

/// The bits of a sequence of names of kinds of ray.
/// @throws ArgumentError for a text instead of a sequence, and for what is no kind.
[[nodiscard]] scene::RayKinds read_ray_kinds(std::string_view owner, pybind11::handle kinds,
                                             std::span<const scene::RayKindName> known);

/// What a weft.scene.Environment says, without its images, which go to build_environment_images().
/// @throws ArgumentError for a rotation, a strength or a kind of ray that is none.
[[nodiscard]] scene::Environment read_environment(pybind11::handle object);

/// Converts lights; a profile that several share is one object afterwards, too. Borrows images where they are float32, row by
/// row.
class LightReader {
public:
    /// @throws ArgumentError for what is no light, and for a field that is not what the class says.
    [[nodiscard]] scene::Light light(pybind11::handle object);
    /// @throws ArgumentError for an image that is none.
    [[nodiscard]] std::shared_ptr<const scene::LightProfile> profile(pybind11::handle object);

private:
    std::unordered_map<PyObject*, std::shared_ptr<const scene::LightProfile>> m_profiles;
    std::vector<pybind11::object> m_kept; ///< the keys, as long as the map
};

} // namespace weft::python
