// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Binds word-addressed memory as storage buffers where the device prefers that; sets Memory::binding and Kernel::storage.
void assign_storage_slots(Kernel& kernel);

} // namespace weft::codegen
