// SPDX-License-Identifier: Apache-2.0
// Names of a file that stand for memory which functions can write and which has no gradient.
#pragma once

#include "compile/slang_tokens.hpp"

#include <set>
#include <string_view>
#include <vector>

namespace weft::compile {

/// What a parameter of a function is to its caller.
struct MemoryParameter {
    std::string_view name;
    std::size_t at = 0;      ///< its token
    bool is_written = false; ///< out, inout
    bool is_read = true;     ///< false for out
};

/// A function with a body; indices of tokens.
struct FunctionText {
    std::string_view name;
    std::vector<MemoryParameter> parameters;
    std::size_t head = 0; ///< the `(` of its parameters
    std::size_t opening = 0;
    std::size_t closing = 0;
};

/// A file with its declarations. What it holds are views of `source`.
struct MemoryText {
    explicit MemoryText(std::string_view source);

    TokenList tokens;
    std::vector<FunctionText> functions;
    /// Names in declarations of variables, parameters and fields of writable buffers, tensors without gradients and pointers.
    std::set<std::size_t> memory;
};

/// Names that mean the same in all files.
struct MemoryNames {
    std::set<std::string_view> memory;    ///< at module scope and in structures
    std::set<std::string_view> variables; ///< static ones, which a thread keeps between calls
    std::set<std::string_view> mutating;  ///< methods
    std::set<std::string_view> types;
};

/// Adds the names of a file.
void add_names(const MemoryText& file, MemoryNames& names);

/// True for the name in a declaration. `b` is none in `float a = x * b[0]`.
[[nodiscard]] bool declares(const TokenList& tokens, std::size_t name);

} // namespace weft::compile
