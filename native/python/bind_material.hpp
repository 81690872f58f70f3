// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/material_table.hpp"

#include <memory>
#include <pybind11/pybind11.h>

namespace weft::python {

/// Closures, checks of values, programs, kernel text and tables of materials.
void bind_material(pybind11::module_& module);

/// The fields of weft.render.material_table.MaterialTable by name, as build_material_table() of Python gives them.
[[nodiscard]] pybind11::dict
material_table_to_python(std::shared_ptr<const scene::MaterialTable> shared);

/// Names of parameters, and directions in their space.
void bind_parameters(pybind11::module_& module);

} // namespace weft::python
