// SPDX-License-Identifier: Apache-2.0
#include "compile/written_values.hpp"

#include "compile/loop_statements.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

namespace weft::compile {

using core::text;

namespace {

constexpr std::size_t kNone = TokenList::npos;

/// Functions of Slang's core module that write no argument, as far as differentiable code calls them.
const std::set<std::string_view> kPure{
    "abs",       "acos",    "acosh",      "all",       "any",       "asfloat", "asin",
    "asinh",     "asint",   "asuint",     "atan",      "atan2",     "atanh",   "ceil",
    "clamp",     "cos",     "cosh",       "cross",     "degrees",   "detach",  "determinant",
    "distance",  "dot",     "exp",        "exp10",     "exp2",      "floor",   "fma",
    "fmod",      "frac",    "fract",      "isfinite",  "isinf",     "isnan",   "ldexp",
    "length",    "lerp",    "log",        "log10",     "log2",      "mad",     "max",
    "min",       "mul",     "normalize",  "pow",       "printf",    "radians", "rcp",
    "reflect",   "refract", "round",      "rsqrt",     "saturate",  "select",  "sign",
    "sin",       "sinh",    "smoothstep", "sqrt",      "step",      "tan",     "tanh",
    "transpose", "trunc",   "diffPair",   "weft_read", "makeTuple", "countof"};

/// `a.b[i]` from its first token to behind its last one.
struct Chain {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// `IShape`, by the convention of Slang's own modules.
bool is_interface_name(std::string_view name) {
    return name.size() > 1 && name[0] == 'I' &&
           std::isupper(static_cast<unsigned char>(name[1])) != 0;
}

/// Finds what calls write in one function.
class WriteFinder {
public:
    WriteFinder(const TokenList& tokens, const DifferentiableBody& body, const FileNames& names)
        : m_tokens(tokens), m_body(body), m_names(names),
          m_loops(find_loop_statements(tokens, body)) {}

    const std::vector<LoopStatement>& loops() const { return m_loops; }

    /// What is written in front of a loop and mentioned in it, as Slang writes it.
    std::set<std::string> find(const LoopStatement& loop) const {
        std::size_t first = m_body.opening + 1;
        for (const LoopStatement& outer : m_loops) {
            if (outer.begin < loop.begin && outer.end >= loop.end) {
                first = std::max(first, outer.keyword + 1);
            }
        }
        Written written;
        for (std::size_t i = first; i < loop.begin; ++i) {
            if (m_tokens.text(i) == "=") {
                follow_copy(i, written);
            } else if (begins_chain(i)) {
                if (is_mutating_call(i)) {
                    written["this"] = true;
                } else if (const Chain chain = written_chain(i); chain.begin != chain.end) {
                    note(chain, written);
                }
            }
        }
        std::set<std::string> found;
        for (const auto& [value, is_certain] : written) {
            if (can_copy(value, is_certain, loop)) {
                found.insert(value);
            }
        }
        return found;
    }

private:
    /// Variables and members, and whether a function that is known to write wrote them.
    using Written = std::map<std::string, bool>;

    bool begins_chain(std::size_t at) const {
        const std::string_view before = m_tokens.text(at - 1);
        return m_tokens.is_word(at) && before != "." && before != "::" && before != "->";
    }

    /// `c = a`: c holds what was written to a.
    void follow_copy(std::size_t sign, Written& written) const {
        std::size_t begin = sign;
        while (begin > 0) {
            const std::size_t partner = m_tokens.partner(begin - 1);
            if (m_tokens.text(begin - 1) == "]" && partner != kNone) {
                begin = partner;
            } else if (m_tokens.is_word(begin - 1)) {
                --begin;
                if (m_tokens.text(begin - 1) != ".") {
                    break;
                }
                --begin;
            } else {
                return;
            }
        }
        for (std::size_t i = sign + 1; i < m_body.closing && m_tokens.text(i) != ";"; ++i) {
            if (begins_chain(i) && (written.contains(std::string(m_tokens.text(i))) ||
                                    written.contains(value_name(i)))) {
                written.try_emplace(value_name(begin), false);
                return;
            }
        }
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

    bool may_write(std::size_t function, std::size_t place) const {
        const std::string_view name = m_tokens.text(function);
        const bool is_macro = std::ranges::any_of(
            m_tokens.macros(), [&](const MacroDefinition& macro) { return macro.name == name; });
        return writes_argument(m_names, name, place) || is_macro || is_foreign(name);
    }

    /// True for a function of another file.
    bool is_foreign(std::string_view name) const {
        return m_names.has_other_texts && !m_names.functions.contains(name) &&
               !m_names.types.contains(name) && !is_core_type(name) && !is_statement_word(name) &&
               !kPure.contains(name) && name != "switch" && !name.starts_with("__");
    }

    /// The argument or object that begins at a word, if a call may write it; else an empty chain.
    Chain written_chain(std::size_t begin) const {
        std::size_t end = begin + 1;
        std::size_t last = begin; // the last name
        std::size_t before = begin;
        for (;;) {
            if (m_tokens.text(end) == "[" && m_tokens.partner(end) != kNone) {
                end = m_tokens.partner(end) + 1;
            } else if (m_tokens.text(end) == "." && m_tokens.is_word(end + 1)) {
                before = end;
                last = end + 1;
                end += 2;
            } else {
                break;
            }
        }
        if (m_tokens.text(end) == "(" && last != begin && end == last + 1) { // a method
            const std::string_view method = m_tokens.text(last);
            const bool writes = m_names.mutating.contains(method) || is_foreign(method);
            return writes ? Chain{begin, before} : Chain{};
        }
        const std::string_view front = m_tokens.text(begin - 1);
        const std::string_view back = m_tokens.text(end);
        if ((front != "(" && front != ",") || (back != ")" && back != ",")) {
            return {};
        }
        const std::size_t open = enclosing(m_tokens, begin, "(");
        const std::size_t function = open == kNone ? kNone : function_name(m_tokens, open);
        const bool writes =
            function != kNone && may_write(function, argument_place(m_tokens, open, begin));
        return writes ? Chain{begin, end} : Chain{};
    }

    void note(const Chain& chain, Written& written) const {
        const std::size_t open = enclosing(m_tokens, chain.begin, "(");
        const std::size_t function = open == kNone ? kNone : function_name(m_tokens, open);
        const bool is_certain =
            function != kNone && writes_argument(m_names, m_tokens.text(function),
                                                 argument_place(m_tokens, open, chain.begin));
        written[value_name(chain.begin)] |= is_certain;
    }

    bool can_copy(std::string_view value, bool is_certain, const LoopStatement& loop) const {
        constexpr std::string_view kThis = "this.";
        if (value == "this") {
            return is_certain;
        }
        if (value.starts_with(kThis)) {
            const std::string_view member = value.substr(kThis.size());
            return is_mentioned(member, loop) && has_gradient(member);
        }
        return is_mentioned(value, loop) && has_gradient(value) &&
               is_assignable(value, is_certain, loop);
    }

    bool has_gradient(std::string_view name) const {
        return !m_names.without_gradient.contains(name) && !m_names.constants.contains(name);
    }

    bool is_mentioned(std::string_view name, const LoopStatement& loop) const {
        for (std::size_t i = loop.begin; i < loop.end; ++i) {
            if (m_tokens.text(i) == name) {
                return true;
            }
        }
        return false;
    }

    /// True for a variable or parameter in whose scope the loop is, and for a member that a known function writes.
    bool is_assignable(std::string_view name, bool is_certain, const LoopStatement& loop) const {
        bool is_declared = false;
        bool is_assignable = false;
        for (std::size_t i = m_body.head; i < loop.begin; ++i) {
            if (m_tokens.text(i) == name && is_declaration(m_tokens, i)) {
                is_declared = true;
                is_assignable = is_in_scope(i, loop) ? !is_fixed(i) : is_assignable;
            }
        }
        return is_declared ? is_assignable : is_certain;
    }

    /// True if what is declared at `name` can be seen at a loop.
    bool is_in_scope(std::size_t name, const LoopStatement& loop) const {
        for (std::size_t i = name; i-- > m_body.head;) {
            const std::size_t partner = m_tokens.partner(i);
            if (partner == kNone || partner < name) {
                continue;
            }
            if (m_tokens.text(i) == "{") {
                return partner >= loop.end;
            }
            for (const LoopStatement& outer : m_loops) { // for (float q = ...
                if (outer.keyword + 1 == i) {
                    return outer.end >= loop.end;
                }
            }
        }
        return true; // a parameter
    }

    /// True for `let a`, `const float a`, and for interfaces, which weft_read does not return.
    bool is_fixed(std::size_t name) const {
        std::size_t first = name;
        while (first > 0) {
            const std::string_view word = m_tokens.text(first - 1);
            if (word == ";" || word == "{" || word == "}" || word == "(") {
                break;
            }
            if (word == "let" || word == "const" || word == "constexpr" ||
                is_interface_name(word)) {
                return true;
            }
            --first;
        }
        return false;
    }

    const TokenList& m_tokens;
    const DifferentiableBody& m_body;
    const FileNames& m_names;
    std::vector<LoopStatement> m_loops;
};

/// The loop with the label in front of it.
std::size_t statement_begin(const TokenList& tokens, const LoopStatement& loop) {
    const std::size_t begin = loop.begin;
    const bool is_labeled = begin > 1 && tokens.text(begin - 1) == ":" &&
                            tokens.is_word(begin - 2) && tokens.text(begin - 2) != "default";
    const std::string_view before =
        is_labeled && begin > 2 ? tokens.text(begin - 3) : std::string_view();
    return is_labeled && (before == ";" || before == "{" || before == "}") ? begin - 2 : begin;
}

} // namespace

void repair_written_values(const TokenList& tokens, const DifferentiableBody& body,
                           const FileNames& names, std::vector<TextEdit>& edits) {
    const WriteFinder finder(tokens, body, names);
    for (const LoopStatement& loop : finder.loops()) {
        const std::size_t place = tokens[loop.begin].begin;
        std::string copies;
        for (const std::string& value : finder.find(loop)) {
            copies += text(value, " = weft_read(", value, ", ", place, "); ");
        }
        if (!copies.empty()) {
            edits.push_back({tokens[statement_begin(tokens, loop)].begin, 0, text("{ ", copies)});
            edits.push_back({tokens[loop.end - 1].end(), 0, " }"});
        }
    }
}

} // namespace weft::compile
