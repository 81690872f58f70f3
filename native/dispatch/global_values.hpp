// SPDX-License-Identifier: Apache-2.0
// The values of module-scope uniforms, buffers and pointers, given by set().
#pragma once

#include "dispatch/plan.hpp"

namespace weft::dispatch {

/// Adds to `plan` what fills the block of uniforms that its kernel reads: steps, sources and buffers.
/// @throws ArgumentError that names the function and the uniform: one that is read has no value, or one that does
///         not fit its type.
void add_globals(const BoundCall& call, const ArgumentList& arguments, LaunchPlan& plan);

} // namespace weft::dispatch
