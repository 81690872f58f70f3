// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reflect/type.hpp"

#include <cstddef>
#include <pybind11/pybind11.h>
#include <span>

namespace weft::python {

/// One value of `type` from device bytes: numbers as int, float or bool; vectors and matrices as (nested)
/// tuples; arrays as lists; structures as dicts.
[[nodiscard]] pybind11::object value_to_python(const reflect::Type& type,
                                               std::span<const std::byte> bytes);

} // namespace weft::python
