// SPDX-License-Identifier: Apache-2.0
// Functions made from others: map(), set(), constants() and the like.
#pragma once

#include "python/bind_function.hpp"

namespace weft::python {

/// The same function with other options.
[[nodiscard]] pybind11::object derive(const FunctionObject& self,
                                      const dispatch::CallOptions& options);
/// @throws ArgumentError for a keyword that is no parameter.
[[nodiscard]] pybind11::object map_arguments(const FunctionObject& self, const pybind11::args& args,
                                             const pybind11::kwargs& kwargs);
/// Adds a dict to the uniforms of `function`, which is not null. @throws ArgumentError for anything else than
/// a dict, and a name that the module cannot have.
void add_uniforms(FunctionObject& function, const pybind11::object& values);
/// @param args dicts, or functions that make them.
[[nodiscard]] pybind11::object set_uniforms(const FunctionObject& self, const pybind11::args& args,
                                            const pybind11::kwargs& kwargs);
[[nodiscard]] pybind11::object set_constants(const FunctionObject& self,
                                             const pybind11::dict& constants);

} // namespace weft::python
