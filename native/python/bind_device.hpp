// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/session.hpp"

#include <pybind11/pybind11.h>

namespace weft::python {

void bind_device(pybind11::module_& module);

} // namespace weft::python
