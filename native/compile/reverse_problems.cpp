// SPDX-License-Identifier: Apache-2.0
#include "compile/reverse_problems.hpp"

#include "compile/differentiable_bodies.hpp"
#include "compile/reverse_mode.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <set>

namespace weft::compile {

using core::text;

namespace {

using Problems = std::map<std::string, std::string, std::less<>>;

/// A problem of a function that is one of some words.
Problems::const_iterator find_named(const std::set<std::string_view>& words,
                                    const Problems& problems) {
    const auto word =
        std::ranges::find_if(words, [&](std::string_view name) { return problems.contains(name); });
    return word == words.end() ? problems.end() : problems.find(*word);
}

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
            const auto callee = find_named(words, problems);
            if (callee != problems.end() && !problems.contains(name)) {
                problems[name] = text("it calls '", callee->first, "'; ", callee->second);
                is_growing = true;
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
