// SPDX-License-Identifier: Apache-2.0
// Slang 2026.12 gives an element-wise change of a constant vector or array (`float3 h = 0.f; h.x = x;`) the type of the constant, whose
// rate says that it is known at compile time, and then gives the derivative the variable of the value: behind a branch or a loop, forward
// mode adds the value of h to its derivative, without a word (emitUpdateElement in slang-ir.cpp, allocateRegisters in
// slang-ir-ssa-register-allocate.cpp). What a call returns has no such rate.
#pragma once

#include "compile/differentiable_bodies.hpp"
#include "compile/file_names.hpp"
#include "compile/text_edits.hpp"

#include <vector>

namespace weft::compile {

/// Writes `h = weft_read(0.f, place)` for `h = 0.f` (and for the first value of a list) where elements of h are written elsewhere in
/// `body`, shaders/weft/parameter.slang. No line moves.
void repair_constant_values(const TokenList& tokens, const DifferentiableBody& body,
                            const FileNames& names, std::vector<TextEdit>& edits);

} // namespace weft::compile
