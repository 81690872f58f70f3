// SPDX-License-Identifier: Apache-2.0
#include "compile/reverse_problems.hpp"

#include "compile/differentiable_bodies.hpp"
#include "compile/reverse_mode.hpp"
#include "core/text.hpp"

#include <set>

namespace weft::compile {

using core::text;

namespace {

using Problems = std::map<std::string, std::string, std::less<>>;

/// Adds the callers of functions in `problems` until there is no new one.
void spread(std::span<const UserText> texts, Problems& problems) {
    std::vector<std::pair<std::string, std::set<std::string_view>>> callers;
    for (const UserText& file : texts) {
        const TokenList tokens(file.text);
        for (const DifferentiableBody& body : find_differentiable_bodies(tokens)) {
            auto& caller =
                callers.emplace_back(std::string(body.name), std::set<std::string_view>());
            for (std::size_t i = body.opening; i < body.closing; ++i) {
                caller.second.insert(tokens.text(i));
            }
        }
    }
    for (bool is_growing = true; is_growing;) {
        is_growing = false;
        for (const auto& [name, words] : callers) {
            for (const std::string_view word : words) {
                const auto callee = problems.find(word);
                if (callee != problems.end() && !problems.contains(name)) {
                    problems[name] = text("it calls '", word, "'; ", callee->second);
                    is_growing = true;
                    break;
                }
            }
        }
    }
}

} // namespace

Problems find_reverse_problems(std::span<const UserText> texts, bool repaired) {
    Problems problems;
    for (const UserText& file : texts) {
        ReverseModeText result = repair_reverse_mode(file.text);
        for (const ReverseProblem& problem : repaired ? result.problems : result.changes) {
            problems.try_emplace(problem.function,
                                 text("reverse mode of Slang would be wrong at ", file.path, ":",
                                      problem.line, ": ", problem.reason));
        }
    }
    if (!problems.empty()) {
        spread(texts, problems);
    }
    return problems;
}

} // namespace weft::compile
