// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Sets Kernel::dimensions: the call shape with size-1 dimensions dropped and jointly contiguous ones merged.
void collapse_dimensions(Kernel& kernel);

} // namespace weft::codegen
