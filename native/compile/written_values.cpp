// SPDX-License-Identifier: Apache-2.0
#include "compile/written_values.hpp"

#include "compile/declarations.hpp"
#include "compile/loop_statements.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace weft::compile {

using core::text;

namespace {

constexpr std::size_t kNone = TokenList::npos;

/// `a.b[i]` from its first token to behind its last one.
struct Chain {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_certain = false; ///< what is called is known to write it
};

/// Of which statement the value is copied behind it, and which values.
struct Copies {
    std::size_t begin = 0; ///< first token of the statement
    std::size_t end = 0;   ///< its `;`
    std::set<std::string> values;
};

/// Finds what calls write in one function.
class WriteFinder {
public:
    WriteFinder(const TokenList& tokens, const DifferentiableBody& body, const FileNames& names)
        : m_tokens(tokens), m_body(body), m_names(names),
          m_loops(find_loop_statements(tokens, body)) {}

    bool has_loops() const { return !m_loops.empty(); }

    void find() {
        for (std::size_t i = m_body.opening + 1; i < m_body.closing; ++i) {
            if (!begins_chain(i)) {
                continue;
            }
            if (is_mutating_call(i)) {
                note(i, "this", true);
            } else if (const Chain chain = written_chain(i); chain.begin != chain.end) {
                note(i, value_name(i), chain.is_certain);
            }
        }
    }

    std::vector<Copies> copies;
    std::vector<std::size_t>
        in_heads; ///< calls in conditions of loops, which leave no room for a copy

private:
    bool begins_chain(std::size_t at) const {
        const std::string_view before = m_tokens.text(at - 1);
        return m_tokens.is_word(at) && before != "." && before != "::" && before != "->";
    }

    /// `a` for `a.b[i]`, `this.a` for `this.a.b`.
    std::string value_name(std::size_t begin) const {
        const std::string_view name = m_tokens.text(begin);
        const bool has_member = name == "this" && m_tokens.text(begin + 1) == ".";
        return has_member ? text("this.", m_tokens.text(begin + 2)) : std::string(name);
    }

    /// `step(x)` of a method of this structure.
    bool is_mutating_call(std::size_t at) const {
        return m_tokens.text(at + 1) == "(" && m_names.mutating.contains(m_tokens.text(at)) &&
               !is_declaration(m_tokens, at);
    }

    /// The argument or object that begins at a word, if a call may write it; else an empty chain.
    Chain written_chain(std::size_t begin) const {
        const std::size_t end = chain_end(m_tokens, begin + 1);
        if (m_tokens.text(end) == "(" && end > begin + 1 && m_tokens.is_word(end - 1)) { // a method
            const bool writes = m_names.mutating.contains(m_tokens.text(end - 1));
            return writes ? Chain{begin, end - 2, true} : Chain{};
        }
        if (!is_whole_argument(m_tokens, begin, end)) {
            return {};
        }
        const std::size_t open = enclosing(m_tokens, begin, "(");
        const std::size_t function = open == kNone ? kNone : function_name(m_tokens, open);
        if (function == kNone) {
            return {};
        }
        const std::string_view name = m_tokens.text(function);
        const std::size_t index = argument_index(m_tokens, open, begin);
        const bool is_certain = writes_argument(m_names, name, index);
        const bool is_possible = is_certain || may_write_arguments(m_tokens, m_names, name);
        return is_possible ? Chain{begin, end, is_certain} : Chain{};
    }

    void note(std::size_t at, const std::string& value, bool is_certain) {
        Copies statement;
        const bool is_in_head = !find_statement(at, statement);
        if (!can_copy(value, is_certain, at) || !is_read_later(value, at, statement)) {
            return;
        }
        if (is_in_head) {
            if (is_certain) {
                in_heads.push_back(at);
            }
            return;
        }
        if (m_tokens.text(statement.begin) == "return") {
            return;
        }
        if (copies.empty() || copies.back().begin != statement.begin) {
            copies.push_back(statement);
        }
        copies.back().values.insert(value);
    }

    /// The statement around a token; false in the head of an `if`, a `switch` or a loop.
    bool find_statement(std::size_t at, Copies& statement) const {
        std::size_t first = at;
        while (first > m_body.opening + 1 && !begins_statement(first)) {
            const std::string_view sign = m_tokens.text(first - 1);
            const std::size_t partner = m_tokens.partner(first - 1);
            if (sign == "(" && is_head(first - 1)) {
                return false;
            }
            first = closes_bracket(sign) && partner != kNone ? partner : first - 1;
        }
        statement.begin = first;
        statement.end = semicolon_behind(first);
        return true;
    }

    bool begins_statement(std::size_t at) const {
        const std::string_view before = m_tokens.text(at - 1);
        const std::size_t partner = m_tokens.partner(at - 1);
        if (is_one_of(before, ";", "else", "do")) {
            return true;
        }
        if (before == "{") {
            return !is_initializer(at - 1);
        }
        return (before == ")" && partner != kNone && is_head(partner)) ||
               (before == "}" && partner != kNone && !is_initializer(partner));
    }

    std::size_t semicolon_behind(std::size_t at) const {
        while (at < m_body.closing && m_tokens.text(at) != ";") {
            const std::size_t partner = m_tokens.partner(at);
            const bool is_open = opens_bracket(m_tokens.text(at)) && partner != kNone;
            at = is_open ? partner + 1 : at + 1;
        }
        return at;
    }

    bool is_head(std::size_t open) const {
        const std::string_view word = m_tokens.text(open - 1);
        return word == "if" || word == "for" || word == "while" || word == "switch";
    }

    bool is_initializer(std::size_t open) const {
        const std::string_view before = m_tokens.text(open - 1);
        return before == "=" || before == "(" || before == "," ||
               (before == "{" && is_initializer(open - 1)) || before == "return";
    }

    bool can_copy(std::string_view value, bool is_certain, std::size_t at) const {
        constexpr std::string_view kThis = "this.";
        if (value == "this") {
            return is_certain;
        }
        if (value.starts_with(kThis)) {
            return has_gradient(value.substr(kThis.size()));
        }
        return has_gradient(value) && is_assignable(value, is_certain, at);
    }

    bool has_gradient(std::string_view name) const {
        return !m_names.without_gradient.contains(name) && !m_names.constants.contains(name);
    }

    /// True if it is mentioned behind the statement, or the next round may read it.
    bool is_read_later(std::string_view value, std::size_t at, const Copies& statement) const {
        if (std::ranges::any_of(m_loops, [&](const LoopStatement& loop) {
                return loop.begin < at && at < loop.end;
            })) {
            return true;
        }
        const std::string_view name = value.substr(value.find('.') + 1);
        for (std::size_t i = statement.end; i < m_body.closing; ++i) {
            if (value == "this" || m_tokens.text(i) == name) {
                return true;
            }
        }
        return false;
    }

    /// True for a variable or parameter, and for a member that a known function writes.
    bool is_assignable(std::string_view name, bool is_certain, std::size_t at) const {
        bool is_declared = false;
        bool is_assignable = false;
        for (std::size_t i = m_body.head; i < at; ++i) {
            if (m_tokens.text(i) == name && is_declaration(m_tokens, i) &&
                is_in_scope(m_tokens, m_body, i, at)) {
                is_declared = true;
                is_assignable = !is_fixed(i, is_certain);
            }
        }
        return is_declared ? is_assignable : is_certain;
    }

    /// True for `let a`, `const float a`, and for interfaces, which weft_read does not return. What only may be written has to be
    /// a number, vector or matrix, or an array of them: others may hold what cannot be copied.
    bool is_fixed(std::size_t name, bool is_certain) const {
        bool is_number = false;
        for (std::size_t i = declaration_begin(m_tokens, name); i < name; ++i) {
            const std::string_view word = m_tokens.text(i);
            is_number = is_number || is_core_type(word);
            if (word == "let" || word == "const" || word == "constexpr" ||
                is_interface_name(word)) {
                return true;
            }
        }
        return !is_number && !is_certain;
    }

    const TokenList& m_tokens;
    const DifferentiableBody& m_body;
    const FileNames& m_names;
    std::vector<LoopStatement> m_loops;
};

} // namespace

void repair_written_values(const TokenList& tokens, const DifferentiableBody& body,
                           const FileNames& names, std::vector<TextEdit>& edits,
                           std::vector<ReverseProblem>& problems) {
    WriteFinder finder(tokens, body, names);
    if (!finder.has_loops()) {
        return;
    }
    finder.find();
    for (const Copies& statement : finder.copies) {
        std::string copies;
        for (const std::string& value : statement.values) {
            copies +=
                text(" ", value, " = weft_read(", value, ", ", tokens[statement.end].begin, ");");
        }
        const std::string_view before = tokens.text(statement.begin - 1);
        const bool is_in_block = before == ";" || before == "{" || before == "}";
        if (!is_in_block) {
            edits.push_back({tokens[statement.begin].begin, 0, "{ "});
        }
        edits.push_back({tokens[statement.end].end(), 0, copies + (is_in_block ? "" : " }")});
    }
    for (const std::size_t call : finder.in_heads) {
        problems.push_back({std::string(body.name), tokens.line_of(call),
                            text("a call in a condition may write to '", tokens.text(call),
                                 "'; call it in a statement of its own")});
    }
}

} // namespace weft::compile
