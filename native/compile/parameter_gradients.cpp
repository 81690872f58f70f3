// SPDX-License-Identifier: Apache-2.0
#include "compile/parameter_gradients.hpp"

#include "compile/source_text.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

namespace weft::compile {

using core::text;

namespace {

using Words = std::vector<std::string_view>;
using Names = std::set<std::string_view>;

constexpr std::string_view kSpaces = " \t\r\n";
constexpr auto kNone = std::string_view::npos;

const Names kNumbers{"float", "half", "double", "float16_t", "float32_t", "float64_t"};
const Names kOtherScalars{"void",    "bool",     "int",     "uint",     "int64_t", "uint64_t",
                          "int32_t", "uint32_t", "int16_t", "uint16_t", "int8_t",  "uint8_t"};
const Names kFloatConstraints{"__BuiltinFloatingPointType", "__BuiltinRealType", "IFloat"};
/// Behind these a bracket follows, and no vector comes out of numbers.
const Names kScalarWords{"if",       "for",   "while",  "switch", "return", "MaxIters", "sin",
                         "cos",      "tan",   "asin",   "acos",   "atan",   "atan2",    "sinh",
                         "cosh",     "tanh",  "exp",    "exp2",   "log",    "log2",     "log10",
                         "pow",      "sqrt",  "rsqrt",  "abs",    "min",    "max",      "clamp",
                         "saturate", "floor", "ceil",   "frac",   "fmod",   "lerp",     "sign",
                         "float",    "half",  "double", "int",    "uint",   "bool"};
/// Only plain parameters can be assigned to, and have a gradient.
const Names kOtherModifiers{"out",    "inout",    "no_diff",    "ref",     "__ref",
                            "borrow", "constref", "__constref", "uniform", "static"};

char at_or_nothing(std::string_view code, std::size_t at) {
    return at < code.size() ? code[at] : '\0';
}

std::size_t skip_spaces(std::string_view code, std::size_t at) {
    return std::min(code.find_first_not_of(kSpaces, at), code.size());
}

std::size_t word_end(std::string_view code, std::size_t at) {
    while (at < code.size() && core::is_name_character(code[at])) {
        ++at;
    }
    return at;
}

Words words_of(std::string_view code) {
    Words words;
    for (std::size_t at = 0; at < code.size();) {
        const std::size_t end = word_end(code, at);
        if (end > at) {
            words.push_back(code.substr(at, end - at));
        }
        at = std::max(end, at + 1);
    }
    return words;
}

/// The new name of a number in what stands behind `typedef` or `typealias`, "" if it is none.
std::string_view number_alias(std::string_view rest, bool is_typealias) {
    const Words parts = words_of(rest);
    if (parts.size() != 2 || !kNumbers.contains(parts[is_typealias ? 1 : 0])) {
        return {};
    }
    return parts[is_typealias ? 0 : 1];
}

/// The word behind a colon, "" if something else follows.
std::string_view constraint_behind(std::string_view code, std::size_t at) {
    const std::size_t sign = skip_spaces(code, at);
    if (at_or_nothing(code, sign) != ':') {
        return {};
    }
    const std::size_t begin = std::min(skip_spaces(code, sign + 1), code.size());
    return code.substr(begin, word_end(code, begin) - begin);
}

/// Names that stand for a number: `typedef float Real;`, `typealias Real = float;`, `T : __BuiltinFloatingPointType`.
Names find_number_types(std::string_view code) {
    Names found = kNumbers;
    Names others;
    for (std::size_t at = 0; at < code.size();) {
        const std::size_t end = word_end(code, at);
        if (end == at) {
            ++at;
            continue;
        }
        const std::string_view word = code.substr(at, end - at);
        const std::string_view constraint = constraint_behind(code, end);
        if (!constraint.empty()) {
            (kFloatConstraints.contains(constraint) ? found : others).insert(word);
        }
        if (word == "typedef" || word == "typealias") {
            const std::string_view rest = code.substr(end, code.find(';', end) - end);
            const std::string_view alias = number_alias(rest, word == "typealias");
            if (!alias.empty()) {
                found.insert(alias);
            }
        }
        at = end;
    }
    for (const std::string_view name : others) {
        if (!kNumbers.contains(name)) { // extension float : IOther
            found.erase(name);
        }
    }
    return found;
}

/// A differentiable function that has a body.
struct Head {
    std::size_t begin = 0; ///< behind its attributes
    std::size_t open = 0;  ///< of its parameters
    std::size_t close = 0;
    std::size_t body = 0; ///< where it opens
    std::size_t end = 0;  ///< where it closes
};

/// The function behind the attribute whose word ends at `at`.
std::optional<Head> find_head(std::string_view code, std::size_t at) {
    Head head;
    head.begin = code.find(']', at);
    if (head.begin == kNone) {
        return std::nullopt;
    }
    head.begin = skip_spaces(code, head.begin + 1);
    while (at_or_nothing(code, head.begin) == '[') {
        const auto close = find_closing(code, head.begin);
        if (!close) {
            return std::nullopt;
        }
        head.begin = skip_spaces(code, *close + 1);
    }
    head.open = code.find_first_of("(;{}=", head.begin);
    if (head.open == kNone || code[head.open] != '(') {
        return std::nullopt;
    }
    const auto close = find_closing(code, head.open);
    head.body = close ? code.find_first_of(";{}(=", *close + 1) : kNone;
    if (head.body == kNone || code[head.body] != '{') {
        return std::nullopt;
    }
    const auto end = find_closing(code, head.body);
    if (!end) {
        return std::nullopt;
    }
    head.close = *close;
    head.end = *end;
    return head;
}

bool is_attribute(std::string_view code, std::size_t at, std::size_t end) {
    const std::size_t before = at == 0 ? kNone : code.find_last_not_of(kSpaces, at - 1);
    const char next = at_or_nothing(code, skip_spaces(code, end));
    return before != kNone && (code[before] == '[' || code[before] == ',') &&
           (next == ']' || next == ',');
}

std::vector<Head> find_heads(std::string_view code) {
    std::vector<Head> found;
    for (const std::string_view name : {"Differentiable", "BackwardDifferentiable"}) {
        for (std::size_t at = code.find(name); at != kNone; at = code.find(name, at + 1)) {
            const std::size_t end = at + name.size();
            const auto head = is_attribute(code, at, end) ? find_head(code, end) : std::nullopt;
            if (head) {
                found.push_back(*head);
            }
        }
    }
    std::sort(found.begin(), found.end(),
              [](const Head& a, const Head& b) { return a.body < b.body; });
    found.erase(std::unique(found.begin(), found.end(),
                            [](const Head& a, const Head& b) { return a.body == b.body; }),
                found.end());
    return found;
}

std::vector<std::string_view> split_parameters(std::string_view code) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= code.size(); ++at) {
        const char c = at_or_nothing(code, at);
        depth += std::string_view("([{<").find(c) != kNone && c != '\0' ? 1 : 0;
        depth -= std::string_view(")]}>").find(c) != kNone && c != '\0' ? 1 : 0;
        if (at == code.size() || (c == ',' && depth == 0)) {
            parts.push_back(code.substr(begin, at - begin));
            begin = at + 1;
        }
    }
    return parts;
}

/// What sends a parameter that is a number through a call; "" for any other. `const float t` and, behind func,
/// `t : float` cannot be assigned to, but hidden by a local name.
std::string passing_statement(std::string_view parameter, const Names& numbers) {
    const std::size_t colon = parameter.find(':');
    const std::size_t value = parameter.find('=');
    const std::string_view plain = parameter.substr(0, std::min(value, colon));
    Words words = words_of(plain);
    std::erase(words, "in");
    const bool is_const = std::erase(words, "const") > 0;
    const bool is_other = plain.find_first_of("[<*&") != kNone ||
                          std::any_of(words.begin(), words.end(), [](std::string_view word) {
                              return kOtherModifiers.contains(word);
                          });
    if (is_other) {
        return "";
    }
    if (words.size() == 2 && numbers.contains(words[0])) {
        return text(is_const ? " let " : " ", words[1], " = weft_parameter(", words[1], ");");
    }
    const Words type = colon == kNone ? Words{} : words_of(parameter.substr(colon, value - colon));
    return words.size() == 1 && type.size() == 1 && numbers.contains(type[0])
               ? text(" let ", words[0], " = weft_parameter(", words[0], ");")
               : "";
}

bool is_scalar_type(std::string_view word) {
    return kNumbers.contains(word) || kOtherScalars.contains(word);
}

bool has_scalar_types(std::string_view code, const Head& head) {
    const Words type = words_of(code.substr(head.begin, head.open - head.begin));
    if (type.size() < 2 || !is_scalar_type(type[type.size() - 2])) {
        return false;
    }
    for (const std::string_view part :
         split_parameters(code.substr(head.open + 1, head.close - head.open - 1))) {
        const Words words = words_of(part);
        if (std::none_of(words.begin(), words.end(), is_scalar_type) && !words.empty()) {
            return false;
        }
    }
    return true;
}

/// True for the `.` of `a.x` and the `[` of `f(a)[i]`.
bool reads_part(std::string_view body, std::size_t at) {
    const char before = at == 0 ? ' ' : body[at - 1];
    const char after = at_or_nothing(body, at + 1);
    const bool is_member = body[at] == '.' && !core::is_digit(before) && !core::is_digit(after);
    return is_member || (body[at] == '[' && before == ')');
}

/// Whether a word with the sign behind it stands for a vector, for what has elements or for an unknown call.
bool may_be_vector(std::string_view word, char next) {
    return !core::is_digit(word[0]) && ((next == '(' && !kScalarWords.contains(word)) ||
                                        next == '[' || word == "vector" || word == "matrix");
}

/// Whether nothing in a function can be a vector: its types are scalars, and it reads no member or element, and calls
/// what makes numbers of numbers.
bool has_only_numbers(std::string_view code, const Head& head) {
    if (!has_scalar_types(code, head)) {
        return false;
    }
    const std::string_view body = code.substr(head.body, head.end - head.body);
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t end = word_end(body, at);
        if (end == at) {
            if (reads_part(body, at)) {
                return false;
            }
            ++at;
            continue;
        }
        const std::string_view word = body.substr(at, end - at);
        const char next = at_or_nothing(body, skip_spaces(body, end));
        if (may_be_vector(word, next)) {
            return false;
        }
        at = end;
    }
    return body.find("float2") == kNone && body.find("float3") == kNone &&
           body.find("float4") == kNone;
}

} // namespace

std::string keep_parameter_gradients(std::string_view source) {
    if (source.find("Differentiable") == kNone) {
        return std::string(source);
    }
    const std::string code = blank_comments(source);
    const Names numbers = find_number_types(code);
    std::string result;
    std::size_t copied = 0;
    for (const Head& head : find_heads(code)) {
        if (has_only_numbers(code, head)) {
            continue;
        }
        result += source.substr(copied, head.body + 1 - copied);
        copied = head.body + 1;
        const std::string_view parameters =
            std::string_view(code).substr(head.open + 1, head.close - head.open - 1);
        for (const std::string_view parameter : split_parameters(parameters)) {
            result += passing_statement(parameter, numbers);
        }
    }
    result += source.substr(copied);
    return result;
}

} // namespace weft::compile
