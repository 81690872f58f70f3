// SPDX-License-Identifier: Apache-2.0
#include "tree_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

namespace weft::lower {

namespace {

using Values = std::vector<double>;

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
        m_values.resize(m_tree.nodes.size());
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
            const std::size_t count = m_tree.outputs[i].leaves.size();
            if (count == 1) {
                results.push_back(number(m_tree.results[i]));
                continue;
            }
            const Values& vector = m_values.at(std::get<Link>(m_tree.results[i]).node);
            results.insert(results.end(), vector.begin(),
                           vector.begin() + static_cast<std::ptrdiff_t>(count));
        }
        return results;
    }

private:
    /// What a zone's first node gives is one number an item, and the number of the round.
    void run_zone(const Zone& zone) {
        const auto items = [&](std::uint32_t number, double round) {
            Values values;
            for (std::size_t k = 0; k < zone.items.size(); k++) {
                values.push_back(input(m_tree.nodes[number], std::to_string(k)));
            }
            values.push_back(round);
            return values;
        };
        m_values[zone.output] = items(zone.input, 0);
        const double rounds = input(m_tree.nodes[zone.input], "Iterations");
        for (double round = 0; round < rounds; round++) {
            m_values[zone.input] = m_values[zone.output];
            m_values[zone.input].back() = round;
            for (std::uint32_t i = zone.input + 1; i < zone.output; i++) {
                m_values[i] = evaluate(m_tree.nodes[i]);
            }
            m_values[zone.output] = items(zone.output, round);
        }
    }

    /// Which number of a node's an output is.
    std::size_t component_of(const Link& link) const {
        if (!m_tree.nodes[link.node].type.starts_with("GeometryNodeRepeat")) {
            return link.socket == "Y" ? 1 : (link.socket == "Z" ? 2 : 0);
        }
        return link.socket == "Iteration" ? m_values.at(link.node).size() - 1
                                          : std::stoul(link.socket);
    }

    /// The vector, or the number, of a socket of the group.
    Values of_group(const std::string& socket) const {
        std::size_t first = 0;
        const std::size_t index = std::stoul(socket);
        for (std::size_t i = 0; i < index; i++) {
            first += m_tree.inputs[i].leaves.size();
        }
        Values values;
        for (std::size_t k = 0; k < m_tree.inputs[index].leaves.size(); k++) {
            values.push_back(m_inputs.at(first + k));
        }
        return values;
    }

    double number(const Source& source) const {
        if (const auto* real = std::get_if<double>(&source)) {
            return static_cast<float>(*real);
        }
        if (const auto* integer = std::get_if<std::int64_t>(&source)) {
            return static_cast<double>(*integer);
        }
        if (const auto* truth = std::get_if<bool>(&source)) {
            return *truth ? 1 : 0;
        }
        const Link& link = std::get<Link>(source);
        if (link.node == 0) {
            return of_group(link.socket)[0];
        }
        return m_values.at(link.node).at(component_of(link));
    }

    double input(const TreeNode& node, const std::string& socket, double otherwise = 0) const {
        for (const Input& entry : node.inputs) {
            if (entry.socket == socket) {
                return number(entry.source);
            }
        }
        return otherwise;
    }

    static std::string property(const TreeNode& node, const std::string& name) {
        for (const auto& [key, value] : node.properties) {
            if (key == name) {
                return value;
            }
        }
        throw std::runtime_error(node.type + " without " + name);
    }

    Values evaluate(const TreeNode& node) const {
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
        if (node.type == "ShaderNodeSeparateXYZ") {
            return of_group(std::get<Link>(node.inputs[0].source).socket);
        }
        if (node.type == "ShaderNodeCombineXYZ") {
            return {input(node, "X"), input(node, "Y"), input(node, "Z")};
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
            const bool is_real = property(node, "data_type") == "FLOAT";
            const double a = input(node, is_real ? "A" : "A_INT");
            const double b = input(node, is_real ? "B" : "B_INT");
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
    std::vector<Values> m_values;
};

} // namespace

std::vector<double> values_of(const Tree& tree, const std::vector<double>& inputs) {
    return Evaluation(tree, inputs).run();
}

} // namespace weft::lower
