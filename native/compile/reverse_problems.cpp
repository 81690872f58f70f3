// SPDX-License-Identifier: Apache-2.0
#include "compile/reverse_problems.hpp"

#include "compile/differentiable_bodies.hpp"
#include "compile/file_names.hpp"
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

/// Behind the groups of attributes that begin at a `[`.
std::size_t attributes_end(const TokenList& tokens, std::size_t begin) {
    std::size_t end = begin;
    while (tokens.text(end) == "[" && tokens.partner(end) != TokenList::npos) {
        end = tokens.partner(end) + 1;
    }
    return end;
}

/// The function that is declared from a token on, "" if none is.
std::string_view declared_function(const TokenList& tokens, std::size_t begin) {
    for (std::size_t i = begin; i < tokens.size(); ++i) {
        const std::string_view sign = tokens.text(i);
        if (sign == ";" || sign == "{") {
            return {};
        }
        if (sign == "(") {
            const std::size_t name = function_name(tokens, i);
            return name == TokenList::npos ? std::string_view() : tokens.text(name);
        }
    }
    return {};
}

/// Which functions of a file have a derivative of each mode; places of tokens.
struct Derivatives {
    std::map<std::string_view, std::size_t> reverse; ///< given by a function of the user's
    std::set<std::string_view> forward;
};

/// The word in front of the `)` of the arguments that open at `open`, "" if none do.
std::string_view last_argument(const TokenList& tokens, std::size_t open) {
    const bool is_closed = tokens.text(open) == "(" && tokens.partner(open) != TokenList::npos;
    return is_closed ? tokens.text(tokens.partner(open) - 1) : std::string_view();
}

void read_derivatives(const TokenList& tokens, Derivatives& found) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens.text(i) != "[" || !tokens.opens_attribute(i)) {
            continue;
        }
        const std::size_t end = attributes_end(tokens, i);
        const std::string_view name = declared_function(tokens, end);
        for (std::size_t k = i; k < end; ++k) {
            const std::string_view word = tokens.text(k);
            const std::string_view other = last_argument(tokens, k + 1);
            if (word == "BackwardDerivative") {
                found.reverse.try_emplace(name, k);
            } else if (word == "BackwardDerivativeOf") {
                found.reverse.try_emplace(other, k);
            } else if (word == "ForwardDerivativeOf") {
                found.forward.insert(other);
            } else if (is_one_of(word, "Differentiable", "ForwardDifferentiable",
                                 "ForwardDerivative")) {
                found.forward.insert(name);
            }
        }
        i = std::max(i, end - 1);
    }
}

} // namespace

Problems find_forward_problems(std::span<const UserText> texts, bool repaired) {
    Problems problems;
    for (const UserText& file : texts) {
        const TokenList tokens(file.text);
        for (const ReverseProblem& problem : repaired
                                                 ? std::vector<ReverseProblem>()
                                                 : repair_reverse_mode(file.text).forward_changes) {
            problems.try_emplace(problem.function,
                                 text("forward mode of Slang would be wrong at ", file.path, ":",
                                      problem.line, ": ", problem.reason));
        }
        Derivatives found;
        read_derivatives(tokens, found);
        for (const auto& [name, place] : found.reverse) {
            if (!name.empty() && !found.forward.contains(name)) {
                problems.try_emplace(
                    std::string(name),
                    text("forward mode of Slang would be wrong at ", file.path, ":",
                         tokens.line_of(place), ": '", name,
                         "' has a derivative of reverse mode alone; give it [Differentiable] or "
                         "[ForwardDerivative(...)], too"));
            }
        }
    }
    if (!problems.empty()) {
        spread(texts, problems);
    }
    return problems;
}

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
