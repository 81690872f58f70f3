// SPDX-License-Identifier: Apache-2.0
// Functions that stand for the called one where a derivative is taken of it.
#pragma once

#include "codegen/kernel.hpp"
#include "codegen/print_value.hpp"

#include <string>

namespace weft::codegen {

/// Where a backward kernel that keeps_result() finds the result, after bwd_diff.
inline constexpr const char* kKeptResult = "weft_kept_result";

/// Whether the derivative hands out the result, which its forward part computes anyway: functions of numbers and vectors,
/// on GPUs. Otherwise the function runs once more for it.
[[nodiscard]] bool keeps_result(const Kernel& kernel);

/// What fwd_diff and bwd_diff take.
[[nodiscard]] std::string derived_callee(const Kernel& kernel);

/// At module scope: that function, if it is not the called one.
void print_derived_callee(const Kernel& kernel, SourceWriter& out);

} // namespace weft::codegen
