// SPDX-License-Identifier: Apache-2.0
#include "compile/carried_numbers.hpp"

#include "compile/declarations.hpp"
#include "compile/loop_statements.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace weft::compile {

using core::text;

namespace {

constexpr std::size_t kNone = TokenList::npos;

/// Finds the numbers that loops of one function change.
class NumberFinder {
public:
    NumberFinder(const TokenList& tokens, const DifferentiableBody& body, const FileNames& names)
        : m_tokens(tokens), m_body(body), m_names(names) {}

    /// The names of those that are declared in front of a loop and used behind it.
    std::set<std::string_view> carried_by(const LoopStatement& loop) const {
        std::set<std::string_view> carried;
        if (is_unrolled(loop) || !multiplies_behind(loop)) {
            return carried;
        }
        for (std::size_t i = loop.keyword; i < loop.end; ++i) {
            if (may_change(i)) {
                add(m_tokens.text(i), i, loop, carried);
            }
        }
        for (const MacroDefinition& macro : m_tokens.macros()) {
            if (mentions(macro.name, loop.keyword, loop.end)) {
                const TokenList content(macro.body);
                for (std::size_t i = 0; i < content.size(); ++i) {
                    add(content.text(i), loop.keyword, loop, carried);
                }
            }
        }
        return carried;
    }

private:
    bool is_unrolled(const LoopStatement& loop) const {
        return mentions("ForceUnroll", loop.begin, loop.keyword);
    }

    bool mentions(std::string_view word, std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; ++i) {
            if (m_tokens.text(i) == word) {
                return true;
            }
        }
        return false;
    }

    bool multiplies_behind(const LoopStatement& loop) const {
        for (std::size_t i = loop.end; i < m_body.closing; ++i) {
            const std::string_view sign = m_tokens.text(i);
            const bool is_macro =
                std::ranges::any_of(m_tokens.macros(), [&](const MacroDefinition& macro) {
                    return macro.name == sign;
                });
            if (is_macro || sign == "*" || sign == "/" || sign == "*=" || sign == "/=" ||
                sign == "mul") {
                return true;
            }
        }
        return false;
    }

    /// True for a whole variable that is assigned to, or that a call may write.
    bool may_change(std::size_t at) const {
        if (!m_tokens.is_word(at) || m_tokens.text(at - 1) == ".") {
            return false;
        }
        if (is_changed(m_tokens, at, at + 1)) {
            return true;
        }
        if (!is_whole_argument(m_tokens, at, at + 1)) {
            return false;
        }
        const std::size_t open = enclosing(m_tokens, at, "(");
        const std::size_t function = open == kNone ? kNone : function_name(m_tokens, open);
        if (function == kNone) {
            return false;
        }
        const std::string_view name = m_tokens.text(function);
        return writes_argument(m_names, name, argument_index(m_tokens, open, at)) ||
               may_write_arguments(m_tokens, m_names, name);
    }

    void add(std::string_view name, std::size_t at, const LoopStatement& loop,
             std::set<std::string_view>& carried) const {
        const std::size_t declared = find_declaration(m_tokens, m_body, name, at);
        if (declared < loop.begin && may_be_number(declared) &&
            mentions(name, loop.end, m_body.closing)) {
            carried.insert(m_tokens.text(declared));
        }
    }

    /// True for variables that can be assigned to, unless their type is known to be none of a number.
    bool may_be_number(std::size_t name) const {
        const std::size_t first = declaration_begin(m_tokens, name);
        for (std::size_t i = first; i < name; ++i) {
            const std::string_view word = m_tokens.text(i);
            if (word == "let" || word == "const" || word == "constexpr" || word == "[") {
                return false;
            }
        }
        if (m_tokens.text(name + 1) == "[") {
            return false;
        }
        const bool is_next = m_tokens.is_word(name - 1);
        return may_be_number_type(m_tokens.text(is_next ? name - 1 : first));
    }

    bool may_be_number_type(std::string_view type) const {
        if (is_core_type(type)) {
            return is_floating_scalar(type);
        }
        for (std::size_t i = 0; i + 1 < m_tokens.size(); ++i) {
            const std::string_view word = m_tokens.text(i);
            if ((word == "struct" || word == "class" || word == "enum") &&
                m_tokens.text(i + 1) == type) {
                return false;
            }
        }
        return !is_interface_name(type);
    }

    const TokenList& m_tokens;
    const DifferentiableBody& m_body;
    const FileNames& m_names;
};

} // namespace

void repair_carried_numbers(const TokenList& tokens, const DifferentiableBody& body,
                            const FileNames& names, std::vector<TextEdit>& edits) {
    const NumberFinder finder(tokens, body, names);
    std::vector<LoopStatement> loops = find_loop_statements(tokens, body);
    std::ranges::reverse(loops); // of two that end at one place, the inner one's copies come first
    for (const LoopStatement& loop : loops) {
        const std::size_t last = loop.end - 1;
        std::string copies;
        for (const std::string_view name : finder.carried_by(loop)) {
            copies += text(" ", name, " = weft_read(", name, ", ", tokens[last].begin, ");");
        }
        if (copies.empty()) {
            continue;
        }
        const std::string_view before = tokens.text(loop.begin - 1);
        const bool is_in_block = before == ";" || before == "{" || before == "}";
        if (!is_in_block) {
            edits.push_back({tokens[loop.begin].begin, 0, "{ "});
        }
        edits.push_back({tokens[last].end(), 0, copies + (is_in_block ? "" : " }")});
    }
}

} // namespace weft::compile
