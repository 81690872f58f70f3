// SPDX-License-Identifier: Apache-2.0
#include "compile/loop_statements.hpp"

#include <algorithm>

namespace weft::compile {

std::vector<LoopStatement> find_loop_statements(const TokenList& tokens,
                                                const DifferentiableBody& body) {
    std::vector<LoopStatement> loops;
    std::vector<std::size_t> ends_of_do; // their `while` begins no loop
    for (std::size_t i = body.opening + 1; i < body.closing; ++i) {
        const std::string_view word = tokens.text(i);
        const bool is_loop = is_one_of(word, "for", "while", "do");
        if (!is_loop || std::ranges::find(ends_of_do, i) != ends_of_do.end()) {
            continue;
        }
        LoopStatement loop{.keyword = i, .begin = i, .end = tokens.statement_end(i)};
        if (word == "do") {
            ends_of_do.push_back(tokens.statement_end(i + 1));
        }
        while (loop.begin > 0 && tokens.text(loop.begin - 1) == "]") {
            const std::size_t open = tokens.partner(loop.begin - 1);
            if (open == TokenList::npos || !tokens.opens_attribute(open)) {
                break;
            }
            loop.begin = open;
        }
        loops.push_back(loop);
    }
    return loops;
}

} // namespace weft::compile
