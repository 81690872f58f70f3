// SPDX-License-Identifier: Apache-2.0
#include "compile/slang_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace weft::compile {

namespace {

constexpr auto kNone = std::string_view::npos;

/// Signs of two and more characters, longest first. `>>` is left apart: it may close two generics.
constexpr std::array<std::string_view, 21> kLongSigns{
    "<<=", "...", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=",
    "&=",  "|=",  "^=", "++", "--", "&&", "||", "->", "::", "<<"};

bool is_word_start(char c) {
    return c == '_' || c == '$' || std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool is_word_character(char c) {
    return is_word_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Behind the quoted text that begins at `at`.
std::size_t quoted_end(std::string_view source, std::size_t at) {
    const char quote = source[at];
    std::size_t end = at + 1;
    while (end < source.size() && source[end] != quote && source[end] != '\n') {
        end += source[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, source.size());
}

/// True for the `e+` of 1e+3.
bool is_signed_exponent(std::string_view source, std::size_t at) {
    const bool is_exponent = source[at] == 'e' || source[at] == 'E';
    return is_exponent && at + 1 < source.size() &&
           (source[at + 1] == '+' || source[at + 1] == '-');
}

/// Behind the number that begins at `at`: 1, 0x1F, 1.5e-3f, .5.
std::size_t number_end(std::string_view source, std::size_t at) {
    const bool is_hexadecimal =
        source[at] == '0' && at + 1 < source.size() && (source[at + 1] | 0x20) == 'x';
    std::size_t end = at;
    while (end < source.size()) {
        if (!is_word_character(source[end]) && source[end] != '.') {
            break;
        }
        end += !is_hexadecimal && is_signed_exponent(source, end) ? 2 : 1;
    }
    return end;
}

/// Behind the comment that begins at `at`; `at` if none does.
std::size_t comment_end(std::string_view source, std::size_t at) {
    const std::string_view rest = source.substr(at);
    if (rest.starts_with("//")) {
        return std::min(source.find('\n', at), source.size());
    }
    if (rest.starts_with("/*")) {
        const std::size_t end = source.find("*/", at + 2);
        return end == kNone ? source.size() : end + 2;
    }
    return at;
}

bool is_control_word(std::string_view word) {
    return word == "if" || word == "for" || word == "while" || word == "switch" ||
           word == "catch" || word == "foreach";
}

} // namespace

TokenList::TokenList(std::string_view source) : m_source(source) {
    bool is_line_start = true;
    for (std::size_t at = 0; at < source.size();) {
        const char c = source[at];
        const std::size_t behind_comment = comment_end(source, at);
        if (behind_comment > at) {
            at = behind_comment;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\\') {
            is_line_start = is_line_start || c == '\n';
            ++at;
        } else if (c == '#' && is_line_start) {
            at = read_directive(at);
        } else {
            is_line_start = false;
            at = read_token(at);
        }
    }
    match_brackets();
}

std::size_t TokenList::read_token(std::size_t at) {
    const char c = m_source[at];
    TokenKind kind = TokenKind::sign;
    std::size_t end = at + 1;
    if (is_word_start(c)) {
        kind = TokenKind::word;
        end = static_cast<std::size_t>(
            std::find_if_not(m_source.begin() + static_cast<std::ptrdiff_t>(at), m_source.end(),
                             is_word_character) -
            m_source.begin());
    } else if (is_digit(c) ||
               (c == '.' && at + 1 < m_source.size() && is_digit(m_source[at + 1]))) {
        kind = TokenKind::number;
        end = number_end(m_source, at);
    } else if (c == '"' || c == '\'') {
        kind = TokenKind::literal;
        end = quoted_end(m_source, at);
    } else {
        for (const std::string_view sign : kLongSigns) {
            if (m_source.substr(at).starts_with(sign)) {
                end = at + sign.size();
                break;
            }
        }
    }
    m_tokens.push_back({kind, m_source.substr(at, end - at), at});
    return end;
}

std::size_t TokenList::read_directive(std::size_t at) {
    std::size_t end = at;
    while (end < m_source.size() && (m_source[end] != '\n' || m_source[end - 1] == '\\')) {
        ++end;
    }
    std::string_view line = m_source.substr(at + 1, end - at - 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    constexpr std::string_view kDefine = "define";
    if (line.starts_with(kDefine)) {
        line.remove_prefix(kDefine.size());
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        const auto name_end = std::find_if_not(line.begin(), line.end(), is_word_character);
        const auto size = static_cast<std::size_t>(name_end - line.begin());
        m_macros.push_back({line.substr(0, size), line.substr(size)});
    }
    return end;
}

void TokenList::match_brackets() {
    m_partners.assign(m_tokens.size(), npos);
    std::vector<std::size_t> open;
    constexpr std::string_view kOpening = "([{";
    constexpr std::string_view kClosing = ")]}";
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
        const Token& token = m_tokens[i];
        if (token.kind != TokenKind::sign || token.text.size() != 1) {
            continue;
        }
        if (kOpening.find(token.text[0]) != kNone) {
            open.push_back(i);
        }
        const std::size_t closing = kClosing.find(token.text[0]);
        if (closing != kNone && !open.empty() &&
            m_tokens[open.back()].text[0] == kOpening[closing]) {
            m_partners[i] = open.back();
            m_partners[open.back()] = i;
            open.pop_back();
        }
    }
}

std::string_view TokenList::text(std::size_t index) const noexcept {
    return index < m_tokens.size() ? m_tokens[index].text : std::string_view();
}

bool TokenList::is_word(std::size_t index) const noexcept {
    return index < m_tokens.size() && m_tokens[index].kind == TokenKind::word;
}

std::size_t TokenList::partner(std::size_t index) const noexcept {
    return index < m_partners.size() ? m_partners[index] : npos;
}

std::size_t TokenList::closing_angle(std::size_t index) const {
    int depth = 0;
    for (std::size_t i = index; i < size(); ++i) {
        const std::string_view sign = text(i);
        if (is_one_of(sign, "(", "[")) {
            i = partner(i) == npos ? size() : partner(i);
        } else if (sign == "<") {
            ++depth;
        } else if (sign == ">" && --depth == 0) {
            return i;
        } else if (is_one_of(sign, ";", "{", "}", ")", "&&", "||")) {
            return npos;
        }
    }
    return npos;
}

bool TokenList::opens_generics(std::size_t index) const {
    return text(index) == "<" && closing_angle(index) != npos;
}

std::string_view TokenList::source_of(std::size_t begin, std::size_t end) const {
    if (begin >= end || begin >= size()) {
        return {};
    }
    return m_source.substr(m_tokens[begin].begin, m_tokens[end - 1].end() - m_tokens[begin].begin);
}

int TokenList::line_of(std::size_t index) const {
    const std::size_t offset = index < size() ? m_tokens[index].begin : m_source.size();
    const std::string_view before = m_source.substr(0, offset);
    return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

bool TokenList::opens_attribute(std::size_t index) const {
    if (index == 0) {
        return true;
    }
    const std::string_view before = text(index - 1);
    if (before == ")") {
        const std::size_t open = partner(index - 1);
        return open != npos && open > 0 && is_control_word(text(open - 1));
    }
    if (before == "]") {
        const std::size_t open = partner(index - 1);
        return open != npos && opens_attribute(open);
    }
    return is_one_of(before, ";", "{", "}", ":", "else", "do");
}

std::size_t TokenList::attributes_end(std::size_t index) const {
    while (text(index) == "[" && opens_attribute(index) && partner(index) != npos) {
        index = partner(index) + 1;
    }
    return index;
}

std::size_t TokenList::plain_statement_end(std::size_t index) const {
    while (index < size() && text(index) != ";" && text(index) != "}") {
        const bool is_open = opens_bracket(text(index)) && partner(index) != npos;
        index = is_open ? partner(index) + 1 : index + 1;
    }
    return std::min(text(index) == ";" ? index + 1 : index, size());
}

std::size_t TokenList::statement_end(std::size_t index) const {
    index = attributes_end(index);
    const std::string_view first = text(index);
    if (first == "{" && partner(index) != npos) {
        return partner(index) + 1;
    }
    if (is_control_word(first) && text(index + 1) == "(" && partner(index + 1) != npos) {
        const std::size_t end = statement_end(partner(index + 1) + 1);
        return first == "if" && text(end) == "else" ? statement_end(end + 1) : end;
    }
    if (first == "do") {
        const std::size_t condition = statement_end(index + 1) + 1; // behind `while`
        return partner(condition) != npos ? partner(condition) + 2 : size();
    }
    return plain_statement_end(index);
}

} // namespace weft::compile
