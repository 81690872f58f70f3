// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Adds _arm_fault() and _counted_calls(), for tests (core/fault.hpp).
void bind_faults(pybind11::module_& module);

} // namespace weft::python
