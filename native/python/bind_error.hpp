// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <pybind11/pybind11.h>
#include <string>

namespace weft::python {

/// Python exception classes with the bases that users expect, and their translation.
void bind_error(pybind11::module_& module);
/// The category of warnings about tensors without gradients: weft.GradientWarning.
[[nodiscard]] pybind11::object gradient_warning();
/// Throws weft.NonFiniteError.
[[noreturn]] void throw_not_finite(const std::string& message);
/// Makes every use of an object whose __init__ has not run an ArgumentError; after all classes are bound.
void refuse_unmade_objects(const pybind11::module_& module);
/// Throws weft.GradientError.
[[noreturn]] void throw_wrong_gradient(const std::string& message);
/// Sets the Python error for a C++ exception; for entry points that bypass pybind11.
void set_python_error(const std::exception_ptr& error) noexcept;

/// Throws the ArgumentError{type} of an object of Python without its C++ value.
[[noreturn]] void throw_unmade_object();

} // namespace weft::python
