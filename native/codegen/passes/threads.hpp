// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Sets group_count (x, y) so that every element has a thread.
void choose_thread_grid(Kernel& kernel);

} // namespace weft::codegen
