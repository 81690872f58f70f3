// SPDX-License-Identifier: Apache-2.0
// Spaces in texts in UTF-8, those beyond ASCII too.
#pragma once

#include <cstddef>
#include <string_view>

namespace weft::scene {

/// Bytes of the white space that begins at `at`; 0: there is none.
[[nodiscard]] std::size_t space_at(std::string_view text, std::size_t at) noexcept;
/// Bytes of the white space that ends before `end`; 0: there is none.
[[nodiscard]] std::size_t space_before(std::string_view text, std::size_t end) noexcept;
/// Where the white space from `at` on ends.
[[nodiscard]] std::size_t skip_space(std::string_view text, std::size_t at) noexcept;

} // namespace weft::scene
