// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace weft::core {

/// Drops the three bytes that some editors put in front of UTF-8.
inline void remove_byte_order_mark(std::string& text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (text.starts_with(mark)) {
        text.erase(0, mark.size());
    }
}

} // namespace weft::core
