// SPDX-License-Identifier: Apache-2.0
#include "compile/indexed_reads.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace weft::compile {

using core::text;

namespace {

constexpr std::size_t kNone = TokenList::npos;
constexpr std::string_view kRead = "weft_read(";

using Names = std::set<std::string_view>;

const Names kFloatingTypes{"float", "half", "double", "float16_t", "float32_t", "float64_t"};
const Names kOtherScalars{"bool",     "int",      "uint",      "int8_t",   "uint8_t",
                          "int16_t",  "uint16_t", "int32_t",   "uint32_t", "int64_t",
                          "uint64_t", "intptr_t", "uintptr_t", "size_t"};
/// Keywords after which a name is used, not declared.
const Names kStatementWords{"return", "else",  "in",      "case", "do",    "no_diff", "is",
                            "as",     "throw", "discard", "if",   "while", "for"};
/// Of functions of Slang's core module, the parameters that they write.
const std::map<std::string_view, std::set<std::size_t>> kCoreWrites{
    {"sincos", {1, 2}}, {"modf", {1}}, {"frexp", {1}}};

bool is_digits(std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
}

/// The scalar of `float3` and `int4x4`; the word itself for any other.
std::string_view scalar_name(std::string_view word) {
    std::string_view rest = word;
    if (rest.size() > 2 && is_digits(rest.substr(rest.size() - 1)) &&
        rest[rest.size() - 2] == 'x' && is_digits(rest.substr(rest.size() - 3, 1))) {
        rest.remove_suffix(3);
    } else if (rest.size() > 1 && is_digits(rest.substr(rest.size() - 1)) &&
               !rest.ends_with("_t")) {
        rest.remove_suffix(1);
    }
    return kFloatingTypes.contains(rest) || kOtherScalars.contains(rest) ? rest : word;
}

bool is_core_type(std::string_view word) {
    const std::string_view scalar = scalar_name(word);
    return kFloatingTypes.contains(scalar) || kOtherScalars.contains(scalar) || word == "vector" ||
           word == "matrix" || word == "Array" || word == "void";
}

/// A type whose elements have no gradient that reverse mode carries through an index.
bool has_no_gradient(std::string_view type, const Names& own_types) {
    if (own_types.contains(type)) {
        return false;
    }
    return kOtherScalars.contains(scalar_name(type)) ||
           type.find("Buffer") != std::string_view::npos ||
           type.find("Texture") != std::string_view::npos ||
           type.find("Tensor") != std::string_view::npos ||
           type.find("Sampler") != std::string_view::npos;
}

bool is_assignment(std::string_view sign) {
    return sign == "=" || sign == "+=" || sign == "-=" || sign == "*=" || sign == "/=" ||
           sign == "%=" || sign == "&=" || sign == "|=" || sign == "^=" || sign == "<<=";
}

/// Behind the type that begins at a word: `float`, `a.b`, `vector<float, 3>`, `float[8]`, `float*`.
std::size_t type_end(const TokenList& tokens, std::size_t at) {
    ++at;
    while (tokens.text(at) == "." || tokens.text(at) == "::") {
        at += 2;
    }
    if (tokens.text(at) == "<" && tokens.closing_angle(at) != kNone) {
        at = tokens.closing_angle(at) + 1;
    }
    while (tokens.text(at) == "[" && tokens.partner(at) != kNone) {
        at = tokens.partner(at) + 1;
    }
    return at;
}

/// Reads `type name` and `name : type`.
void read_declaration(const TokenList& tokens, std::size_t at, Names& with, FileNames& names) {
    const std::string_view word = tokens.text(at);
    if (kStatementWords.contains(word) || tokens.text(at - 1) == ".") {
        return;
    }
    const std::size_t end = type_end(tokens, at);
    const bool is_pointer = tokens.text(end) == "*";
    const std::size_t name = end + (is_pointer ? 1 : 0);
    const std::string_view next = tokens.text(name + 1);
    const bool is_name =
        tokens.is_word(name) && (next == ";" || next == "=" || next == "," || next == ")" ||
                                 next == "[" || next == ":" || next == "{");
    if (!is_name) {
        return;
    }
    if (at >= 2 && tokens.text(at - 1) == "const" && tokens.text(at - 2) == "static") {
        names.constants.insert(tokens.text(name));
    }
    // a * b; is a product.
    const bool is_declared_pointer = is_pointer && (next == "," || next == ")");
    const bool has_none =
        is_declared_pointer || (!is_pointer && has_no_gradient(word, names.types));
    (has_none ? names.without_gradient : with).insert(tokens.text(name));
}

/// The function whose parameters open at `open`.
std::size_t function_name(const TokenList& tokens, std::size_t open) {
    if (open == 0 || tokens.is_word(open - 1)) {
        return open == 0 ? kNone : open - 1;
    }
    for (std::size_t k = open; k-- > 0 && tokens.text(k) != ";";) {
        if (tokens.text(k) == "<" && tokens.closing_angle(k) == open - 1) {
            return k > 0 && tokens.is_word(k - 1) ? k - 1 : kNone;
        }
    }
    return kNone;
}

/// The bracket around a token that opens with `sign`; kNone if none does in its statement.
std::size_t enclosing(const TokenList& tokens, std::size_t at, std::string_view sign) {
    for (std::size_t i = at; i-- > 0;) {
        const std::string_view word = tokens.text(i);
        if (word == ")" || word == "]" || word == "}") {
            if (tokens.partner(i) == kNone) {
                return kNone;
            }
            i = tokens.partner(i);
        } else if (word == "(" || word == "[" || word == "{") {
            return word == sign ? i : kNone;
        } else if (word == ";") {
            return kNone;
        }
    }
    return kNone;
}

/// How many arguments or parameters stand before `at` in the list that opens at `open`.
std::size_t argument_place(const TokenList& tokens, std::size_t open, std::size_t at) {
    std::size_t place = 0;
    for (std::size_t i = open + 1; i < at; ++i) {
        const std::string_view sign = tokens.text(i);
        if (sign == ",") {
            ++place;
        }
        const bool is_open = sign == "(" || sign == "[" || sign == "{";
        if (is_open && tokens.partner(i) != kNone) {
            i = tokens.partner(i);
        } else if (sign == "<" && tokens.closing_angle(i) < at) {
            i = tokens.closing_angle(i);
        }
    }
    return place;
}

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
        if (close == open + 1 || has_comma(open, close) || has_no_gradient_here(begin, open)) {
            return;
        }
        const bool is_literal = close == open + 2 && m_tokens[open + 1].kind == TokenKind::number;
        const bool is_covered = std::any_of(reads.begin(), reads.end(), [&](const Read& read) {
            return read.begin == begin && read.open < open;
        });
        if (is_covered) {
            return;
        }
        if (is_written(begin, chain_end(open))) {
            if (!is_literal) {
                changed.insert(m_tokens.text(open - 1));
            }
            return;
        }
        (is_literal ? literals : reads).push_back({begin, open});
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
                if (name == kNone || kStatementWords.contains(m_tokens.text(name))) {
                    return partner; // (a + b)[i]
                }
                at = name;
            } else if (m_tokens.is_word(before) &&
                       !kStatementWords.contains(m_tokens.text(before))) {
                at = before;
            } else {
                return kNone;
            }
            const std::string_view joint = at == 0 ? std::string_view() : m_tokens.text(at - 1);
            if (joint != "." && joint != "::" && joint != "->") {
                return at;
            }
            at = at - 1;
        }
        return kNone;
    }

    /// Behind the last token of the chain with the bracket at `open`.
    std::size_t chain_end(std::size_t open) const {
        std::size_t at = m_tokens.partner(open) + 1;
        for (;;) {
            if (m_tokens.text(at) == "[" && m_tokens.partner(at) != kNone) {
                at = m_tokens.partner(at) + 1;
            } else if (m_tokens.text(at) == "." && m_tokens.is_word(at + 1)) {
                at += 2;
            } else {
                return at;
            }
        }
    }

    bool is_type(std::size_t begin, std::size_t open) const {
        const std::string_view first = m_tokens.text(begin);
        const std::size_t end = chain_end(open);
        if (is_core_type(first) || m_names.types.contains(first) || m_tokens.is_word(end)) {
            return m_tokens.text(begin + 1) != "(";
        }
        return is_declared(begin);
    }

    /// True for the name in `float x[8]` and `float a[2], b[3]`.
    bool is_declared(std::size_t name) const {
        const std::string_view before = name == 0 ? std::string_view() : m_tokens.text(name - 1);
        if (name > 0 && m_tokens.is_word(name - 1)) {
            return !kStatementWords.contains(before);
        }
        if (before != "," && before != ">" && before != "]" && before != "*") {
            return false;
        }
        std::size_t first = name;
        while (first > 0 && m_tokens.text(first - 1) != ";" && m_tokens.text(first - 1) != "{" &&
               m_tokens.text(first - 1) != "}" && m_tokens.text(first - 1) != "(") {
            --first;
        }
        const std::size_t end = m_tokens.is_word(first) ? type_end(m_tokens, first) : first;
        return m_tokens.is_word(first) && !kStatementWords.contains(m_tokens.text(first)) &&
               end <= name && m_tokens.is_word(end);
    }

    bool has_comma(std::size_t open, std::size_t close) const {
        for (std::size_t i = open + 1; i < close; ++i) {
            const std::string_view sign = m_tokens.text(i);
            if (sign == ",") {
                return true;
            }
            const bool is_open = sign == "(" || sign == "[" || sign == "{";
            i = is_open && m_tokens.partner(i) != kNone ? m_tokens.partner(i) : i;
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

    bool is_written(std::size_t begin, std::size_t end) const {
        const std::string_view next = m_tokens.text(end);
        const std::string_view before = begin == 0 ? std::string_view() : m_tokens.text(begin - 1);
        if (is_assignment(next) || next == "++" || next == "--" || before == "++" ||
            before == "--") {
            return true;
        }
        if (next == "(") { // a method of the element
            return m_names.mutating.contains(m_tokens.text(end - 1));
        }
        if (before == "&" && begin > 1 && !m_tokens.is_word(begin - 2) &&
            m_tokens.text(begin - 2) != ")" && m_tokens.text(begin - 2) != "]") {
            return true;
        }
        if ((before != "(" && before != ",") || (next != ")" && next != ",")) {
            return false;
        }
        const std::size_t call = enclosing(m_tokens, begin, "(");
        const std::size_t function = call == kNone ? kNone : function_name(m_tokens, call);
        if (function == kNone) {
            return false;
        }
        const std::string_view name = m_tokens.text(function);
        const std::size_t place = argument_place(m_tokens, call, begin);
        const auto writes = [&](const auto& known) {
            const auto found = known.find(name);
            return found != known.end() && found->second.contains(place);
        };
        return writes(m_names.written_parameters) || writes(kCoreWrites) ||
               name.starts_with("Interlocked");
    }

    const TokenList& m_tokens;
    const FileNames& m_names;
};

void read_writer(const TokenList& tokens, std::size_t at, FileNames& names) {
    const std::string_view word = tokens.text(at);
    if (word == "out" || word == "inout" || word == "ref" || word == "__ref") {
        const std::size_t open = enclosing(tokens, at, "(");
        const std::size_t name = open == kNone ? kNone : function_name(tokens, open);
        if (name != kNone) {
            names.written_parameters[tokens.text(name)].insert(argument_place(tokens, open, at));
        }
    }
    if (word == "mutating") {
        for (std::size_t i = at;
             i < tokens.size() && tokens.text(i) != "{" && tokens.text(i) != ";"; ++i) {
            if (tokens.text(i) == "(") {
                const std::size_t name = function_name(tokens, i);
                names.mutating.insert(name == kNone ? std::string_view() : tokens.text(name));
                break;
            }
        }
    }
}

void read_type_name(const TokenList& tokens, std::size_t at, Names& types) {
    const std::string_view word = tokens.text(at);
    if (word == "struct" || word == "class" || word == "interface" || word == "enum" ||
        word == "associatedtype" || word == "typealias") {
        types.insert(tokens.text(at + 1));
    }
    if (word == "typedef") {
        types.insert(tokens.text(tokens.statement_end(at) - 2));
    }
    // f<T : IFloat, U>(...)
    const std::string_view before = at == 0 ? std::string_view() : tokens.text(at - 1);
    const std::string_view next = tokens.text(at + 1);
    if (before == "<" && tokens.closing_angle(at - 1) != kNone && next == ":") {
        types.insert(word);
    }
}

} // namespace

FileNames read_names(const TokenList& tokens) {
    FileNames names;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens.is_word(i)) {
            read_writer(tokens, i, names);
            read_type_name(tokens, i, names.types);
        }
    }
    Names with;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens.is_word(i)) {
            read_declaration(tokens, i, with, names);
        }
    }
    for (const std::string_view name : with) {
        names.without_gradient.erase(name); // two declarations of one name: it may have one
    }
    return names;
}

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
