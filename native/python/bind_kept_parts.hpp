// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Parts of tables that outlive an edit.
void bind_kept_parts(pybind11::module_& module);

} // namespace weft::python
