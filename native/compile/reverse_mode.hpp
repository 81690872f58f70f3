// SPDX-License-Identifier: Apache-2.0
// Faults of Slang's reverse mode that a source can be written around, see docs/decisions/0022-reverse-mode.md.
#pragma once

#include "compile/reverse_problems.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace weft::compile {

struct ReverseModeText {
    std::string text;                     ///< what Slang is to read; lines stay where they are
    std::vector<ReverseProblem> problems; ///< what was left as it is, though it would be wrong
    std::vector<ReverseProblem> changes;  ///< the functions that were changed, a place in each
    std::vector<ReverseProblem> forward_changes; ///< those of them that forward mode needs changed
};

/// `source` with those of its differentiable functions changed that reverse mode would get wrong: bounds of nested loops
/// (loop_nests.hpp), reads by index (indexed_reads.hpp).
[[nodiscard]] ReverseModeText repair_reverse_mode(std::string_view source);

} // namespace weft::compile
