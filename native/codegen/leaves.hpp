// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reflect/type.hpp"

#include <optional>
#include <string>
#include <vector>

namespace weft::codegen {

/// One scalar inside a value: how Slang reaches it from a variable, and where it lies in memory.
struct ScalarLeaf {
    std::string path; ///< "", ".x", "[1][2]", ".albedo[0]"
    reflect::ScalarKind kind = reflect::ScalarKind::void_;
    std::size_t offset = 0;  ///< bytes, in the layout rules of the type
    std::size_t size = 0;    ///< bytes there: a bool may take 4
    std::string enumeration; ///< full name of the enumeration type, "" for plain scalars
};

/// The scalars of a value in memory order.
/// Empty optional if the type holds anything but scalars (a pointer, a resource, an interface).
[[nodiscard]] std::optional<std::vector<ScalarLeaf>> scalar_leaves(const reflect::Type& type);

/// The number of 32-bit words of a type that consists of 4-byte scalars without padding, else empty.
[[nodiscard]] std::optional<std::int64_t> word_count(const reflect::Type& type);

} // namespace weft::codegen
