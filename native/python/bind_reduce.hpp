// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// weft.sum, mean, min, max, dot, norm, any, all, all_close.
void bind_reduce(pybind11::module_& module);

} // namespace weft::python
