// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Runs the passes; afterwards every "decided by the passes" member of `kernel` is set.
void lower(Kernel& kernel);

} // namespace weft::codegen
