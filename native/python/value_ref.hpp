// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// A host value that an out or inout parameter may replace: `r = ValueRef(0.0); f(1.0, r); r.value`.
struct ValueRef {
    pybind11::object value;
};

} // namespace weft::python
