// SPDX-License-Identifier: Apache-2.0
// Changes of a source text that are found in any order and made at once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::compile {

/// `removed` characters at `at` give way to `inserted`.
struct TextEdit {
    std::size_t at = 0;
    std::size_t removed = 0;
    std::string inserted;
};

/// @param edits: none removes what another one touches; those at one place are made in their order.
[[nodiscard]] std::string apply_edits(std::string_view source, std::vector<TextEdit> edits);

} // namespace weft::compile
