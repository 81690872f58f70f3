// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// An attribute that is one function on the class and another on its instances:
/// Tensor.numpy(device, array) constructs, tensor.numpy() reads.
void define_class_or_instance(pybind11::module_& module, const pybind11::object& owner,
                              const char* name, const pybind11::cpp_function& on_class,
                              const pybind11::cpp_function& on_instance);

} // namespace weft::python
