// SPDX-License-Identifier: Apache-2.0
// Functions made from others: map(), set(), constants() and the like.
#pragma once

#include "python/bind_function.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft::python {

/// Module::function() without the interpreter lock where it has to look further than its table.
[[nodiscard]] std::shared_ptr<dispatch::Function>
find_function(dispatch::Module& module, const std::string& name,
              const dispatch::CallOptions& options = {});
/// Function::has_parameter() without the interpreter lock.
[[nodiscard]] bool has_parameter(dispatch::Function& function, std::string_view name);
/// Whether an overload with a result has `count` - 1 parameters, and none has more.
[[nodiscard]] bool takes_result_after(dispatch::Function& function, std::size_t count);
/// Function::overloads() without the interpreter lock.
[[nodiscard]] std::vector<reflect::Function> overloads_of(dispatch::Function& function);
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
