// SPDX-License-Identifier: Apache-2.0
// Values of vector types in Python; what they can do stands in weft/vectors.py.
#pragma once

#include "reflect/type.hpp"

#include <pybind11/pybind11.h>

namespace weft::python {

/// weft.float3(...) with these components. @param components numbers of the vector's own type.
[[nodiscard]] pybind11::object vector_value(const reflect::Type& type,
                                            const pybind11::tuple& components);
/// What weft.float3(*arguments) gives. @throws ArgumentError, as Python errors, for what does not fit.
[[nodiscard]] pybind11::object make_vector(const reflect::TypeRef& type,
                                           const pybind11::args& arguments);

} // namespace weft::python
