// SPDX-License-Identifier: Apache-2.0
#include "compile/constant_values.hpp"

#include "core/text.hpp"

#include <set>

namespace weft::compile {

using core::text;

namespace {

constexpr std::size_t kNone = TokenList::npos;

using Names = std::set<std::string_view>;

/// Variables of which a part is changed, or handed to a call that may change it.
Names find_changed_in_part(const TokenList& tokens, const DifferentiableBody& body) {
    Names names;
    for (std::size_t i = body.opening + 1; i < body.closing; ++i) {
        if (!tokens.is_word(i) || tokens.text(i - 1) == ".") {
            continue;
        }
        const std::size_t end = chain_end(tokens, i + 1);
        const std::string_view before = tokens.text(i - 1);
        const std::string_view after = tokens.text(end);
        const bool is_argument = (before == "(" || before == ",") && (after == ")" || after == ",");
        if (end > i + 1 && (is_changed(tokens, i, end) || is_argument || after == "(")) {
            names.insert(tokens.text(i));
        }
    }
    return names;
}

Names find_variables(const TokenList& tokens, const DifferentiableBody& body) {
    Names names;
    for (std::size_t i = body.head; i < body.closing; ++i) {
        if (tokens.is_word(i) && is_declaration(tokens, i)) {
            names.insert(tokens.text(i));
        }
    }
    return names;
}

/// Behind the expression that begins at a token.
std::size_t expression_end(const TokenList& tokens, std::size_t begin, std::size_t limit) {
    std::size_t i = begin;
    for (; i < limit; ++i) {
        const std::string_view sign = tokens.text(i);
        if (sign == "," || sign == ";" || sign == ")" || sign == "}") {
            break;
        }
        const bool is_open = sign == "(" || sign == "[" || sign == "{";
        i = is_open && tokens.partner(i) != kNone ? tokens.partner(i) : i;
    }
    return i;
}

/// True unless a variable or what a function returns is in it.
bool is_constant(const TokenList& tokens, std::size_t begin, std::size_t end,
                 const Names& variables) {
    for (std::size_t i = begin; i < end; ++i) {
        const std::string_view word = tokens.text(i);
        const bool is_called = tokens.text(i + 1) == "(" && !is_core_type(word);
        if (tokens.is_word(i) && (variables.contains(word) || is_called)) {
            return false;
        }
    }
    return begin < end;
}

} // namespace

void repair_constant_values(const TokenList& tokens, const DifferentiableBody& body,
                            const FileNames& names, std::vector<TextEdit>& edits) {
    const Names changed = find_changed_in_part(tokens, body);
    const Names variables = find_variables(tokens, body);
    for (std::size_t i = body.opening + 1; i < body.closing && !changed.empty(); ++i) {
        const std::string_view name = tokens.text(i - 1);
        if (tokens.text(i) != "=" || tokens.text(i - 2) == "." || !changed.contains(name) ||
            names.without_gradient.contains(name)) {
            continue;
        }
        std::size_t first = i + 1;
        if (!is_constant(tokens, first, expression_end(tokens, first, body.closing), variables)) {
            continue;
        }
        while (tokens.text(first) == "{") {
            ++first;
        }
        const std::size_t end = expression_end(tokens, first, body.closing);
        if (end > first) {
            edits.push_back({tokens[first].begin, 0, "weft_read("});
            edits.push_back({tokens[end - 1].end(), 0, text(", ", tokens[first].begin, ")")});
        }
    }
}

} // namespace weft::compile
