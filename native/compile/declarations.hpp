// SPDX-License-Identifier: Apache-2.0
// Where the variables of a function are declared, and where they can be seen.
#pragma once

#include "compile/differentiable_bodies.hpp"

#include <cstddef>
#include <string_view>

namespace weft::compile {

/// True if what is declared at `name` (a parameter, too) can be seen at a token of the same function.
[[nodiscard]] bool is_in_scope(const TokenList& tokens, const DifferentiableBody& body,
                               std::size_t name, std::size_t at);
/// The declaration of a name that a token of the function sees; npos if the function has none.
[[nodiscard]] std::size_t find_declaration(const TokenList& tokens, const DifferentiableBody& body,
                                           std::string_view name, std::size_t at);
/// The first token of what declares a name: of `float` in `(int k, float a)` and in `float a, b`.
[[nodiscard]] std::size_t declaration_begin(const TokenList& tokens, std::size_t name);
/// `IShape`, by the convention of Slang's own modules.
[[nodiscard]] bool is_interface_name(std::string_view name);

} // namespace weft::compile
