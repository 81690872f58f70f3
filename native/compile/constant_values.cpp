// SPDX-License-Identifier: Apache-2.0
#include "compile/constant_values.hpp"

#include "compile/declarations.hpp"
#include "core/text.hpp"

#include <map>
#include <set>

namespace weft::compile {

using core::text;

namespace {

constexpr std::size_t kNone = TokenList::npos;

using Names = std::set<std::string_view>;

/// `a.b[i] = ...` from its first token to the `=`.
struct Assignment {
    std::size_t begin = 0;
    std::size_t equals = 0;

    bool is_whole() const { return equals == begin + 1; }
};

struct Declared {
    std::string_view type; ///< its first word
    bool is_scalar = false;
};

/// Behind the expression that begins at a token.
std::size_t expression_end(const TokenList& tokens, std::size_t begin, std::size_t limit) {
    std::size_t i = begin;
    for (; i < limit; ++i) {
        const std::string_view sign = tokens.text(i);
        if (is_one_of(sign, ",", ";", ")", "}")) {
            break;
        }
        i = opens_bracket(sign) && tokens.partner(i) != kNone ? tokens.partner(i) : i;
    }
    return i;
}

/// The variables of one function whose values are to be read through a call, and what is assigned to them.
class ConstantFinder {
public:
    ConstantFinder(const TokenList& tokens, const DifferentiableBody& body, const FileNames& names)
        : m_tokens(tokens), m_body(body), m_names(names) {
        find_variables();
        find_changed();
        find_constants();
    }

    void repair(std::vector<TextEdit>& edits) const {
        for (const Assignment& assignment : m_assignments) {
            const std::string_view name = m_tokens.text(assignment.begin);
            if (m_names.without_gradient.contains(name)) {
                continue;
            }
            const std::size_t first = assignment.equals + 1;
            if (m_written.contains(name)) {
                repair_all(assignment, first, edits);
            } else if (assignment.is_whole() && m_changed_in_part.contains(name) &&
                       is_constant(first, expression_end(m_tokens, first, m_body.closing))) {
                repair_first(first, edits);
            }
        }
    }

private:
    void find_variables() {
        bool is_written_parameter = false;
        for (std::size_t i = m_body.head; i < m_body.closing; ++i) {
            const std::string_view word = m_tokens.text(i);
            is_written_parameter =
                i < m_body.opening && (word == "inout" || (is_written_parameter && word != ","));
            if (!m_tokens.is_word(i) || !is_declaration(m_tokens, i)) {
                continue;
            }
            declare(i);
            if (is_written_parameter && word != "inout" && m_tokens.text(i - 1) != "inout") {
                m_written.insert(word);
            }
        }
    }

    void declare(std::size_t name) {
        const std::size_t first = statement_begin(m_tokens, name, m_body.head);
        note_fixed(name);
        const bool is_next = name > 0 && m_tokens.is_word(name - 1);
        const std::string_view type = m_tokens.text(is_next ? name - 1 : first);
        const bool is_scalar = is_floating_scalar(type) && m_tokens.text(name + 1) != "[" &&
                               (is_next || m_tokens.text(first + 1) != "[");
        const auto [known, is_new] = m_variables.insert({m_tokens.text(name), {type, is_scalar}});
        if (!is_new && (known->second.type != type || known->second.is_scalar != is_scalar)) {
            known->second = {};
        }
    }

    /// `let a`, `const float a`: no call can change it.
    void note_fixed(std::size_t name) {
        bool is_fixed = false;
        for (std::size_t i = declaration_begin(m_tokens, name); i < name; ++i) {
            const std::string_view word = m_tokens.text(i);
            is_fixed = is_fixed || word == "let" || word == "const" || word == "constexpr";
        }
        if (!is_fixed) {
            m_fixed.erase(m_tokens.text(name));
        } else if (!m_variables.contains(m_tokens.text(name))) {
            m_fixed.insert(m_tokens.text(name));
        }
    }

    void find_changed() {
        for (std::size_t i = m_body.opening + 1; i < m_body.closing; ++i) {
            if (m_tokens.is_word(i) && m_tokens.text(i - 1) != ".") {
                note_change(i);
            }
        }
    }

    void note_change(std::size_t at) {
        const std::size_t end = chain_end(m_tokens, at + 1);
        const std::string_view name = m_tokens.text(at);
        const std::string_view after = m_tokens.text(end);
        const bool is_written =
            is_whole_argument(m_tokens, at, end) && !m_fixed.contains(name) && may_be_written(at);
        const bool is_assigned = is_changed(m_tokens, at, end);
        if (end > at + 1 && (is_assigned || is_written || after == "(")) {
            m_changed_in_part.insert(name);
        }
        if (is_written) {
            m_written.insert(name);
        }
        if (after == "=") {
            m_assignments.push_back({at, end});
        }
        if (is_assigned) {
            ++m_changes[name];
        }
    }

    bool may_be_written(std::size_t argument) const {
        const std::size_t open = enclosing(m_tokens, argument, "(");
        const std::size_t function = open == kNone ? kNone : function_name(m_tokens, open);
        if (function == kNone) {
            return false;
        }
        const std::string_view name = m_tokens.text(function);
        return writes_argument(m_names, name, argument_index(m_tokens, open, argument)) ||
               may_write_arguments(m_tokens, m_names, name);
    }

    /// Those that are set once, to a constant.
    void find_constants() {
        for (const Assignment& assignment : m_assignments) {
            const std::string_view name = m_tokens.text(assignment.begin);
            const std::size_t first = assignment.equals + 1;
            if (assignment.is_whole() && m_changes.at(name) == 1 && !m_written.contains(name) &&
                is_declaration(m_tokens, assignment.begin) &&
                is_constant(first, expression_end(m_tokens, first, m_body.closing))) {
                m_constants.insert(name);
            }
        }
    }

    /// `detach(...)`.
    bool begins_detached(std::size_t at) const {
        return m_tokens.text(at) == "detach" && m_tokens.text(at + 1) == "(" &&
               m_tokens.partner(at + 1) != kNone;
    }

    /// True unless something that may have a derivative is in it. What is constant, but not for the compiler, is one more call.
    bool is_constant(std::size_t begin, std::size_t end) const {
        if (m_tokens.text(begin) == "no_diff" && chain_of_calls_end(begin + 1) == end) {
            return true;
        }
        for (std::size_t i = begin; i < end; ++i) {
            const std::string_view word = m_tokens.text(i);
            if (begins_detached(i)) {
                i = m_tokens.partner(i + 1);
            } else if (m_tokens.is_word(i) && m_tokens.text(i - 1) != "." &&
                       (is_varying(word, i) || is_unknown_call(word, i))) {
                return false;
            }
        }
        return begin < end;
    }

    bool is_varying(std::string_view word, std::size_t at) const {
        return m_variables.contains(word) && !m_names.without_gradient.contains(word) &&
               !m_constants.contains(word) && m_tokens.text(at + 1) != "=";
    }

    bool is_unknown_call(std::string_view word, std::size_t at) const {
        const bool is_generic =
            m_tokens.text(at + 1) == "<" && m_tokens.closing_angle(at + 1) != kNone;
        const std::size_t open = is_generic ? m_tokens.closing_angle(at + 1) + 1 : at + 1;
        return m_tokens.text(open) == "(" && !is_core_type(word) && !is_pure(m_names, word);
    }

    /// Behind `a.b(c)[d].e(f)`, or what stands in brackets.
    std::size_t chain_of_calls_end(std::size_t at) const {
        while (m_tokens.is_word(at) || m_tokens.text(at) == "." || m_tokens.text(at) == "(" ||
               m_tokens.text(at) == "[") {
            const std::size_t partner = m_tokens.partner(at);
            at = partner == kNone ? at + 1 : partner + 1;
        }
        return at;
    }

    void repair_first(std::size_t first, std::vector<TextEdit>& edits) const {
        while (m_tokens.text(first) == "{") {
            ++first;
        }
        wrap(first, expression_end(m_tokens, first, m_body.closing), {}, edits);
    }

    /// What is assigned to.
    Declared target_of(const Assignment& assignment) const {
        const auto known = m_variables.find(m_tokens.text(assignment.begin));
        Declared target = known == m_variables.end() ? Declared{} : known->second;
        target.is_scalar = target.is_scalar && assignment.is_whole();
        return target;
    }

    /// The value, or each one of a list.
    void repair_all(const Assignment& assignment, std::size_t first,
                    std::vector<TextEdit>& edits) const {
        const bool is_list = m_tokens.text(first) == "{" && m_tokens.partner(first) != kNone;
        const std::size_t last = is_list ? m_tokens.partner(first) : first + 1;
        Declared target = target_of(assignment);
        target.is_scalar = target.is_scalar && !is_list;
        for (std::size_t i = first; i < last; ++i) {
            const std::string_view sign = m_tokens.text(i);
            if (is_list && is_one_of(sign, "{", "}", ",")) {
                continue;
            }
            const std::size_t end = expression_end(m_tokens, i, m_body.closing);
            if (is_constant(i, end)) {
                wrap(i, end, target, edits);
            }
            i = end > i ? end - 1 : i;
        }
    }

    bool is_one_number(std::size_t first, std::size_t end) const {
        return end == first + 1 && m_tokens[first].kind == TokenKind::number;
    }

    /// An integer has no derivative: it is made a number of the variable's type first.
    void wrap(std::size_t first, std::size_t end, const Declared& target,
              std::vector<TextEdit>& edits) const {
        if (end <= first) {
            return;
        }
        const bool is_number = is_one_number(first, end);
        const bool is_integer =
            is_number && m_tokens.text(first).find_first_not_of("0123456789") == std::string::npos;
        const bool is_cast = target.is_scalar && (!is_number || is_integer);
        const bool is_made_real = is_integer && !is_cast && is_floating_type(target.type);
        edits.push_back({m_tokens[first].begin, 0,
                         is_cast ? text("weft_read(", target.type, "(") : "weft_read("});
        edits.push_back({m_tokens[end - 1].end(), 0,
                         text(is_cast        ? ")"
                              : is_made_real ? ".f"
                                             : "",
                              ", ", m_tokens[first].begin, ")")});
    }

    const TokenList& m_tokens;
    const DifferentiableBody& m_body;
    const FileNames& m_names;
    std::map<std::string_view, Declared> m_variables;
    std::map<std::string_view, int> m_changes;
    Names m_changed_in_part; ///< by an assignment, or handed in part to a call
    Names m_written;         ///< inout parameters, and what a call may write
    Names m_fixed;           ///< declared as constants, wherever they are declared
    Names m_constants;
    std::vector<Assignment> m_assignments;
};

} // namespace

void repair_constant_values(const TokenList& tokens, const DifferentiableBody& body,
                            const FileNames& names, std::vector<TextEdit>& edits) {
    ConstantFinder(tokens, body, names).repair(edits);
}

} // namespace weft::compile
