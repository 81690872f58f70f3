// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Sets width, has_tail and Memory::is_wide: as many elements a thread as make 16-byte accesses, where that pays.
void choose_vector_width(Kernel& kernel);

} // namespace weft::codegen
