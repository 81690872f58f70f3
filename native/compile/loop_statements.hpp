// SPDX-License-Identifier: Apache-2.0
// Where a function has its loops.
#pragma once

#include "compile/differentiable_bodies.hpp"

#include <vector>

namespace weft::compile {

/// All are indices of tokens.
struct LoopStatement {
    std::size_t keyword = 0; ///< `for`, `while` or `do`
    std::size_t begin = 0;   ///< its first attribute, or the keyword
    std::size_t end = 0;     ///< behind its last token
};

/// In the order of the text: a loop stands before those in it.
[[nodiscard]] std::vector<LoopStatement> find_loop_statements(const TokenList& tokens,
                                                              const DifferentiableBody& body);

} // namespace weft::compile
