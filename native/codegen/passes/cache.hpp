// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Sets Accumulation::cache, Memory::cache and Kernel::caches for the gradients of tensors that a function picks elements
/// from, if they are too large for a table and many calls add to them. Neighbouring calls often add to the same or to
/// neighbouring entries: those of a group meet in its shared memory first.
void cache_additions(Kernel& kernel);

} // namespace weft::codegen
