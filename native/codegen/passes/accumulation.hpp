// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Sets Operand::accumulation of every gradient_out by how many calls share an element, and Kernel::is_persistent
/// where a sum over the group pays.
void choose_accumulation(Kernel& kernel);

} // namespace weft::codegen
