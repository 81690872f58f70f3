// SPDX-License-Identifier: Apache-2.0
// Functions that Slang would differentiate wrongly, without a word, and whose text cannot be changed so that it does not.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::compile {

/// Why reverse mode of a function cannot be trusted.
struct ReverseProblem {
    std::string function;
    int line = 0;       ///< 1-based
    std::string reason; ///< what stands there, and what to do
};

/// A user's file, as it was written.
struct UserText {
    std::string_view path; ///< or the name of the module
    std::string_view text;
};

/// By the name of a function, a clause with file and line: what stands in differentiable functions of `texts`, and in those that
/// name such a function, over any number of steps. Names alone decide: two functions of one name share their problems.
/// @param repaired: whether Slang reads the texts repaired (reverse_mode.hpp).
[[nodiscard]] std::map<std::string, std::string, std::less<>>
find_reverse_problems(std::span<const UserText> texts, bool repaired);

/// The same for forward mode: functions for which `texts` have a derivative of reverse mode alone, to which Slang gives
/// the tangent 0, those in which constants would have to be changed (constant_values.hpp) and are not, and those that name them.
/// @param repaired: whether Slang reads the texts repaired.
[[nodiscard]] std::map<std::string, std::string, std::less<>>
find_forward_problems(std::span<const UserText> texts, bool repaired);

} // namespace weft::compile
