// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Sets Operand::accumulation of every gradient_out by how many calls share an element, and Kernel::is_persistent
/// where a sum over the group pays.
void choose_accumulation(Kernel& kernel);

/// Whether what the function adds to a gradient of a tensor are floats or halves at offsets from its first scalar on.
[[nodiscard]] bool adds_scalars_forward(const Operand& tensor, const Operand& gradient);

} // namespace weft::codegen
