// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

namespace weft::codegen {

/// Creates Kernel::arguments with final offsets: 8-byte fields first, so that every target lays the block out alike.
void lay_out_arguments(Kernel& kernel);

} // namespace weft::codegen
