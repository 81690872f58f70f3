// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Tracer and sort_by_key.
void bind_tracer(pybind11::module_& module);

} // namespace weft::python
