// SPDX-License-Identifier: Apache-2.0
// Names of enumerators, in place of their numbers.
#pragma once

#include "dispatch/argument.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace weft::dispatch {

/// Text of the caller for a message: in quotes, control characters escaped, the end of a long one left out.
[[nodiscard]] std::string quoted_text(std::string_view given);
/// The numbers of the names that a node has; nullopt, with the reason in `why`, if the values of `type` are of no
/// enumeration or lack one of the names.
[[nodiscard]] std::optional<NamedNumbers> find_numbers(const ArgumentList& arguments,
                                                       std::uint32_t node,
                                                       const reflect::Type& type, std::string& why);

} // namespace weft::dispatch
