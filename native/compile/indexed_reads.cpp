// SPDX-License-Identifier: Apache-2.0
#include "compile/indexed_reads.hpp"

#include "core/text.hpp"

#include <algorithm>

namespace weft::compile {

using core::text;

namespace {

constexpr std::size_t kNone = TokenList::npos;
constexpr std::string_view kRead = "weft_read(";

using Names = std::set<std::string_view>;

/// One place where a bracket reads something.
struct Read {
    std::size_t begin = 0; ///< first token of what is read
    std::size_t open = 0;  ///< the `[`
};

/// Finds the reads of one function.
class ReadFinder {
public:
    ReadFinder(const TokenList& tokens, const FileNames& names)
        : m_tokens(tokens), m_names(names) {}

    void find(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (m_tokens.text(i) == "[" && m_tokens.partner(i) != kNone &&
                !m_tokens.opens_attribute(i)) {
                visit(i);
            }
        }
    }

    std::vector<Read> reads;
    std::vector<Read> literals; ///< reads by literals
    Names changed;              ///< names of what is changed by an index: a change reads it, too

private:
    void visit(std::size_t open) {
        const std::size_t begin = chain_begin(open);
        if (begin == kNone || is_type(begin, open)) {
            return;
        }
        const std::size_t close = m_tokens.partner(open);
        if (!has_one_index(open, close) || has_no_gradient_here(begin, open) ||
            is_covered(begin, open)) {
            return;
        }
        const bool is_literal = close == open + 2 && m_tokens[open + 1].kind == TokenKind::number;
        if (is_written(begin, chain_end(m_tokens, m_tokens.partner(open) + 1))) {
            if (!is_literal) {
                changed.insert(m_tokens.text(open - 1));
            }
            return;
        }
        (is_literal ? literals : reads).push_back({begin, open});
    }

    bool is_name(std::size_t at) const {
        return m_tokens.is_word(at) && !is_statement_word(m_tokens.text(at));
    }

    /// The first token of `a.b(c)[d]` in front of the bracket at `open`; kNone if nothing that can be read stands there.
    std::size_t chain_begin(std::size_t open) const {
        std::size_t at = open;
        while (at > 0) {
            const std::size_t before = at - 1;
            const std::size_t partner = m_tokens.partner(before);
            if (m_tokens.text(before) == "]" && partner != kNone) {
                at = partner;
                continue;
            }
            if (m_tokens.text(before) == ")" && partner != kNone) {
                const std::size_t name = function_name(m_tokens, partner);
                if (name == kNone || is_statement_word(m_tokens.text(name))) {
                    return partner; // (a + b)[i]
                }
                at = name;
            } else if (is_name(before)) {
                at = before;
            } else {
                return kNone;
            }
            if (!is_one_of(m_tokens.text(at - 1), ".", "::", "->")) {
                return at;
            }
            at = at - 1;
        }
        return kNone;
    }

    bool is_type(std::size_t begin, std::size_t open) const {
        const std::string_view first = m_tokens.text(begin);
        const std::size_t end = chain_end(m_tokens, m_tokens.partner(open) + 1);
        if (is_core_type(first) || m_names.types.contains(first) || m_tokens.is_word(end)) {
            return m_tokens.text(begin + 1) != "(";
        }
        return is_declaration(m_tokens, begin);
    }

    /// True if another bracket of the same chain, further left, was noted.
    bool is_covered(std::size_t begin, std::size_t open) const {
        return std::any_of(reads.begin(), reads.end(), [&](const Read& read) {
            return read.begin == begin && read.open < open;
        });
    }

    bool has_one_index(std::size_t open, std::size_t close) const {
        return close != open + 1 && !has_comma(open, close);
    }

    bool has_comma(std::size_t open, std::size_t close) const {
        for (std::size_t i = open + 1; i < close; ++i) {
            const std::string_view sign = m_tokens.text(i);
            if (sign == ",") {
                return true;
            }
            i = opens_bracket(sign) && m_tokens.partner(i) != kNone ? m_tokens.partner(i) : i;
        }
        return false;
    }

    /// Of `a.b[i]` the name b decides.
    bool has_no_gradient_here(std::size_t begin, std::size_t open) const {
        const std::string_view last = m_tokens.text(open - 1);
        const bool is_plain = open == begin + 1;
        return m_names.without_gradient.contains(last) ||
               (is_plain && m_names.constants.contains(last));
    }

    /// True behind a `&` that is no operator between two values.
    bool has_address_taken(std::size_t begin) const {
        return begin > 1 && m_tokens.text(begin - 1) == "&" && !m_tokens.is_word(begin - 2) &&
               !is_one_of(m_tokens.text(begin - 2), ")", "]");
    }

    bool is_written(std::size_t begin, std::size_t end) const {
        if (is_changed(m_tokens, begin, end)) {
            return true;
        }
        if (m_tokens.text(end) == "(") { // a method of the element
            return m_names.mutating.contains(m_tokens.text(end - 1));
        }
        if (has_address_taken(begin)) {
            return true;
        }
        if (!is_whole_argument(m_tokens, begin, end)) {
            return false;
        }
        const std::size_t call = enclosing(m_tokens, begin, "(");
        const std::size_t function = call == kNone ? kNone : function_name(m_tokens, call);
        if (function == kNone) {
            return false;
        }
        const std::string_view name = m_tokens.text(function);
        const std::size_t index = argument_index(m_tokens, call, begin);
        return writes_argument(m_names, name, index);
    }

    const TokenList& m_tokens;
    const FileNames& m_names;
};

} // namespace

void repair_indexed_reads(const TokenList& tokens, const DifferentiableBody& body,
                          const FileNames& names, std::vector<TextEdit>& edits) {
    ReadFinder finder(tokens, names);
    finder.find(body.opening + 1, body.closing);
    std::vector<Read> reads = finder.reads;
    for (const Read& read : finder.literals) {
        if (finder.changed.contains(tokens.text(read.open - 1))) {
            reads.push_back(read);
        }
    }
    if (finder.reads.size() + finder.literals.size() + finder.changed.size() > 1) {
        for (const Read& read : reads) {
            edits.push_back({tokens[read.begin].begin, 0, std::string(kRead)});
            // Slang makes one of two equal calls.
            edits.push_back({tokens[read.open].begin, 0, text(", ", tokens[read.open].begin, ")")});
        }
    }
}

} // namespace weft::compile
