// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lower/tree.hpp"

#include <string_view>

namespace weft::lower {

/// What an output of a node carries, as Blender names it: "FLOAT", "INT", "BOOLEAN", "VECTOR", "RGBA", "MATRIX", "BUNDLE"; ""
/// if that is not known.
[[nodiscard]] std::string_view output_type(const Tree& tree, const Link& link);

/// The same of a constant too.
[[nodiscard]] std::string_view source_type(const Tree& tree, const Source& source);

/// The same of a socket of a group: "FLOAT" of "NodeSocketFloat".
[[nodiscard]] std::string_view data_type(std::string_view socket) noexcept;

} // namespace weft::lower
