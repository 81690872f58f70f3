// SPDX-License-Identifier: Apache-2.0
// Slang 2026.12 never finishes bwd_diff of a function that uses a parameter of an interface type in a branch or a
// loop; a generic parameter with that interface as its constraint works. So differentiable functions are read
// by Slang with generic tensor parameters, and reflected as they were written.
#pragma once

#include <string>
#include <string_view>

namespace weft::compile {

/// What the names of these generic parameters begin with.
inline constexpr std::string_view kTensorGeneric = "weft_tensor_";

/// `text` with `[Differentiable] void f(IDiffTensor<float, 1> x)` written as
/// `[Differentiable] void f<weft_tensor_0 : IDiffTensor<float, 1>>(weft_tensor_0 x)`. Functions that are generic
/// already stay as they are. Lines stay where they are.
[[nodiscard]] std::string make_tensor_parameters_generic(std::string_view text);

} // namespace weft::compile
