// SPDX-License-Identifier: Apache-2.0
// What a call writes into an `out` or `inout` argument is loaded once, behind the call. Slang 2026.12 stores, rather than adds, the
// gradient that the last block of a function hands to such a load (transposeLoad in slang-ir-autodiff-transpose.cpp): if that block is in
// a loop, the gradients of all rounds but one are lost, without a word. `float s, c; sincos(x, s, c); for (...) y += s;` is such a case.
// The result of another call is summed over the rounds.
#pragma once

#include "compile/differentiable_bodies.hpp"
#include "compile/file_names.hpp"
#include "compile/text_edits.hpp"

#include <vector>

namespace weft::compile {

/// Puts `v = weft_read(v, place);` (shaders/weft/parameter.slang) in front of every loop that mentions a v which a call may have
/// written before, and braces around both. No line moves. The edits come first at their places: make those inside the loops later.
void repair_written_values(const TokenList& tokens, const DifferentiableBody& body,
                           const FileNames& names, std::vector<TextEdit>& edits);

} // namespace weft::compile
