// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

#include <string>
#include <vector>

namespace weft::codegen {

/// Slang lines at module scope that make the structures in gradients of whole tensors conform to IAtomicAddable of
/// module weft_diff, field by field. Where the user has declared it as well, Slang takes one of the two.
[[nodiscard]] std::vector<std::string> atomic_extensions(const Kernel& kernel);

} // namespace weft::codegen
