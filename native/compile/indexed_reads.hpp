// SPDX-License-Identifier: Apache-2.0
// Slang 2026.12 collects the gradients of what a block reads of an array, a vector or a matrix by index expression: each one's sum
// is stored, not added, so that of two expressions with one value (`2.f * x[i] + 3.f * x[j]`, i = j) a gradient is lost, without a
// word. What a call returns is read at one place only, so differentiable functions are read by Slang with
// `weft_read(x, place)[i]` for `x[i]`; a place of its own keeps Slang from making one call of two.
#pragma once

#include "compile/differentiable_bodies.hpp"
#include "compile/file_names.hpp"
#include "compile/text_edits.hpp"

#include <vector>

namespace weft::compile {

/// Sends what is read by an index through weft_read (shaders/weft/parameter.slang) in `body`. Places that are written, reads by literals
/// (unless the same array is written by an index), what has no gradient and the only read of a function stay as they are. No line moves.
void repair_indexed_reads(const TokenList& tokens, const DifferentiableBody& body,
                          const FileNames& names, std::vector<TextEdit>& edits);

} // namespace weft::compile
