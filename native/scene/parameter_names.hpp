// SPDX-License-Identifier: Apache-2.0
// How the name of a parameter is written. A name is parts with dots between them: owner, then the way to the number. A
// part stands between double quotes where it would be read as something else: if it is empty, has a dot, a quote, a
// backslash, a bracket, a colon, an at sign or a control character, or begins or ends with white space. So
// "Material.001".Math.inputs[1] has three parts, the first with a dot in it.
#pragma once

#include "core/api.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::scene {

/// A part of a name as it is written.
[[nodiscard]] WEFT_API std::string quoted_part(std::string_view part);

/// The name of parts.
[[nodiscard]] WEFT_API std::string join_name(std::span<const std::string> parts);

/// The parts of a name, without quotes.
/// @throws ArgumentError if the name is empty, or a quote in it is not closed.
[[nodiscard]] WEFT_API std::vector<std::string> split_name(std::string_view name);

/// The first part of a name without quotes, and the rest as it is written; "": there is none.
struct NameHead {
    std::string owner;
    std::string rest;
};
/// @throws ArgumentError if a quote is not closed.
[[nodiscard]] WEFT_API NameHead split_owner(std::string_view name);

} // namespace weft::scene
