// SPDX-License-Identifier: Apache-2.0
// Slang 2026.12 (and 2025.21 to 2026.14) keeps the values that reverse mode needs of a loop in a loop in arrays T[outer][inner],
// and addresses them [inner][outer]: a derivative is wrong, without a word, where the two bounds differ. The bounds are those
// of [MaxIters], or what Slang reads from the head of the loop. With larger ones the addresses stay within the array.
#pragma once

#include "compile/differentiable_bodies.hpp"
#include "compile/reverse_problems.hpp"
#include "compile/text_edits.hpp"

#include <string>
#include <vector>

namespace weft::compile {

/// Gives the loops of each nest in `body` one bound, the largest of theirs, a [MaxIters] each, and writes `while` and `do` in a nest as `for`: a
/// `while` around a loop ends the compiler, and kinds of loops count their rounds differently. Loops that the user unrolls
/// ([ForceUnroll]) and loops without another one stay as they are. No line moves.
void repair_loop_nests(const TokenList& tokens, const DifferentiableBody& body,
                       std::vector<TextEdit>& edits, std::vector<ReverseProblem>& problems);

} // namespace weft::compile
