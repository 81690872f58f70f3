// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Sets Memory::is_ahead where threads reduce along a dimension: what several turns read comes before the first of
/// them is computed, what they write after the last. Sets steps, the number of these turns.
void load_ahead(Kernel& kernel);

} // namespace weft::codegen
