// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Sets Memory::stage of elements whose size is no power of two or exceeds 16 bytes: neighbouring threads of a
/// GPU would each use a part of every memory transaction. The group moves them word by word, side by side,
/// and each thread takes its element out of group-shared memory.
void stage_structures(Kernel& kernel);

} // namespace weft::codegen
