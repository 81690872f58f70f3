// SPDX-License-Identifier: Apache-2.0
#include "compile/source_text.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace weft::compile {

namespace {

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// The end of the comment or string literal that starts at `i`, or `i` if none does.
std::size_t skip_opaque(std::string_view text, std::size_t i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("//")) {
        return std::min(text.find('\n', i), text.size());
    }
    if (rest.starts_with("/*")) {
        const std::size_t end = text.find("*/", i + 2);
        return end == std::string_view::npos ? text.size() : end + 2;
    }
    if (rest.starts_with('"')) {
        std::size_t end = i + 1;
        while (end < text.size() && text[end] != '"' && text[end] != '\n') {
            end += text[end] == '\\' ? 2 : 1;
        }
        return std::min(end + 1, text.size());
    }
    return i;
}

/// The text of one comment line without its markers.
std::string_view strip_markers(std::string_view line) {
    line = trim(line);
    if (line.ends_with("*/")) {
        line.remove_suffix(2);
    }
    for (const std::string_view marker :
         {"///<", "//!<", "/**<", "/*!<", "///", "//!", "//", "/**", "/*!", "/*", "*"}) {
        if (line.starts_with(marker)) {
            line.remove_prefix(marker.size());
            break;
        }
    }
    return trim(line);
}

std::string strip_comment(std::string_view comment) {
    std::string result;
    while (!comment.empty()) {
        const std::size_t end = std::min(comment.find('\n'), comment.size());
        const std::string_view line = strip_markers(comment.substr(0, end));
        if (!result.empty()) {
            result += '\n';
        }
        result += line;
        comment.remove_prefix(std::min(end + 1, comment.size()));
    }
    return std::string(trim(result));
}

/// The first comment between two places, "" if there is none.
std::string first_comment(std::string_view text, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
        if (const std::size_t stop = skip_opaque(text, i); stop > i && text[i] == '/') {
            return strip_comment(text.substr(i, stop - i));
        }
    }
    return "";
}

/// True if the code of a line before a member's name holds only that member's own type and modifiers.
bool is_first_declaration(std::string_view before) {
    int depth = 0;
    for (const char c : before) {
        depth += c == '<' || c == '[' ? 1 : 0;
        depth -= c == '>' || c == ']' ? 1 : 0;
        if (depth == 0 && std::string_view("(),;{}").find(c) != std::string_view::npos) {
            return false;
        }
    }
    return true;
}

std::optional<reflect::Literal> parse_integer(std::string_view digits, bool is_negative) {
    digits = digits.substr(0, digits.find_last_not_of("uUlLzZ") + 1);
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
        digits.remove_prefix(2);
        base = 16;
    } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
        digits.remove_prefix(2);
        base = 2;
    }
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(is_negative ? 0 - value : value);
}

std::optional<reflect::Literal> parse_float(std::string_view digits, bool is_negative) {
    while (!digits.empty() &&
           std::string_view("fFhHlL").find(digits.back()) != std::string_view::npos) {
        digits.remove_suffix(1);
    }
    // strtod rather than from_chars, which Apple's standard library lacks for floating point.
    const std::string terminated(digits);
    char* end = nullptr;
    const double value = std::strtod(terminated.c_str(), &end);
    if (terminated.empty() || end != terminated.c_str() + terminated.size()) {
        return std::nullopt;
    }
    return is_negative ? -value : value;
}

} // namespace

std::string blank_comments(std::string_view text) {
    std::string code(text);
    for (std::size_t i = 0; i < code.size();) {
        const std::size_t end = skip_opaque(text, i);
        for (std::size_t k = i; k < end; ++k) {
            code[k] = code[k] == '\n' ? '\n' : ' ';
        }
        i = std::max(end, i + 1);
    }
    return code;
}

std::optional<std::size_t> find_closing(std::string_view code, std::size_t open) {
    const char left = code[open];
    const char right = left == '(' ? ')' : left == '[' ? ']' : left == '{' ? '}' : '>';
    int depth = 0;
    for (std::size_t at = open; at < code.size(); ++at) {
        depth += code[at] == left ? 1 : code[at] == right ? -1 : 0;
        if (depth == 0) {
            return at;
        }
    }
    return std::nullopt;
}

std::optional<reflect::Literal> parse_literal(std::string_view text) {
    text = trim(text);
    if (text == "true" || text == "false") {
        return text == "true";
    }
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) {
        text = trim(text.substr(1));
    }
    const bool is_number = !text.empty() && (core::is_digit(text[0]) || text[0] == '.');
    if (!is_number) {
        return std::nullopt;
    }
    if (auto integer = parse_integer(text, is_negative)) {
        return integer;
    }
    return parse_float(text, is_negative);
}

SourceText::SourceText(std::string text) : m_text(std::move(text)), m_code(blank_comments(m_text)) {
    m_lines.push_back(0);
    for (std::size_t i = 0; i < m_text.size(); ++i) {
        if (m_text[i] == '\n') {
            m_lines.push_back(i + 1);
        }
    }
}

std::size_t SourceText::line_index(Position position) const {
    const auto next = std::upper_bound(m_lines.begin(), m_lines.end(), position);
    return static_cast<std::size_t>(next - m_lines.begin()) - 1;
}

std::string_view SourceText::line_text(std::size_t index) const {
    const std::size_t end = index + 1 < m_lines.size() ? m_lines[index + 1] : m_text.size();
    return std::string_view(m_text).substr(m_lines[index], end - m_lines[index]);
}

std::string_view SourceText::line_code(std::size_t index) const {
    return std::string_view(m_code).substr(m_lines[index], line_text(index).size());
}

std::optional<SourceText::Position> SourceText::find_name(std::int32_t line, std::int32_t column,
                                                          std::string_view name) const {
    if (line < 1 || static_cast<std::size_t>(line) > m_lines.size() || name.empty()) {
        return std::nullopt;
    }
    const std::string_view code = line_code(static_cast<std::size_t>(line) - 1);
    std::optional<std::size_t> best;
    std::ptrdiff_t best_distance = 0;
    for (std::size_t i = code.find(name); i != std::string_view::npos; i = code.find(name, i + 1)) {
        // Slang counts code points, so after other letters the column is only near.
        const std::ptrdiff_t distance = std::abs(static_cast<std::ptrdiff_t>(i) - (column - 1));
        if (core::is_whole_word(code, i, name.size()) && (!best || distance < best_distance)) {
            best = i;
            best_distance = distance;
        }
    }
    if (!best) {
        return std::nullopt;
    }
    return m_lines[static_cast<std::size_t>(line) - 1] + *best;
}

std::size_t SourceText::declaration_line(Position position) const {
    std::size_t line = line_index(position);
    while (line > 0) {
        const std::string_view code = trim(line_code(line - 1));
        const bool is_declaration_part =
            !code.empty() && code.find_first_of(";{}#(,") == std::string_view::npos;
        const bool is_attribute = code.starts_with('[') && code.ends_with(']');
        if (!is_declaration_part && !is_attribute) {
            break;
        }
        --line;
    }
    return line;
}

std::string SourceText::comment_above(Position position) const {
    const std::size_t line = declaration_line(position);
    std::size_t first = line;
    bool is_in_block = false;
    while (first > 0) {
        const std::string_view text = trim(line_text(first - 1));
        const bool is_comment = !text.empty() && trim(line_code(first - 1)).empty();
        if (!is_comment && !is_in_block) {
            break;
        }
        is_in_block = (is_in_block || text.ends_with("*/")) && !text.starts_with("/*");
        --first;
    }
    if (first == line) {
        return "";
    }
    return strip_comment(
        std::string_view(m_text).substr(m_lines[first], m_lines[line] - m_lines[first]));
}

SourceText::Position SourceText::declaration_end(Position position) const {
    int depth = 0;
    bool has_value = false;
    for (std::size_t i = position; i < m_code.size(); ++i) {
        const char c = m_code[i];
        has_value = has_value || c == '=';
        // Behind '=' a brace begins a list of values.
        if (depth == 0 && (is_one_of(c, ",);") || (c == '{' && !has_value))) {
            return i;
        }
        depth += is_one_of(c, "([{") ? 1 : 0;
        depth -= is_one_of(c, ")]}") ? 1 : 0;
    }
    return m_code.size();
}

std::string SourceText::comment_behind_head(Position position) const {
    const std::size_t line = line_index(position);
    const std::string_view rest = line_text(line).substr(position - m_lines[line]);
    for (const std::string_view marker : {"///<", "//!<", "/**<", "/*!<"}) {
        const std::size_t at = rest.find(marker);
        if (at != std::string_view::npos &&
            rest.substr(0, at).find_first_not_of("){; \t") == std::string_view::npos) {
            return strip_comment(rest.substr(at));
        }
    }
    return "";
}

std::string SourceText::function_comment(Position position) const {
    if (std::string above = comment_above(position); !above.empty()) {
        return above;
    }
    const std::size_t line = line_index(position);
    const std::size_t head_end = line_code(line).rfind(')');
    const bool ends_here =
        head_end != std::string_view::npos && m_lines[line] + head_end > position;
    return ends_here ? comment_behind_head(m_lines[line] + head_end) : "";
}

std::string SourceText::comment_beside(Position separator) const {
    const std::size_t line = line_index(separator);
    const std::size_t line_end = m_lines[line] + line_text(line).size();
    const bool is_separator = separator < m_code.size() && is_one_of(m_code[separator], ",;");
    const bool is_last =
        is_separator &&
        trim(std::string_view(m_code).substr(separator + 1, line_end - separator - 1)).empty();
    return is_last ? first_comment(m_text, separator + 1, line_end) : "";
}

std::string SourceText::member_comment(Position position, std::string_view name) const {
    const std::size_t start = position + name.size();
    const Position end = declaration_end(start);
    if (std::string inside = first_comment(m_text, start, end); !inside.empty()) {
        return inside;
    }
    if (std::string beside = comment_beside(end); !beside.empty()) {
        return beside;
    }
    const std::size_t line = line_index(end);
    const std::size_t own_line = line_index(position);
    const bool is_first =
        is_first_declaration(line_code(own_line).substr(0, position - m_lines[own_line]));
    // Behind the last of several lines of parameters; on a line with the name it is the function's.
    if (is_first && own_line == line && end < m_code.size() && m_code[end] == ')') {
        if (std::string behind = comment_behind_head(end); !behind.empty()) {
            return behind;
        }
    }
    return is_first ? comment_above(position) : "";
}

std::string SourceText::default_text(Position position, std::string_view name) const {
    const std::size_t start = position + name.size();
    const std::size_t equals = m_code.find('=', start);
    if (equals == std::string::npos || equals >= declaration_end(start)) {
        return "";
    }
    std::size_t end = m_code.find_first_not_of(" \t\r\n", equals + 1);
    end = end != std::string::npos && m_code[end] == '{'
              ? find_closing(m_code, end).value_or(end) + 1
              : declaration_end(equals + 1);
    const auto count = [&](char sign) {
        return std::count(m_code.begin() + static_cast<std::ptrdiff_t>(equals),
                          m_code.begin() + static_cast<std::ptrdiff_t>(end), sign);
    };
    while (end < m_code.size() && m_code[end] == ',' && count('<') > count('>')) {
        end = declaration_end(end + 1); // vector<float, 3>(1)
    }
    return std::string(trim(std::string_view(m_code).substr(equals + 1, end - equals - 1)));
}

std::string SourceText::semantic(Position position, std::string_view name) const {
    const std::size_t start = position + name.size();
    const Position end = declaration_end(start);
    const std::string_view rest = std::string_view(m_code).substr(start, end - start);
    const std::size_t colon = rest.substr(0, rest.find('=')).find(':');
    if (colon == std::string_view::npos) {
        return "";
    }
    const std::string_view word = trim(rest.substr(colon + 1));
    const auto stop = std::find_if_not(word.begin(), word.end(), core::is_name_character);
    return {word.begin(), stop};
}

bool SourceText::has_modifier(Position position, std::string_view word) const {
    std::size_t start = position;
    while (start > 0 && std::string_view(";{}").find(m_code[start - 1]) == std::string_view::npos) {
        --start;
    }
    const std::string_view head = std::string_view(m_code).substr(start, position - start);
    for (std::size_t i = head.find(word); i != std::string_view::npos; i = head.find(word, i + 1)) {
        const bool starts = i == 0 || !core::is_name_character(head[i - 1]);
        const bool ends =
            i + word.size() >= head.size() || !core::is_name_character(head[i + word.size()]);
        if (starts && ends) {
            return true;
        }
    }
    return false;
}

bool SourceText::declares_module() const {
    for (std::size_t line = 0; line < m_lines.size(); ++line) {
        const std::string_view code = trim(line_code(line));
        const bool is_module = code.starts_with("module ") || code.starts_with("implementing ");
        if (is_module || (!code.empty() && code[0] != '#')) {
            return is_module; // it must be the first declaration
        }
    }
    return false;
}

} // namespace weft::compile
