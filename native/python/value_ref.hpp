// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// A host value that an out or inout parameter may replace: `r = ValueRef(0.0); f(1.0, r); r.value`.
struct ValueRef {
    explicit ValueRef(pybind11::object held) : value(std::move(held)) {}
    ValueRef(const ValueRef&) = delete;
    ValueRef& operator=(const ValueRef&) = delete;
    /// A chain of references ends one by one: its length is not bounded by the stack.
    ~ValueRef();

    pybind11::object value;
};

void bind_value_ref(pybind11::module_& module);

} // namespace weft::python
