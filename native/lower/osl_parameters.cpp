// SPDX-License-Identifier: Apache-2.0
#include "lower/osl_parameters.hpp"

#include "core/text.hpp"
#include "dag/spirv.hpp"
#include "lower/osl_operations.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace weft::lower::osl {

using core::text;

namespace {

/// Keywords, the global variables of shaders, and functions and macros of stdosl.h.
// clang-format off
constexpr auto kTaken = std::to_array<std::string_view>({
    "and", "break", "closure", "color", "continue", "do", "else", "emit", "float", "for", "if",
    "illuminance", "illuminate", "int", "matrix", "normal", "not", "or", "output", "point",
    "public", "return", "string", "struct", "vector", "void", "while", "bool", "case", "catch",
    "char", "class", "const", "delete", "default", "double", "enum", "extern", "false", "friend",
    "goto", "inline", "long", "new", "operator", "private", "protected", "short", "signed",
    "sizeof", "static", "switch", "template", "this", "throw", "true", "try", "typedef",
    "uniform", "union", "unsigned", "varying", "virtual", "volatile", "shader", "surface",
    "displacement", "volume", "light", "P", "I", "N", "Ng", "u", "v", "dPdu", "dPdv", "Ps",
    "time", "dtime", "dPdtime", "Ci", "M_PI", "M_E", "abs", "fabs", "acos", "area", "arraylength",
    "asin", "atan", "atan2", "backfacing", "calculatenormal", "cbrt", "ceil", "cellnoise",
    "clamp", "concat", "cos", "cosh", "cross", "degrees", "determinant", "dict_find", "distance",
    "dot", "erf", "error", "exit", "exp", "exp2", "expm1", "filterwidth", "floor", "fmod",
    "fprintf", "getattribute", "hash", "hypot", "inversesqrt", "isfinite", "isinf", "isnan",
    "length", "linearstep", "log", "log10", "log2", "logb", "luminance", "max", "min", "mix",
    "mod", "noise", "normalize", "pnoise", "pow", "printf", "radians", "raytype", "reflect",
    "rotate", "round", "select", "sign", "sin", "sqrt", "step", "tan"});
// clang-format on

bool is_taken(const std::string& name) {
    // Variables, temporary values and arrays of the shader: v0, t0, m0.
    const bool is_generated = name.size() > 1 &&
                              std::string_view("vtm").find(name[0]) != std::string_view::npos &&
                              name.find_first_not_of("0123456789", 1) == std::string::npos;
    return is_generated || name.starts_with("weft_") || name.starts_with("__") ||
           std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end();
}

bool is_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

/// A string of OSL.
std::string quoted(std::string_view words) {
    std::string made = "\"";
    for (const char letter : words) {
        if (letter == '"' || letter == '\\') {
            made += '\\';
        }
        made += letter == '\n' ? ' ' : letter;
    }
    return made + '"';
}

std::string number_text(double value, bool is_real) {
    dag::Node node;
    node.type = is_real ? dag::Scalar::real : dag::Scalar::integer;
    node.payload = is_real ? dag::word_of(static_cast<float>(value))
                           : static_cast<dag::Word>(static_cast<std::int64_t>(value));
    return literal(node);
}

std::string default_text(const Hints& hints, const SocketLeaves& socket, bool is_color) {
    const Leaf& first = socket.leaves[0];
    if (socket.leaves.size() == 1) {
        return number_text(hints.default_value.value_or(first.default_value), first.is_real);
    }
    std::string numbers;
    bool is_zero = true;
    for (const Leaf& leaf : socket.leaves) {
        is_zero = is_zero && leaf.default_value == 0;
        numbers += (numbers.empty() ? "" : ", ") + number_text(leaf.default_value, true);
    }
    constexpr std::size_t kComponents = 3;
    const std::string rest = socket.leaves.size() < kComponents ? ", 0.0" : "";
    return text(is_color ? "color(" : "vector(", is_zero ? "0.0" : numbers + rest, ')');
}

/// What Blender and others show of a parameter.
std::string metadata_text(const Hints& hints, const SocketLeaves& socket, const std::string& name) {
    const bool is_real = socket.leaves[0].is_real;
    std::string made;
    const auto say = [&](std::string_view key, const std::string& words) {
        made += text(made.empty() ? "" : ", ", key, " = ", words);
    };
    const std::string& label = hints.label.empty() ? socket.name : hints.label;
    if (label != name) {
        say("string label", quoted(label));
    }
    if (!hints.tooltip.empty()) {
        say("string help", quoted(hints.tooltip));
    }
    if (socket.leaves[0].kind == reflect::ScalarKind::bool_) {
        say("string widget", "\"boolean\"");
    }
    for (const auto& [key, value] :
         {std::pair("min", hints.minimum), std::pair("max", hints.maximum)}) {
        if (value.has_value()) {
            say(text(is_real ? "float " : "int ", key), number_text(*value, is_real));
        }
    }
    return made;
}

std::string_view type_of(const SocketLeaves& socket) {
    if (socket.leaves.size() > 1) {
        return "vector ";
    }
    return socket.leaves[0].is_real ? "float " : "int ";
}

} // namespace

std::string valid_name(const std::string& name) {
    std::string made;
    for (const char letter : name) {
        const bool is_fine = is_letter(letter) || is_digit(letter);
        if (is_fine || (!made.empty() && made.back() != '_')) {
            made += is_fine ? letter : '_';
        }
    }
    made.resize(made.find_last_not_of('_') + 1);
    if (made.empty() || !is_letter(made[0])) {
        made = std::string("x").append(made);
    }
    return is_taken(made) ? made + '_' : made;
}

Parameters::Parameters(const Call& call) {
    for (const Value& value : call.inputs) {
        add(value, false);
    }
    for (const Value& value : call.results) {
        add(value, true);
    }
}

std::string Parameters::unused_name(const std::string& name, bool is_output) {
    const std::string base = valid_name(name);
    std::string made = base;
    if (is_output && m_names.contains(made)) {
        made = base + "_out";
    }
    for (int number = 2; !m_names.insert(made).second; number++) {
        made = text(base, '_', number);
    }
    return made;
}

void Parameters::place_leaves(const SocketLeaves& socket, const std::string& name, Places& places) {
    const bool is_vector = socket.leaves.size() > 1;
    for (std::size_t k = 0; k < socket.leaves.size(); k++) {
        const Leaf& leaf = socket.leaves[k];
        places[{leaf.is_real, leaf.number}] = is_vector ? text(name, '[', k, ']') : name;
    }
}

void Parameters::add(const Value& value, bool is_output) {
    for (const SocketLeaves& socket : sockets_of(value)) {
        const Leaf& first = socket.leaves[0];
        const std::string name = unused_name(socket.name, is_output);
        place_leaves(socket, name, is_output ? m_results : m_inputs);
        const bool is_color = (value.hints.is_color || first.is_color) && socket.leaves.size() == 3;
        const std::string_view type = is_color ? "color " : type_of(socket);
        m_declarations +=
            text(m_declarations.empty() ? "" : ",\n", "    ", is_output ? "output " : "", type,
                 name, " = ", default_text(value.hints, socket, is_color));
        const std::string metadata = metadata_text(value.hints, socket, name);
        if (!metadata.empty()) {
            m_declarations += text(" [[ ", metadata, " ]]");
        }
    }
}

std::string Parameters::add_image(const ImageSlot& slot) {
    std::string name = unused_name(slot.name, false);
    m_names.insert(name + "_is_srgb");
    const std::string& label = slot.hints.label.empty() ? slot.name : slot.hints.label;
    const std::string help =
        slot.hints.tooltip.empty() ? "" : text(", string help = ", quoted(slot.hints.tooltip));
    m_declarations += text(",\n    string ", name, " = \"\" [[ string label = ", quoted(label),
                           ", string widget = \"filename\"", help, " ]],\n    int ", name,
                           "_is_srgb = 1 [[ string label = ", quoted(label + " is sRGB"),
                           ", string widget = \"boolean\" ]]");
    return name;
}

const std::string& Parameters::input(bool is_real, std::uint32_t number) const {
    const auto found = m_inputs.find({is_real, number});
    if (found == m_inputs.end()) {
        throw dag::SpirvError("spirv: an input is read that the function has not");
    }
    return found->second;
}

const std::string& Parameters::result(bool is_real, std::uint32_t number) const {
    const auto found = m_results.find({is_real, number});
    if (found == m_results.end()) {
        throw dag::SpirvError("spirv: a result is written that the function has not");
    }
    return found->second;
}

} // namespace weft::lower::osl
