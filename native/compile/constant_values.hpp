// SPDX-License-Identifier: Apache-2.0
// Three ways in which Slang 2026.12 gives a wrong derivative, without a word, of a variable that holds what has none:
// - An element-wise change of a constant vector or array (`float3 h = 0.f; h.x = x;`) has the type of the constant, whose rate says that
//   it is known at compile time. Behind a branch or a loop, forward mode adds the value of h to its derivative (emitUpdateElement in
//   slang-ir.cpp, allocateRegisters in slang-ir-ssa-register-allocate.cpp).
// - An `inout` argument without derivative (`float q = 0.4f; push(q, x);`) is a pair whose derivative forward mode leaves undefined:
//   zero in C++ and CUDA, anything in SPIR-V.
// - An `inout` parameter that is set to what has no derivative (`a = 0.5f;`) keeps the one that it came with, in both modes.
// What a call of a differentiable function returns has a derivative, zero if need be.
#pragma once

#include "compile/differentiable_bodies.hpp"
#include "compile/file_names.hpp"
#include "compile/text_edits.hpp"

#include <vector>

namespace weft::compile {

/// Writes `h = weft_read(0.f, place)`, shaders/weft/parameter.slang, for `h = 0.f` where h is one of these variables: for all
/// that is assigned to what calls may write, for the whole (the first value of a list) of what is changed in part. No line moves.
void repair_constant_values(const TokenList& tokens, const DifferentiableBody& body,
                            const FileNames& names, std::vector<TextEdit>& edits);

} // namespace weft::compile
