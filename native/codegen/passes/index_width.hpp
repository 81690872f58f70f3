// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Sets is_index64 if a count or an offset passes 2^31, or an operand reaches beyond 4 GiB.
void choose_index_width(Kernel& kernel);

} // namespace weft::codegen
