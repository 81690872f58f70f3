// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reflect/function.hpp"

#include <pybind11/pybind11.h>

namespace weft::python {

/// The Python class `Type`.
struct TypeObject {
    reflect::TypeRef type;
};

/// A type argument: weft.Type, a structure of a module, float, int, bool, a numpy dtype, "float3".
/// @throws ArgumentError naming `function`, what is accepted and near misses.
[[nodiscard]] reflect::TypeRef parse_type(pybind11::handle value, const char* function);
[[nodiscard]] pybind11::object type_to_python(reflect::TypeRef type);
void bind_reflect(pybind11::module_& module);

} // namespace weft::python
