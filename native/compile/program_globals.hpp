// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/session.hpp"

namespace weft::compile {

/// Fills `out.globals` and what belongs to it, and `out.unbound`, from `out.code` and the reflection of `program`.
void read_program_globals(Session& session, slang::IComponentType* program, KernelCode& out);

} // namespace weft::compile
