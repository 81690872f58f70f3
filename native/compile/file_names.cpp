// SPDX-License-Identifier: Apache-2.0
#include "compile/file_names.hpp"

#include <algorithm>
#include <cctype>

namespace weft::compile {

namespace {

constexpr std::size_t kNone = TokenList::npos;

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

/// Functions of Slang's core module that write no argument, as far as differentiable code calls them.
const Names kPure{
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

bool is_static_constant(const TokenList& tokens, std::size_t type) {
    return type >= 2 && tokens.text(type - 1) == "const" && tokens.text(type - 2) == "static";
}

/// Reads `type name` and `name : type`.
void read_declaration(const TokenList& tokens, std::size_t at, Names& with, FileNames& names) {
    const std::string_view word = tokens.text(at);
    if (is_statement_word(word) || tokens.text(at - 1) == ".") {
        return;
    }
    const std::size_t end = type_end(tokens, at);
    const bool is_pointer = tokens.text(end) == "*";
    const std::size_t name = end + (is_pointer ? 1 : 0);
    const std::string_view next = tokens.text(name + 1);
    const bool is_name = tokens.is_word(name) && is_one_of(next, ";", "=", ",", ")", "[", ":", "{");
    if (!is_name) {
        return;
    }
    if (is_static_constant(tokens, at)) {
        names.constants.insert(tokens.text(name));
    }
    // a * b; is a product.
    const bool has_none =
        is_pointer ? is_one_of(next, ",", ")") : has_no_gradient(word, names.types);
    (has_none ? names.without_gradient : with).insert(tokens.text(name));
}

void read_writer(const TokenList& tokens, std::size_t at, FileNames& names) {
    const std::string_view word = tokens.text(at);
    if (is_one_of(word, "out", "inout", "ref", "__ref")) {
        const std::size_t open = enclosing(tokens, at, "(");
        const std::size_t name = open == kNone ? kNone : function_name(tokens, open);
        if (name != kNone) {
            names.written_parameters[tokens.text(name)].insert(argument_index(tokens, open, at));
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

/// `type name(` and `type name<T>(`; what a declaration does not look like is a call.
void read_function(const TokenList& tokens, std::size_t at, FileNames& names) {
    const bool is_generic = tokens.opens_generics(at + 1);
    const std::size_t open = is_generic ? tokens.closing_angle(at + 1) + 1 : at + 1;
    if (tokens.text(open) == "(" && is_declaration(tokens, at) && tokens.text(at - 1) != ",") {
        names.functions.insert(tokens.text(at));
    }
    const std::string_view word = tokens.text(at);
    names.has_other_texts =
        names.has_other_texts || word == "import" || word == "__include" || word == "implementing";
}

void read_type_name(const TokenList& tokens, std::size_t at, Names& types) {
    const std::string_view word = tokens.text(at);
    if (is_one_of(word, "struct", "class", "interface", "enum", "associatedtype", "typealias")) {
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

bool is_assignment(std::string_view sign) {
    return sign == "=" || sign == "+=" || sign == "-=" || sign == "*=" || sign == "/=" ||
           sign == "%=" || sign == "&=" || sign == "|=" || sign == "^=" || sign == "<<=";
}

bool is_changed(const TokenList& tokens, std::size_t begin, std::size_t end) {
    const auto is_step = [](std::string_view sign) { return sign == "++" || sign == "--"; };
    const std::string_view next = tokens.text(end);
    const bool is_shift =
        next == ">" && tokens.text(end + 1) == ">="; // two signs as generics close
    return is_assignment(next) || is_shift || is_step(next) ||
           (begin > 0 && is_step(tokens.text(begin - 1)));
}

bool is_statement_word(std::string_view word) {
    return kStatementWords.contains(word);
}

bool is_core_type(std::string_view word) {
    const std::string_view scalar = scalar_name(word);
    return kFloatingTypes.contains(scalar) || kOtherScalars.contains(scalar) || word == "vector" ||
           word == "matrix" || word == "Array" || word == "void";
}

bool is_floating_type(std::string_view word) {
    return kFloatingTypes.contains(scalar_name(word));
}

bool is_floating_scalar(std::string_view word) {
    return kFloatingTypes.contains(word);
}

std::size_t chain_end(const TokenList& tokens, std::size_t at) {
    for (;;) {
        if (tokens.text(at) == "[" && tokens.partner(at) != kNone) {
            at = tokens.partner(at) + 1;
        } else if (tokens.text(at) == "." && tokens.is_word(at + 1)) {
            at += 2;
        } else {
            return at;
        }
    }
}

std::size_t type_end(const TokenList& tokens, std::size_t at) {
    ++at;
    while (tokens.text(at) == "." || tokens.text(at) == "::") {
        at += 2;
    }
    if (tokens.opens_generics(at)) {
        at = tokens.closing_angle(at) + 1;
    }
    while (tokens.text(at) == "[" && tokens.partner(at) != kNone) {
        at = tokens.partner(at) + 1;
    }
    return at;
}

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

std::size_t enclosing(const TokenList& tokens, std::size_t at, std::string_view sign) {
    for (std::size_t i = at; i-- > 0;) {
        const std::string_view word = tokens.text(i);
        if (closes_bracket(word)) {
            if (tokens.partner(i) == kNone) {
                return kNone;
            }
            i = tokens.partner(i);
        } else if (opens_bracket(word)) {
            return word == sign ? i : kNone;
        } else if (word == ";") {
            return kNone;
        }
    }
    return kNone;
}

bool is_whole_argument(const TokenList& tokens, std::size_t begin, std::size_t end) {
    return is_one_of(tokens.text(begin - 1), "(", ",") && is_one_of(tokens.text(end), ")", ",");
}

std::size_t statement_begin(const TokenList& tokens, std::size_t at, std::size_t least) {
    while (at > least && !is_one_of(tokens.text(at - 1), ";", "{", "}", "(")) {
        --at;
    }
    return at;
}

std::size_t argument_index(const TokenList& tokens, std::size_t open, std::size_t at) {
    std::size_t index = 0;
    for (std::size_t i = open + 1; i < at; ++i) {
        const std::string_view sign = tokens.text(i);
        if (sign == ",") {
            ++index;
        }
        if (opens_bracket(sign) && tokens.partner(i) != kNone) {
            i = tokens.partner(i);
        } else if (sign == "<" && tokens.closing_angle(i) < at) {
            i = tokens.closing_angle(i);
        }
    }
    return index;
}

bool is_declaration(const TokenList& tokens, std::size_t name) {
    const std::string_view before = name == 0 ? std::string_view() : tokens.text(name - 1);
    if (name > 0 && tokens.is_word(name - 1)) {
        return !is_statement_word(before);
    }
    if (!is_one_of(before, ",", ">", "]", "*")) {
        return false;
    }
    const std::size_t first = statement_begin(tokens, name, 0);
    const std::size_t end = tokens.is_word(first) ? type_end(tokens, first) : first;
    return tokens.is_word(first) && !is_statement_word(tokens.text(first)) && end <= name &&
           tokens.is_word(end);
}

bool writes_argument(const FileNames& names, std::string_view function, std::size_t index) {
    const auto writes = [&](const auto& known) {
        const auto found = known.find(function);
        return found != known.end() && found->second.contains(index);
    };
    return writes(names.written_parameters) || writes(kCoreWrites) ||
           function.starts_with("Interlocked");
}

bool is_pure(const FileNames& names, std::string_view function) {
    return kPure.contains(function) && !names.functions.contains(function);
}

bool may_write_arguments(const TokenList& tokens, const FileNames& names,
                         std::string_view function) {
    const bool is_macro = std::ranges::any_of(
        tokens.macros(), [&](const MacroDefinition& macro) { return macro.name == function; });
    return is_macro || (names.has_other_texts && !names.functions.contains(function) &&
                        !names.types.contains(function) && !is_core_type(function) &&
                        !is_statement_word(function) && !kPure.contains(function) &&
                        function != "switch" && !function.starts_with("__"));
}

FileNames read_names(const TokenList& tokens) {
    FileNames names;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens.is_word(i)) {
            read_writer(tokens, i, names);
            read_type_name(tokens, i, names.types);
            read_function(tokens, i, names);
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

} // namespace weft::compile
