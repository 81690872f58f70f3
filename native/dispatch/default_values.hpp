// SPDX-License-Identifier: Apache-2.0
// Defaults of parameters that a call leaves out. Slang fills in those behind the last argument; kernels spell the others.
#pragma once

#include "reflect/function.hpp"

#include <string>

namespace weft::dispatch {

/// What a kernel, outside the function's file, initialises a variable of the parameter's type with: a number, or a text of
/// numbers, signs, Slang's own types and the parameter's type, such as `float3(1, 2, 3) * 0.5f` and `{ 1.f, { 2.f } }`.
/// "" if there is no default, or one that names what a kernel may not see.
[[nodiscard]] std::string default_expression(const reflect::Parameter& parameter);

} // namespace weft::dispatch
