// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace weft::device::cuda {

/// Splits text into words, numbers, strings and single characters; comments and spaces are left out.
class Tokens {
public:
    explicit Tokens(std::string_view text, std::size_t at = 0) : m_text(text), m_at(at) {}

    /// Empty at the end.
    std::string_view next() {
        skip_blank();
        m_first = m_at;
        if (m_at >= m_text.size()) {
            return {};
        }
        const char c = m_text[m_at];
        if (core::is_name_character(c)) {
            while (m_at < m_text.size() && core::is_name_character(m_text[m_at])) {
                ++m_at;
            }
        } else if (c == '"' || c == '\'') {
            skip_quoted(c);
        } else {
            m_at += m_text.substr(m_at, 2) == "##" ? 2 : 1;
        }
        return m_text.substr(m_first, m_at - m_first);
    }

    std::size_t first() const noexcept { return m_first; } ///< of the last token
    std::size_t end() const noexcept { return m_at; }
    void jump(std::size_t at) noexcept { m_at = at; }

    /// The character behind the last token and what is blank.
    char peek() {
        skip_blank();
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }

    /// Goes behind what closes the bracket that comes next.
    void skip_brackets(char open, char close) {
        int depth = 0;
        for (std::string_view token = next(); !token.empty(); token = next()) {
            depth += token.front() == open ? 1 : token.front() == close ? -1 : 0;
            if (depth == 0) {
                return;
            }
        }
    }

private:
    void skip_quoted(char quote) {
        for (++m_at; m_at < m_text.size() && m_text[m_at] != quote; ++m_at) {
            m_at += m_text[m_at] == '\\' ? 1 : 0;
        }
        m_at = std::min(m_at + 1, m_text.size());
    }

    void skip_blank() {
        for (;;) {
            const std::size_t found = m_text.find_first_not_of(" \t\r\n\\", m_at);
            m_at = std::min(found, m_text.size());
            if (m_text.substr(m_at, 2) == "//") {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (m_text.substr(m_at, 2) == "/*") {
                const std::size_t close = m_text.find("*/", m_at + 2);
                m_at = close == std::string_view::npos ? m_text.size() : close + 2;
            } else {
                return;
            }
        }
    }

    std::string_view m_text;
    std::size_t m_at;
    std::size_t m_first = 0;
};

inline bool is_name(std::string_view token) noexcept {
    return !token.empty() && core::is_name_character(token.front()) &&
           !core::is_digit(token.front());
}

} // namespace weft::device::cuda
