// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Decides how each memory operand is addressed: as 32-bit words or through a typed pointer, and by which index.
void classify_memory(Kernel& kernel);

} // namespace weft::codegen
