// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/call_function.hpp"

#include <pybind11/pybind11.h>

namespace weft::python {

/// What weft.torch has to know of a call before it makes it, as a tuple: whether the function is differentiable,
/// whether results are to be tensors of torch, the module's generation, the names of the returned parameters, and for
/// each tensor of torch (tensor, name, is_read, is_written, is_whole, rank of the call it varies over), rank -1 for one
/// whose use is not known.
[[nodiscard]] pybind11::tuple torch_plan(const FunctionObject& self, const PythonCall& call);

} // namespace weft::python
