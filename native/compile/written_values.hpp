// SPDX-License-Identifier: Apache-2.0
// What a call writes into an `out` or `inout` argument is loaded once, behind the call. Slang 2026.12 stores, rather than adds, the
// gradient that the last block of a function hands to such a load (transposeLoad in slang-ir-autodiff-transpose.cpp), and clears it only
// where a block hands one: if a loop reads the value, the gradients of all rounds but one are lost, and if a round of a loop reads it under a
// condition only, the others get the gradient of an earlier one, without a word. `float s, c; sincos(x, s, c); for (...) y += s;` is
// such a case. The result of another call is summed as it should be.
#pragma once

#include "compile/differentiable_bodies.hpp"
#include "compile/file_names.hpp"
#include "compile/reverse_problems.hpp"
#include "compile/text_edits.hpp"

#include <vector>

namespace weft::compile {

/// Puts `v = weft_read(v, place);` (shaders/weft/parameter.slang) behind every statement of a function with loops in which a call may
/// write v, if v is read afterwards; in braces where only one statement may stand. Where it would have to stand in a condition is a
/// problem. No line moves. The edits come first at their places: make those inside the statements later.
void repair_written_values(const TokenList& tokens, const DifferentiableBody& body,
                           const FileNames& names, std::vector<TextEdit>& edits,
                           std::vector<ReverseProblem>& problems);

} // namespace weft::compile
