// SPDX-License-Identifier: Apache-2.0
// Memory layout by LayoutRules. Computed here rather than asked of Slang, whose reflection describes
// pointers on CUDA by the SPIR-V rules; tests hold both against the code that Slang emits.
#pragma once

#include "reflect/type.hpp"

namespace weft::reflect {

[[nodiscard]] Layout scalar_layout(ScalarKind kind, LayoutRules rules);
[[nodiscard]] Layout vector_layout(ScalarKind kind, std::int32_t length, LayoutRules rules);
/// Row-major: `rows` vectors of length `columns`.
[[nodiscard]] Layout matrix_layout(ScalarKind kind, std::int32_t rows, std::int32_t columns,
                                   LayoutRules rules);
[[nodiscard]] Layout array_layout(const Layout& element, std::int64_t count);
[[nodiscard]] Layout pointer_layout();
/// Sets the offset of every field and returns the layout of the structure.
[[nodiscard]] Layout place_fields(std::vector<Field>& fields, LayoutRules rules);

} // namespace weft::reflect
