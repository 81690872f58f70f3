// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace weft::scene {

/// Texts by name.
using TemplateValues = std::map<std::string, std::string, std::less<>>;

/// `pattern` with the text of a name for each "{name}" that `values` has. Other braces stay; what is filled in is not
/// looked at again.
[[nodiscard]] std::string fill_template(std::string_view pattern, const TemplateValues& values);

} // namespace weft::scene
