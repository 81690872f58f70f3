// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Sets is_tiled where an operand runs along another dimension than the innermost one.
void choose_tiling(Kernel& kernel);

} // namespace weft::codegen
