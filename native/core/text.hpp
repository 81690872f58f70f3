// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace weft::core {

/// Concatenates the parts with operator<< : text("got ", 3, " of ", name).
template <typename... Parts>
[[nodiscard]] std::string text(const Parts&... parts) {
    std::ostringstream stream;
    (stream << ... << parts);
    return std::move(stream).str();
}

/// Of ASCII, whatever the locale is; other bytes are returned as they are.
[[nodiscard]] constexpr char to_lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] std::string to_lower(std::string_view text);

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// A letter or a digit of ASCII, or '_': what names in C++ and Slang are made of.
[[nodiscard]] constexpr bool is_name_character(char c) noexcept {
    return c == '_' || is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// Whether no character of a name stands before or behind [at, at + size), a part of `text`.
[[nodiscard]] bool is_whole_word(std::string_view text, std::size_t at, std::size_t size) noexcept;

/// Offset of the first whole word `word` that begins at `from` or behind it; npos if there is none,
/// or if `word` is empty.
[[nodiscard]] std::size_t find_word(std::string_view text, std::string_view word,
                                    std::size_t from = 0) noexcept;
[[nodiscard]] bool has_word(std::string_view text, std::string_view word) noexcept;

/// "a, b, c".
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

/// "(4, 3)"; one dimension prints as "(4,)" as Python does.
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape);

/// The entries of `candidates` within a small edit distance of `name`, best first, at most three.
[[nodiscard]] std::vector<std::string> near_misses(std::string_view name,
                                                   std::span<const std::string> candidates);

/// ". Did you mean 'a' or 'b'?" for near misses, else "".
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<const std::string> candidates);

/// Byte offset of the first byte that is not part of well-formed UTF-8, or npos if all of it is.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view bytes) noexcept;

} // namespace weft::core
