// SPDX-License-Identifier: Apache-2.0
// Slang text as words, numbers and signs: as much of a parser as repairs of a source need.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace weft::compile {

enum class TokenKind { word, number, literal, sign };

struct Token {
    TokenKind kind = TokenKind::sign;
    std::string_view text;
    std::size_t begin = 0; ///< offset of its first character

    std::size_t end() const noexcept { return begin + text.size(); }
};

/// An object-like or function-like macro.
struct MacroDefinition {
    std::string_view name;
    std::string_view body; ///< continuation lines included
};

/// True if the text of a token is one of the others.
[[nodiscard]] constexpr bool is_one_of(std::string_view text, auto... others) noexcept {
    return ((text == std::string_view(others)) || ...);
}
/// True for `(`, `[` and `{`.
[[nodiscard]] constexpr bool opens_bracket(std::string_view sign) noexcept {
    return is_one_of(sign, "(", "[", "{");
}
/// True for `)`, `]` and `}`.
[[nodiscard]] constexpr bool closes_bracket(std::string_view sign) noexcept {
    return is_one_of(sign, ")", "]", "}");
}

/// The tokens of a text. Comments are left out, and so are preprocessor lines with what continues them.
class TokenList {
public:
    /// No token.
    static constexpr std::size_t npos = static_cast<std::size_t>(-1);

    /// @param source must outlive the list.
    explicit TokenList(std::string_view source);

    std::size_t size() const noexcept { return m_tokens.size(); }
    const Token& operator[](std::size_t index) const { return m_tokens[index]; }
    std::string_view source() const noexcept { return m_source; }

    /// The text of a token, "" beyond the ends.
    std::string_view text(std::size_t index) const noexcept;
    /// True if the token is a name or keyword.
    bool is_word(std::size_t index) const noexcept;
    /// The bracket that belongs to the `(`, `[`, `{` or their counterpart at `index`; npos if there is none.
    std::size_t partner(std::size_t index) const noexcept;
    /// The `>` that closes the `<` at `index`, if that opens generic arguments; npos else.
    [[nodiscard]] std::size_t closing_angle(std::size_t index) const;
    /// True if the token is the `<` that opens generic arguments.
    [[nodiscard]] bool opens_generics(std::size_t index) const;
    /// The source from the first character of token `begin` up to token `end`, the latter left out.
    [[nodiscard]] std::string_view source_of(std::size_t begin, std::size_t end) const;
    /// 1-based.
    [[nodiscard]] int line_of(std::size_t index) const;
    /// True if the `[` at `index` opens attributes (of a statement or a declaration) rather than an index.
    [[nodiscard]] bool opens_attribute(std::size_t index) const;
    /// Behind the statement that begins at `index`: the index of the token after its last one.
    [[nodiscard]] std::size_t statement_end(std::size_t index) const;

    const std::vector<MacroDefinition>& macros() const noexcept { return m_macros; }

private:
    std::size_t read_token(std::size_t at);
    std::size_t read_directive(std::size_t at);
    void match_brackets();
    /// Behind the attributes that begin at `index`, which stays if none do.
    std::size_t attributes_end(std::size_t index) const;
    /// Behind a statement that ends at its semicolon.
    std::size_t plain_statement_end(std::size_t index) const;

    std::string_view m_source;
    std::vector<Token> m_tokens;
    std::vector<std::size_t> m_partners;
    std::vector<MacroDefinition> m_macros;
};

} // namespace weft::compile
