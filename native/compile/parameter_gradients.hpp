// SPDX-License-Identifier: Apache-2.0
// Slang 2026.12 (and 2026.14.1) loses a gradient: where the first operation of a differentiable function adds, subtracts,
// multiplies or divides a vector or matrix and a number that is a parameter of the function, the number's part is
// inserted behind the place that reverse mode is looking at, and never reached. Behind a call that returns the number the
// place is another one. So differentiable functions are read by Slang with `t = weft_parameter(t);` in front of their body.
#pragma once

#include <string>
#include <string_view>

namespace weft::compile {

/// `text` with `[Differentiable] float3 f(float t, float3 b) { return t * b; }` written as
/// `[Differentiable] float3 f(float t, float3 b) { t = weft_parameter(t); return t * b; }`. Parameters that are out,
/// inout or no_diff stay as they are, and so do functions in which there are only numbers. Lines stay where they
/// are. weft_parameter is in shaders/weft/parameter.slang.
[[nodiscard]] std::string keep_parameter_gradients(std::string_view text);

} // namespace weft::compile
