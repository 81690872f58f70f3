// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

#include <string>

namespace weft::codegen {

/// Name of the entry point in every printed kernel.
inline constexpr const char* kEntryPoint = "weft_kernel";

/// Writes a lowered kernel as one Slang module. Equal structure gives equal text: extents and strides are
/// arguments, never literals.
[[nodiscard]] std::string print(const Kernel& kernel);

} // namespace weft::codegen
