// SPDX-License-Identifier: Apache-2.0
#include "tree_values.hpp"

#include "lower/tree_sockets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft::lower {

namespace {

/// A number, or the parts of what is more than one: of a vector "X" and on, of a matrix the sockets of the nodes that take it
/// apart, of a bundle its items, of a zone's ends the numbers of what rounds hand on.
struct Datum {
    double number = 0;
    std::map<std::string, Datum> parts{};

    [[nodiscard]] Datum part(const std::string& name) const {
        const auto found = parts.find(name);
        return found == parts.end() ? Datum{} : found->second;
    }
};

constexpr std::string_view kAxes = "XYZ";

/// What a socket of the group holds, of its leaves.
Datum gathered(const TreeSocket& socket, std::vector<double>::const_iterator& next) {
    const std::size_t count = socket.leaves.size();
    Datum whole;
    if (!socket.items.empty()) {
        for (const TreeSocket& item : socket.items) {
            whole.parts[item.name] = gathered(item, next);
        }
    } else if (count == 1) {
        whole.number = *next++;
    } else {
        for (std::size_t k = 0; k < count; k++) {
            const std::string name =
                socket.type == "NodeSocketMatrix" ? matrix_socket(k) : std::string(1, kAxes[k]);
            whole.parts[name].number = *next++;
        }
    }
    return whole;
}

/// The contrary of gathered().
void scatter(const TreeSocket& socket, const Datum& whole, std::vector<double>& numbers) {
    const std::size_t count = socket.leaves.size();
    if (!socket.items.empty()) {
        for (const TreeSocket& item : socket.items) {
            scatter(item, whole.part(item.name), numbers);
        }
    } else if (count == 1) {
        numbers.push_back(whole.number);
    } else {
        for (std::size_t k = 0; k < count; k++) {
            const std::string name =
                socket.type == "NodeSocketMatrix" ? matrix_socket(k) : std::string(1, kAxes[k]);
            numbers.push_back(whole.part(name).number);
        }
    }
}

float safe(float value) {
    return std::isfinite(value) ? value : 0.f;
}

float floored_modulo(float a, float b) {
    return b == 0 ? 0.f : a - std::floor(a / b) * b;
}

float math(const std::string& operation, float a, float b, float c) {
    using Function = std::function<float(float, float, float)>;
    static const std::map<std::string, Function> functions{
        {"ADD", [](float x, float y, float) { return x + y; }},
        {"SUBTRACT", [](float x, float y, float) { return x - y; }},
        {"MULTIPLY", [](float x, float y, float) { return x * y; }},
        {"DIVIDE", [](float x, float y, float) { return y == 0 ? 0.f : x / y; }},
        {"MULTIPLY_ADD", [](float x, float y, float z) { return x * y + z; }},
        {"MODULO", [](float x, float y, float) { return y == 0 ? 0.f : std::fmod(x, y); }},
        {"FLOORED_MODULO", [](float x, float y, float) { return floored_modulo(x, y); }},
        {"ABSOLUTE", [](float x, float, float) { return std::abs(x); }},
        {"SIGN", [](float x, float, float) { return x > 0 ? 1.f : (x < 0 ? -1.f : 0.f); }},
        {"MINIMUM", [](float x, float y, float) { return std::fmin(x, y); }},
        {"MAXIMUM", [](float x, float y, float) { return std::fmax(x, y); }},
        {"FLOOR", [](float x, float, float) { return std::floor(x); }},
        {"CEIL", [](float x, float, float) { return std::ceil(x); }},
        {"TRUNC", [](float x, float, float) { return std::trunc(x); }},
        {"FRACT", [](float x, float, float) { return x - std::floor(x); }},
        {"ROUND", [](float x, float, float) { return std::floor(x + 0.5f); }},
        {"SQRT", [](float x, float, float) { return x > 0 ? std::sqrt(x) : 0.f; }},
        {"INVERSE_SQRT", [](float x, float, float) { return x > 0 ? 1.f / std::sqrt(x) : 0.f; }},
        {"SINE", [](float x, float, float) { return std::sin(x); }},
        {"COSINE", [](float x, float, float) { return std::cos(x); }},
        {"TANGENT", [](float x, float, float) { return std::tan(x); }},
        {"ARCSINE", [](float x, float, float) { return safe(std::asin(x)); }},
        {"ARCCOSINE", [](float x, float, float) { return safe(std::acos(x)); }},
        {"ARCTANGENT", [](float x, float, float) { return std::atan(x); }},
        {"ARCTAN2", [](float x, float y, float) { return std::atan2(x, y); }},
        {"SINH", [](float x, float, float) { return std::sinh(x); }},
        {"COSH", [](float x, float, float) { return std::cosh(x); }},
        {"TANH", [](float x, float, float) { return std::tanh(x); }},
        {"EXPONENT", [](float x, float, float) { return std::exp(x); }},
        {"POWER", [](float x, float y, float) { return safe(std::pow(x, y)); }},
        {"LOGARITHM", [](float x, float y,
                         float) { return x > 0 && y > 0 ? safe(std::log(x) / std::log(y)) : 0.f; }},
        {"LESS_THAN", [](float x, float y, float) { return x < y ? 1.f : 0.f; }},
        {"GREATER_THAN", [](float x, float y, float) { return x > y ? 1.f : 0.f; }},
        {"COMPARE", [](float x, float y,
                       float z) { return std::abs(x - y) <= std::fmax(z, 1e-5f) ? 1.f : 0.f; }},
    };
    return functions.at(operation)(a, b, c);
}

std::int32_t wrapped(std::int64_t value) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

std::int64_t floored(std::int64_t x, std::int64_t y) {
    const bool is_between = x % y != 0 && (x < 0) != (y < 0);
    return x / y - (is_between ? 1 : 0);
}

std::int32_t integer_math(const std::string& operation, std::int64_t a, std::int64_t b) {
    using Function = std::function<std::int64_t(std::int64_t, std::int64_t)>;
    static const std::map<std::string, Function> functions{
        {"ADD", [](auto x, auto y) { return x + y; }},
        {"SUBTRACT", [](auto x, auto y) { return x - y; }},
        {"MULTIPLY", [](auto x, auto y) { return x * y; }},
        {"NEGATE", [](auto x, auto) { return -x; }},
        {"ABSOLUTE", [](auto x, auto) { return x < 0 ? -x : x; }},
        {"MINIMUM", [](auto x, auto y) { return std::min(x, y); }},
        {"MAXIMUM", [](auto x, auto y) { return std::max(x, y); }},
        {"SIGN", [](auto x, auto) { return std::int64_t{x > 0} - std::int64_t{x < 0}; }},
        {"DIVIDE", [](auto x, auto y) { return y == 0 ? y : x / y; }},
        {"DIVIDE_FLOOR", [](auto x, auto y) { return y == 0 ? y : floored(x, y); }},
        {"MODULO", [](auto x, auto y) { return y == 0 ? y : x % y; }},
        {"FLOORED_MODULO", [](auto x, auto y) { return y == 0 ? y : x - floored(x, y) * y; }},
    };
    return wrapped(functions.at(operation)(a, b));
}

std::uint32_t shifted(std::uint32_t word, std::int32_t by) {
    if (by > 31 || by < -31) {
        return 0;
    }
    return by >= 0 ? word << by : word >> -by;
}

std::int32_t bit_math(const std::string& operation, std::int32_t a, std::int32_t b) {
    using Function = std::function<std::uint32_t(std::uint32_t, std::uint32_t)>;
    static const std::map<std::string, Function> functions{
        {"AND", [](auto x, auto y) { return x & y; }},
        {"OR", [](auto x, auto y) { return x | y; }},
        {"XOR", [](auto x, auto y) { return x ^ y; }},
        {"NOT", [](auto x, auto) { return ~x; }},
        {"SHIFT", [](auto x, auto y) { return shifted(x, static_cast<std::int32_t>(y)); }},
    };
    return static_cast<std::int32_t>(
        functions.at(operation)(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)));
}

class Evaluation {
public:
    Evaluation(const Tree& tree, const std::vector<double>& inputs)
        : m_tree(tree), m_inputs(inputs) {}

    std::vector<double> run() {
        auto next = m_inputs.begin();
        m_values.resize(m_tree.nodes.size());
        for (std::size_t i = 0; i < m_tree.inputs.size(); i++) {
            m_values[0].parts[std::to_string(i)] = gathered(m_tree.inputs[i], next);
        }
        for (std::size_t i = 1; i < m_tree.nodes.size(); i++) {
            const auto zone = std::find_if(m_tree.zones.begin(), m_tree.zones.end(),
                                           [&](const Zone& found) { return found.input == i; });
            if (zone != m_tree.zones.end()) {
                run_zone(*zone);
                i = zone->output;
            } else {
                m_values[i] = evaluate(m_tree.nodes[i]);
            }
        }
        std::vector<double> results;
        for (std::size_t i = 0; i < m_tree.results.size(); i++) {
            scatter(m_tree.outputs[i], datum(m_tree.results[i]), results);
        }
        return results;
    }

private:
    void run_zone(const Zone& zone) {
        const auto items = [&](std::uint32_t number) {
            Datum values;
            for (std::size_t k = 0; k < zone.items.size(); k++) {
                const std::string name = std::to_string(k);
                values.parts[name].number = input(m_tree.nodes[number], name);
            }
            return values;
        };
        m_values[zone.output] = items(zone.input);
        const double rounds = input(m_tree.nodes[zone.input], "Iterations");
        for (double round = 0; round < rounds; round++) {
            m_values[zone.input] = m_values[zone.output];
            m_values[zone.input].parts["Iteration"].number = round;
            for (std::uint32_t i = zone.input + 1; i < zone.output; i++) {
                m_values[i] = evaluate(m_tree.nodes[i]);
            }
            m_values[zone.output] = items(zone.output);
        }
    }

    Datum datum(const Source& source) const {
        if (const auto* real = std::get_if<double>(&source)) {
            return {static_cast<float>(*real)};
        }
        if (const auto* integer = std::get_if<std::int64_t>(&source)) {
            return {static_cast<double>(*integer)};
        }
        if (const auto* truth = std::get_if<bool>(&source)) {
            return {*truth ? 1.0 : 0.0};
        }
        const Link& link = std::get<Link>(source);
        const TreeNode& node = m_tree.nodes[link.node];
        const Datum& whole = m_values.at(link.node);
        if (node.type == "NodeSeparateBundle") {
            return whole.part(
                node.items.at(std::stoul(link.socket.substr(link.socket.find('_') + 1))));
        }
        const bool has_parts = link.node == 0 || node.type.starts_with("GeometryNodeRepeat") ||
                               node.type.find("Separate") != std::string::npos;
        return has_parts ? whole.parts.at(link.socket) : whole;
    }

    Datum whole_input(const TreeNode& node, const std::string& socket) const {
        const auto found = std::find_if(node.inputs.begin(), node.inputs.end(),
                                        [&](const Input& entry) { return entry.socket == socket; });
        return found == node.inputs.end() ? Datum{} : datum(found->source);
    }

    double input(const TreeNode& node, const std::string& socket) const {
        return whole_input(node, socket).number;
    }

    /// A datum whose parts are the inputs of a node.
    Datum combined(const TreeNode& node) const {
        Datum whole;
        for (const Input& entry : node.inputs) {
            whole.parts[entry.socket] = datum(entry.source);
        }
        return whole;
    }

    Datum bundle(const TreeNode& node) const {
        Datum whole;
        for (std::size_t k = 0; k < node.items.size(); k++) {
            whole.parts[node.items[k]] = whole_input(node, "Item_" + std::to_string(k));
        }
        return whole;
    }

    static std::string property(const TreeNode& node, const std::string& name) {
        for (const auto& [key, value] : node.properties) {
            if (key == name) {
                return value;
            }
        }
        throw std::runtime_error(node.type + " without " + name);
    }

    Datum evaluate(const TreeNode& node) const {
        const auto whole = [&](const char* socket) {
            return static_cast<std::int32_t>(input(node, socket));
        };
        const auto real = [&](const char* socket) {
            return static_cast<float>(input(node, socket));
        };
        if (node.type == "ShaderNodeMath") {
            return {math(property(node, "operation"), real("Value"), real("Value_001"),
                         real("Value_002"))};
        }
        if (node.type == "ShaderNodeMix") {
            const bool is_clamped = node.properties.size() < 2;
            const float given = real("Factor_Float");
            const float factor = is_clamped ? std::fmin(std::fmax(given, 0.f), 1.f) : given;
            return {(1 - factor) * real("A_Float") + factor * real("B_Float")};
        }
        if (node.type == "ShaderNodeClamp") {
            return {std::fmin(std::fmax(real("Value"), real("Min")), real("Max"))};
        }
        if (node.type == "ShaderNodeSeparateXYZ" || node.type == "FunctionNodeSeparateMatrix" ||
            node.type == "NodeSeparateBundle") {
            return datum(node.inputs.at(0).source);
        }
        if (node.type == "ShaderNodeCombineXYZ" || node.type == "FunctionNodeCombineMatrix") {
            return combined(node);
        }
        if (node.type == "NodeCombineBundle") {
            return bundle(node);
        }
        if (node.type == "NodeJoinBundle") {
            Datum joined = whole_input(node, "Defaults");
            for (const auto& [name, part] : whole_input(node, "Bundle").parts) {
                joined.parts[name] = part;
            }
            return joined;
        }
        if (node.type == "FunctionNodeIntegerMath") {
            return {static_cast<double>(
                integer_math(property(node, "operation"), whole("Value"), whole("Value_001")))};
        }
        if (node.type == "FunctionNodeBitMath") {
            const bool is_shift = property(node, "operation") == "SHIFT";
            return {static_cast<double>(bit_math(property(node, "operation"), whole("A"),
                                                 whole(is_shift ? "Shift" : "B")))};
        }
        if (node.type == "FunctionNodeCompare") {
            const bool is_short =
                property(node, "data_type") == "FLOAT" || m_tree.version >= BlenderVersion{5, 2};
            const double a = input(node, is_short ? "A" : "A_INT");
            const double b = input(node, is_short ? "B" : "B_INT");
            const std::string operation = property(node, "operation");
            const bool result = operation == "LESS_THAN"       ? a < b
                                : operation == "LESS_EQUAL"    ? a <= b
                                : operation == "GREATER_EQUAL" ? a >= b
                                : operation == "EQUAL"         ? a == b
                                                               : a != b;
            return {result ? 1.0 : 0.0};
        }
        if (node.type == "FunctionNodeBooleanMath") {
            const std::string operation = property(node, "operation");
            const bool a = input(node, "Boolean") != 0;
            const bool b = input(node, "Boolean_001") != 0;
            const bool result = operation == "AND"   ? a && b
                                : operation == "OR"  ? a || b
                                : operation == "NOT" ? !a
                                                     : a == b;
            return {result ? 1.0 : 0.0};
        }
        if (node.type == "GeometryNodeMenuSwitch") {
            return {input(node, "Item_" + std::to_string(whole("Menu")))};
        }
        if (node.type == "GeometryNodeSwitch") {
            return {input(node, "Switch") != 0 ? input(node, "True") : input(node, "False")};
        }
        if (node.type == "GeometryNodeIndexSwitch") {
            const int index = static_cast<int>(input(node, "Index"));
            return {input(node, "Item_" + std::to_string(index))};
        }
        if (node.type == "FunctionNodeFloatToInt") {
            return {std::trunc(input(node, "Float"))};
        }
        throw std::runtime_error("there is no node " + node.type);
    }

    const Tree& m_tree;
    const std::vector<double>& m_inputs;
    std::vector<Datum> m_values;
};

} // namespace

std::vector<double> values_of(const Tree& tree, const std::vector<double>& inputs) {
    return Evaluation(tree, inputs).run();
}

} // namespace weft::lower
