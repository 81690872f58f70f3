// SPDX-License-Identifier: Apache-2.0
// Where a source has the bodies of functions that Slang differentiates.
#pragma once

#include "compile/slang_tokens.hpp"

#include <string_view>
#include <vector>

namespace weft::compile {

/// The body of a function (method, accessor) with [Differentiable], [BackwardDifferentiable] or [ForwardDifferentiable] in front, whose
/// derivative is not one that the user wrote. All are indices of tokens.
struct DifferentiableBody {
    std::string_view name;        ///< "get" for an accessor
    std::size_t head = 0;         ///< the `[` of its first attribute
    std::size_t opening = 0;      ///< the `{`
    std::size_t closing = 0;      ///< the `}`
    bool has_reverse_mode = true; ///< false with [ForwardDifferentiable] alone
};

/// In the order of the text; none lies in another.
[[nodiscard]] std::vector<DifferentiableBody> find_differentiable_bodies(const TokenList& tokens);

} // namespace weft::compile
