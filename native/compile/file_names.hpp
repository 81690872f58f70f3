// SPDX-License-Identifier: Apache-2.0
// What the declarations of a file tell, and the few shapes of Slang's grammar that repairs of a source look for.
#pragma once

#include "compile/slang_tokens.hpp"

#include <map>
#include <set>
#include <string_view>

namespace weft::compile {

/// Names of a file that decide what has a gradient and what is written.
struct FileNames {
    std::set<std::string_view> types;     ///< structures, interfaces, aliases, generic parameters
    std::set<std::string_view> constants; ///< static const variables
    std::set<std::string_view>
        without_gradient; ///< variables, parameters and fields: of integers, buffers, tensors
    std::set<std::string_view> mutating; ///< methods that change their object
    /// The places (from 0) of out and inout parameters, of all functions of a name.
    std::map<std::string_view, std::set<std::size_t>> written_parameters;
    std::set<std::string_view> functions; ///< declared here, methods included
    bool has_other_texts = false; ///< it imports or includes: functions may be declared elsewhere
};

[[nodiscard]] FileNames read_names(const TokenList& tokens);

/// True for a keyword after which a name is used, not declared.
[[nodiscard]] bool is_statement_word(std::string_view word);
/// True for `=`, `+=` and their kin.
[[nodiscard]] bool is_assignment(std::string_view sign);
/// True if what stands from `begin` to `end` is assigned to, or counted up or down.
[[nodiscard]] bool is_changed(const TokenList& tokens, std::size_t begin, std::size_t end);
/// True if what stands from `begin` to `end` may be all of a parameter or an argument.
[[nodiscard]] bool is_whole_argument(const TokenList& tokens, std::size_t begin, std::size_t end);
/// The first token of the statement or list that holds a token, `least` at the lowest.
[[nodiscard]] std::size_t statement_begin(const TokenList& tokens, std::size_t at,
                                          std::size_t least);
/// True for `float3`, `int4x4`, `vector` and their kin.
[[nodiscard]] bool is_core_type(std::string_view word);
/// True for `float`, `half3`, `double2x2` and their kin.
[[nodiscard]] bool is_floating_type(std::string_view word);
/// True for `float`, `half` and `double`.
[[nodiscard]] bool is_floating_scalar(std::string_view word);
/// Behind the rest of `a.b[i]`, from behind its first name or index on.
[[nodiscard]] std::size_t chain_end(const TokenList& tokens, std::size_t at);
/// Behind the type that begins at a word: `float`, `a.b`, `vector<float, 3>`, `float[8]`.
[[nodiscard]] std::size_t type_end(const TokenList& tokens, std::size_t at);
/// The name of the function whose parameters or arguments open at `open`; npos if there is none.
[[nodiscard]] std::size_t function_name(const TokenList& tokens, std::size_t open);
/// The bracket around a token that opens with `sign`; npos if none does in its statement.
[[nodiscard]] std::size_t enclosing(const TokenList& tokens, std::size_t at, std::string_view sign);
/// True for the name in `float x[8]`, and for each in `float a[2], b`.
[[nodiscard]] bool is_declaration(const TokenList& tokens, std::size_t name);
/// How many arguments or parameters stand before `at` in the list that opens at `open`.
[[nodiscard]] std::size_t argument_index(const TokenList& tokens, std::size_t open, std::size_t at);
/// True if a function of that name, declared in the file or in Slang's core module, writes its argument at `index` (from 0).
[[nodiscard]] bool writes_argument(const FileNames& names, std::string_view function,
                                   std::size_t index);

/// True for functions of Slang's core module that write no argument, as far as differentiable code calls them.
[[nodiscard]] bool is_pure(const FileNames& names, std::string_view function);
/// True for macros, and for functions of other files, of which nothing is known here.
[[nodiscard]] bool may_write_arguments(const TokenList& tokens, const FileNames& names,
                                       std::string_view function);

} // namespace weft::compile
