// SPDX-License-Identifier: Apache-2.0
// Types of Slang's that have no fields of their own, and the structures that Slang lowers them to.
#pragma once

#include "reflect/type.hpp"

namespace weft::reflect {

/// Optional<T>: a structure of `value` and the bool `hasValue`.
[[nodiscard]] inline bool is_optional(const Type& type) noexcept {
    return type.kind == TypeKind::structure && type.full_name.starts_with("Optional<") &&
           type.fields.size() == 2 && type.fields[1].name == "hasValue";
}

/// Tuple<...>: a structure of `value0`, `value1`, ...
[[nodiscard]] inline bool is_tuple(const Type& type) noexcept {
    return type.kind == TypeKind::structure && type.full_name.starts_with("Tuple<") &&
           !type.fields.empty() && type.fields[0].name == "value0";
}

} // namespace weft::reflect
