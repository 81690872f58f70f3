// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dispatch/bound_call.hpp"

namespace weft::dispatch {

/// Finds the call shape from the own shapes of all operands (trailing dimensions aligned, or as mapped;
/// extents equal or 1), rewrites every operand's strides to it, 0 where the operand repeats, and
/// shapes the memory that is allocated for outputs.
/// @throws ArgumentError naming the parameter, its shape and the axis at fault.
void align_operands(BoundCall& call, const CallOptions& options, const BindTarget& target);

} // namespace weft::dispatch
