// SPDX-License-Identifier: Apache-2.0
// Scenes of weft.scene, which are Python's own objects, as those of scene/scene.hpp. Call with the lock taken.
#pragma once

#include "python/light_from_python.hpp"
#include "python/material_from_python.hpp"
#include "render/kept_parts.hpp"
#include "scene/scene.hpp"

#include <pybind11/pybind11.h>

#include <unordered_map>

namespace weft::python {

/// Converts a scene. What several objects share is one object afterwards, too.
class SceneReader {
public:
    /// @param kept has meshes that were read before: a mesh is the same while it is one object with the same arrays.
    explicit SceneReader(render::KeptParts& kept) : m_kept(kept) {}

    /// Everything but cameras. Arrays of numbers as meshes have them are read where they are.
    /// @throws ArgumentError that names mesh or object for arrays of another shape and what scene::mesh() and
    ///         scene::require_valid() refuse; as MaterialReader, and as LightReader.
    [[nodiscard]] scene::Scene scene(pybind11::handle object);

private:
    [[nodiscard]] scene::Object object(pybind11::handle object);
    [[nodiscard]] scene::MeshRef mesh(pybind11::handle object);
    [[nodiscard]] scene::MaterialRef material(pybind11::handle object);
    [[nodiscard]] std::shared_ptr<const scene::Environment> environment(pybind11::handle object);

    render::KeptParts& m_kept;
    MaterialReader m_reader;
    LightReader m_lights;
    std::unordered_map<PyObject*, scene::MeshRef> m_meshes;
    std::unordered_map<PyObject*, scene::MaterialRef> m_materials;
    std::vector<pybind11::object> m_read; ///< the keys, as long as the maps
};

} // namespace weft::python
