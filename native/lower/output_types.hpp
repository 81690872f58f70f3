// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lower/tree.hpp"

#include <string_view>

namespace weft::lower {

/// What an output of a node carries, as Blender names it: "FLOAT", "INT", "BOOLEAN", "VECTOR", "RGBA"; "" if that is not known.
[[nodiscard]] std::string_view output_type(const Tree& tree, const Link& link) noexcept;

/// The same of a constant too.
[[nodiscard]] std::string_view source_type(const Tree& tree, const Source& source) noexcept;

} // namespace weft::lower
