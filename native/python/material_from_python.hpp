// SPDX-License-Identifier: Apache-2.0
// Materials of weft.scene, which are Python's own objects, as those of scene/materials.hpp. Call with the lock taken.
#pragma once

#include "scene/materials.hpp"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

namespace weft::python {

/// Converts materials. What several share is one object afterwards, too.
class MaterialReader {
public:
    /// @throws ArgumentError for a surface or a value that is none, or that lies too deep in others.
    [[nodiscard]] scene::MaterialRef material(pybind11::handle object);
    [[nodiscard]] scene::SurfaceRef surface(pybind11::handle object);
    /// @param object a weft.scene.Texture.
    [[nodiscard]] std::shared_ptr<const scene::Texture> read_texture(pybind11::handle object) {
        return texture(object);
    }

private:
    scene::Value value(pybind11::handle object);
    scene::NamedValues named(pybind11::handle mapping);
    std::shared_ptr<scene::Texture> texture(pybind11::handle object);
    std::shared_ptr<scene::SlangCall> call(pybind11::handle object);
    std::shared_ptr<scene::SlangCall> new_call(pybind11::handle object);

    std::unordered_map<PyObject*, scene::SurfaceRef> m_surfaces;
    std::unordered_map<PyObject*, std::shared_ptr<scene::Texture>> m_textures;
    std::unordered_map<PyObject*, std::shared_ptr<scene::SlangCall>> m_calls;
    std::vector<pybind11::object> m_kept; ///< the keys, as long as the maps
    std::size_t m_depth = 0;
};

/// How many floats a value has, whatever it is made of.
[[nodiscard]] std::size_t size_of_value(pybind11::handle object);

/// The object that a texture was read from.
[[nodiscard]] pybind11::object python_texture(const scene::Texture& texture);

} // namespace weft::python
