// SPDX-License-Identifier: Apache-2.0
#pragma once

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
