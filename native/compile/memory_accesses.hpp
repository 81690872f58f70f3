// SPDX-License-Identifier: Apache-2.0
// Where a function reads and writes memory that has no gradient.
#pragma once

#include "compile/memory_names.hpp"

#include <map>
#include <string>

namespace weft::compile {

/// What a call does to one of its arguments, or to memory at module scope.
struct MemoryUse {
    bool reads = false; ///< what the call itself has not written before
    bool writes = false;
};

/// By parameter_key() or by the name of memory at module scope.
using FunctionMemory = std::map<std::string, MemoryUse, std::less<>>;

[[nodiscard]] std::string parameter_key(std::size_t index);

/// What is known of functions, by name: overloads are one.
struct KnownMemory {
    std::map<std::string_view, FunctionMemory> uses;
    std::map<std::string_view, std::vector<const FunctionText*>> signatures;
};

/// All positions are indices of tokens.
struct MemoryAccess {
    std::string key;          ///< one for what is one memory
    std::string_view name;    ///< as it stands there, or the function that is called
    std::string_view element; ///< the index as text, "" if it cannot be told
    bool reads = false;
    bool writes = false;
    bool is_store =
        false; ///< writes all of the element in a statement of its own, and in each run of its block
    bool is_local = false; ///< memory that the function declares, its parameters included
    std::size_t begin = 0;
    std::size_t name_end = 0;   ///< behind `t[i]`
    std::size_t end = 0;        ///< of a store, behind its statement: what is stored is read before
    std::size_t block_end = 0;  ///< the `}` of the block around a store
    std::size_t loop_begin = 0; ///< of the outermost loop around
    std::size_t loop_end = 0;   ///< 0 without a loop
};

/// In the order of the text.
[[nodiscard]] std::vector<MemoryAccess> find_accesses(const MemoryText& file,
                                                      const FunctionText& function,
                                                      const MemoryNames& names,
                                                      const KnownMemory& known);

} // namespace weft::compile
