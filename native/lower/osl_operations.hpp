// SPDX-License-Identifier: Apache-2.0
// Operations as OSL's expressions, and the functions that shaders bring along for those that OSL has not, or has too roughly.
#pragma once

#include "dag/graph.hpp"

#include <set>
#include <string>
#include <string_view>

namespace weft::lower::osl {

/// An expression with $0, $1, $2 for the arguments, each once.
struct Form {
    std::string text;
    bool is_call = false; ///< arguments need no parentheses, nor does the whole
};

/// @throws core::ArgumentError, beginning with "lower: ", for what OSL cannot compute.
[[nodiscard]] Form form_of(const dag::Graph& graph, const dag::Node& node);

/// The words of a constant.
[[nodiscard]] std::string literal(const dag::Node& node);

/// The definitions of the functions that a text calls, and of those that they call.
[[nodiscard]] std::string helpers_for(std::string_view text);

} // namespace weft::lower::osl
