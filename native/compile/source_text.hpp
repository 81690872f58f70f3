// SPDX-License-Identifier: Apache-2.0
// What Slang's reflection does not tell and the source does: comments, default values, semantics.
#pragma once

#include "reflect/function.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::compile {

/// One source file, searchable by the places that Slang reports.
class SourceText {
public:
    /// Byte offset of a name in the file.
    using Position = std::size_t;

    explicit SourceText(std::string text);

    /// Where the word `name` stands at (or nearest to) the 1-based line and column; nullopt if the line
    /// does not hold it.
    [[nodiscard]] std::optional<Position> find_name(std::int32_t line, std::int32_t column,
                                                    std::string_view name) const;

    /// Comment lines directly above the declaration whose name is at `position`, markers removed;
    /// attributes and modifiers may stand between.
    [[nodiscard]] std::string comment_above(Position position) const;
    /// The comment that belongs to a function: above it, else a `///<` behind its head on the line of its
    /// name.
    [[nodiscard]] std::string function_comment(Position position) const;
    /// The comment that belongs to a parameter or field: beside it, else above it.
    [[nodiscard]] std::string member_comment(Position position, std::string_view name) const;
    /// The text after "=" of a parameter, trimmed; "" if there is none.
    [[nodiscard]] std::string default_text(Position position, std::string_view name) const;
    /// The name after ":" of a parameter or function; "" if there is none.
    [[nodiscard]] std::string semantic(Position position, std::string_view name) const;
    /// True if `word` stands in the declaration before its name: has_modifier(p, "public").
    [[nodiscard]] bool has_modifier(Position position, std::string_view word) const;

    /// True if the text begins a named module (`module x;`), where only `public` names are seen outside.
    [[nodiscard]] bool declares_module() const;

private:
    std::size_t line_index(Position position) const;
    std::string_view line_text(std::size_t index) const; ///< with comments
    std::string_view line_code(std::size_t index) const; ///< comments and strings blanked
    /// The line that the declaration begins on: attributes, modifiers or the type may fill lines above the name.
    std::size_t declaration_line(Position position) const;
    /// Where the parameter or field ends: the position of its ',' ')' ';' or the end of the text.
    Position declaration_end(Position position) const;
    /// The comment behind the ',' or ';' of a member, if nothing else follows on the line.
    std::string comment_beside(Position separator) const;
    /// The `///<` comment behind the ')' at `position`, if none but '{', ';' and ')' stand between.
    std::string comment_behind_head(Position position) const;

    std::string m_text;
    std::string m_code; ///< m_text with comments and string contents replaced by blanks
    std::vector<std::size_t> m_lines; ///< offset of each line
};

/// True if a character is one of a text's.
[[nodiscard]] constexpr bool is_one_of(char c, std::string_view characters) noexcept {
    return characters.find(c) != std::string_view::npos;
}

/// `text` with comments and string literals replaced by blanks; lines and columns stay.
[[nodiscard]] std::string blank_comments(std::string_view text);

/// Where the bracket that closes the one at `open` stands: one of `(`, `[`, `{` and `<`.
[[nodiscard]] std::optional<std::size_t> find_closing(std::string_view code, std::size_t open);

/// The value of a literal: "-1", "0x1fu", "2.5f", "true"; nullopt for any other expression.
[[nodiscard]] std::optional<reflect::Literal> parse_literal(std::string_view text);

} // namespace weft::compile
