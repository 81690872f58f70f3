// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"
#include "codegen/print_value.hpp"

#include <string>
#include <vector>

namespace weft::codegen {

/// Slang lines at module scope that make the structures in gradients of whole tensors conform to IAtomicAddable of
/// module weft_diff, field by field. Where the user has declared it as well, Slang takes one of the two.
[[nodiscard]] std::vector<std::string> atomic_extensions(const Kernel& kernel);

/// Lines that add the float `value` to `sum`, a word of group-shared memory that holds the bits of one.
void print_shared_addition(const std::string& sum, const std::string& value, SourceWriter& out);

} // namespace weft::codegen
