// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/session.hpp"

#include <pybind11/pybind11.h>

namespace weft::python {

void bind_device(pybind11::module_& module);

/// The type that a user gives as a DeviceType or by its name; None is automatic.
/// @throws ArgumentError for anything else, beginning with the function's name.
device::DeviceType parse_device_type(const pybind11::object& value, const char* function);

} // namespace weft::python
