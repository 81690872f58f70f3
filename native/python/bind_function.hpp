// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dispatch/function.hpp"
#include "python/call_arguments.hpp"

#include <array>
#include <memory>
#include <pybind11/pybind11.h>
#include <string>

namespace weft::python {

/// Per-module state of the bindings: recycled call objects. Guarded by the interpreter lock.
struct CallPool;

/// A function with what a call itself may ask for, made at the first such call: by kind of result, then without and
/// with `deterministic`.
using RequestedFunctions = std::array<std::array<std::shared_ptr<dispatch::Function>, 2>, 4>;

/// What `module.f` is in Python: a core function plus the values that bind() and set() added.
struct FunctionObject {
    std::shared_ptr<dispatch::Module> module;
    std::shared_ptr<dispatch::Function> function;
    std::shared_ptr<CallPool> pool;
    pybind11::object this_value;            ///< null unless bound
    pybind11::dict uniforms;                ///< set() values; null if none
    mutable pybind11::object backward = {}; ///< bwds, made at its first use
    mutable pybind11::object forward = {};  ///< fwds
    mutable RequestedFunctions requested = {};
};

[[nodiscard]] std::shared_ptr<CallPool> create_call_pool(std::shared_ptr<Session> session);
/// Wraps in the Python class `Function`, whose instances are called through vectorcall.
[[nodiscard]] pybind11::object make_function(FunctionObject function);
void bind_function(pybind11::module_& module);

} // namespace weft::python
