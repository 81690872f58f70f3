// SPDX-License-Identifier: Apache-2.0
// Slang 2026.12 loses gradients where a number that a loop has changed is multiplied with a vector or matrix behind the loop, or
// divides it or is divided by it: `for (...) a += x; return a * v;`. Reverse mode makes a vector of the number where the number was
// made (promoteOperandsToTargetType in slang-ir-autodiff-transpose.cpp), in the loop, and its use behind the loop sees none of
// it. The result of a call behind the loop is made there. (Slang 12095 mends it, after 2026.12.)
#pragma once

#include "compile/differentiable_bodies.hpp"
#include "compile/file_names.hpp"
#include "compile/text_edits.hpp"

#include <vector>

namespace weft::compile {

/// Puts `a = weft_read(a, place);` (shaders/weft/parameter.slang) behind every loop that may change the number a, if a is mentioned
/// behind it, and something multiplied or divided; in braces where only one statement may stand. What may be a number (`var a`,
/// types of other files) is one. No line moves. The edits come behind those of repair_written_values, and before all that
/// change heads of loops.
void repair_carried_numbers(const TokenList& tokens, const DifferentiableBody& body,
                            const FileNames& names, std::vector<TextEdit>& edits);

} // namespace weft::compile
