// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Sets width = 4 and Memory::is_wide where 16-byte accesses are possible and pay.
void choose_vector_width(Kernel& kernel);

} // namespace weft::codegen
