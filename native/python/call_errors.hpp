// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Where the arguments of a bound function fit no overload, pybind11 raises a TypeError that lists C++
/// signatures. After this call the function raises an ArgumentTypeError of one sentence instead, which
/// names the argument at fault. Anything but a function made by pybind11 is left as it is.
void explain_wrong_calls(pybind11::handle function);

/// The same for all functions of a module and of its classes.
void explain_wrong_calls_of_module(const pybind11::module_& module);

} // namespace weft::python
