// SPDX-License-Identifier: Apache-2.0
// Structures of the host as an array of structures in device memory: a list of dicts, or a dict (a structured array)
// with one array a field.
#pragma once

#include "dispatch/argument.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::dispatch {

/// How many structures of `type` the node holds; nullopt, with the reason in `why`, if it holds something else.
/// Appends what names of enumerators among them stand for to `named`.
[[nodiscard]] std::optional<std::int64_t> count_packed(const ArgumentList& arguments,
                                                       const Node& node, const reflect::Type& type,
                                                       std::vector<NamedNumbers>& named,
                                                       std::string& why);

/// The structures in the layout of `type`. Precondition: count_packed() said `count`.
/// @throws ArgumentError for a number out of its field's range.
[[nodiscard]] std::vector<std::byte> pack_structures(const ArgumentList& arguments,
                                                     const Node& node, const reflect::Type& type,
                                                     std::int64_t count, std::string_view function);

} // namespace weft::dispatch
