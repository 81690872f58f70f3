// SPDX-License-Identifier: Apache-2.0
#include "lower/emitter.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "lower/node_table.hpp"

#include <array>
#include <numbers>

namespace weft::lower {

using core::text;
using dag::Op;

namespace {

/// Reals alone are one node in every tree; of integers and booleans the tree decides.
bool is_one_node(const dag::Node& own, TreeKind tree) {
    const bool is_real =
        own.type == dag::Scalar::real && operation(own.op).argument == dag::Scalar::real;
    return is_real || tree == TreeKind::geometry || own.op == Op::f_less;
}

} // namespace

Source Emitter::node(std::string_view type,
                     std::vector<std::pair<std::string, std::string>> properties,
                     std::vector<Input> inputs, std::string_view output) {
    return Link{add({std::string(type), std::move(properties), std::move(inputs)}),
                std::string(output)};
}

std::uint32_t Emitter::add(TreeNode node) {
    m_tree.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(m_tree.nodes.size() - 1);
}

Source Emitter::math(std::string_view operation, std::initializer_list<Source> arguments) {
    constexpr std::array<std::string_view, 3> kSockets{"Value", "Value_001", "Value_002"};
    std::vector<Input> inputs;
    inputs.reserve(arguments.size());
    for (const Source& argument : arguments) {
        inputs.push_back({std::string(kSockets[inputs.size()]), argument});
    }
    return node("ShaderNodeMath", {{"operation", std::string(operation)}}, std::move(inputs),
                "Value");
}

bool Emitter::is_menu(const Leaf& leaf) const noexcept {
    const bool has_menus =
        m_tree.kind == TreeKind::geometry || m_tree.version >= BlenderVersion{5, 2};
    return has_menus && leaf.enumeration != nullptr && !leaf.enumeration->enumerators.empty();
}

Source Emitter::case_of(const Leaf& leaf, Source menu, std::string_view type) {
    TreeNode node{
        "GeometryNodeMenuSwitch", {{"data_type", std::string(type)}}, {{"Menu", std::move(menu)}}};
    for (const reflect::Enumerator& entry : leaf.enumeration->enumerators) {
        const auto value = static_cast<std::int32_t>(entry.value);
        Input& item = node.inputs.emplace_back();
        item.socket = text("Item_", node.items.size());
        if (type == "INT") {
            item.source = std::int64_t{value};
        } else {
            item.source = static_cast<double>(value);
        }
        node.items.push_back(entry.name);
    }
    return Link{add(std::move(node)), "Output"};
}

Source Emitter::emit(dag::NodeId id, std::span<const Source> arguments) {
    const dag::Node& own = m_graph[id];
    Source result = 0.0;
    const NodeEntry entry = node_of(own.op, m_tree.kind, m_tree.version);
    if (!entry.type.empty() && is_one_node(own, m_tree.kind)) {
        std::vector<std::pair<std::string, std::string>> properties{
            {std::string(entry.property), std::string(entry.value)}};
        if (!entry.data.empty()) {
            properties.insert(properties.begin(), {"data_type", std::string(entry.data)});
        }
        std::vector<Input> inputs;
        inputs.reserve(arguments.size());
        for (const Source& argument : arguments) {
            inputs.push_back({std::string(entry.inputs[inputs.size()]), argument});
        }
        return node(entry.type, std::move(properties), std::move(inputs), entry.output);
    }
    if (emit_real(own, arguments, result) || emit_other(id, arguments, result)) {
        return result;
    }
    throw core::ArgumentError(text(
        "lower: no node of a ",
        m_tree.kind == TreeKind::geometry ? "geometry" : "shader or compositor", " tree computes '",
        operation(own.op).name, "'; use OSL, or write it with other operations"));
}

Source Emitter::emit_fused(Fused kind, const std::array<Source, 4>& a) {
    switch (kind) {
    case Fused::clamp:
        return node("ShaderNodeClamp", {{"clamp_type", "MINMAX"}},
                    {{"Value", a[0]}, {"Min", a[1]}, {"Max", a[2]}}, "Result");
    case Fused::contrary:
        return node("ShaderNodeMix", {{"data_type", "FLOAT"}},
                    {{"Factor_Float", math("GREATER_THAN", {a[0], a[1]})},
                     {"A_Float", a[3]},
                     {"B_Float", a[2]}},
                    "Result_Float");
    default: return math("MULTIPLY_ADD", {a[0], a[1], a[2]});
    }
}

/// The Round of Math moves halves up. What lies above the even number below, from 0 to 2, says what is added to that.
Source Emitter::rounded_to_even(const Source& value) {
    const Source even = math("MULTIPLY", {math("FLOOR", {math("MULTIPLY", {value, 0.5})}), 2.0});
    const Source above = math("SUBTRACT", {value, even});
    const Source steps =
        math("SUBTRACT", {math("GREATER_THAN", {above, 0.5}), math("LESS_THAN", {above, 1.5})});
    return math("ADD", {even, math("ADD", {steps, 1.0})});
}

/// To the nearest number of 16 bits, ties to even: what is added and taken away again leaves no more bits than halves have, 11
/// of what is large and multiples of 2^-24 of what is small. Beyond the largest half it is that.
Source Emitter::rounded_to_half(const Source& value) {
    constexpr double kMaxHalf = 65504;
    constexpr double kBits = 8192;    // 2^(24 - 11)
    constexpr double kMinHigh = 0.75; // floats between .5 and 1 are multiples of 2^-24
    const Source size = math("MINIMUM", {math("ABSOLUTE", {value}), kMaxHalf});
    const Source high = math("MAXIMUM", {math("MULTIPLY", {size, kBits}), kMinHigh});
    const Source rounded = math("SUBTRACT", {math("ADD", {size, high}), high});
    return math("MULTIPLY", {math("SIGN", {value}), rounded});
}

/// Functions of reals that take several nodes.
bool Emitter::emit_real(const dag::Node& own, std::span<const Source> a, Source& result) {
    switch (own.op) {
    case Op::f_neg: result = math("MULTIPLY", {a[0], -1.0}); return true;
    case Op::f_mix:
        result =
            node("ShaderNodeMix", {{"data_type", "FLOAT"}, {"clamp_factor", "false"}},
                 {{"Factor_Float", a[2]}, {"A_Float", a[0]}, {"B_Float", a[1]}}, "Result_Float");
        return true;
    case Op::to_half: result = rounded_to_half(a[0]); return true;
    case Op::round_even: result = rounded_to_even(a[0]); return true;
    case Op::log: result = math("LOGARITHM", {a[0], std::numbers::e}); return true;
    case Op::log2: result = math("LOGARITHM", {a[0], 2.0}); return true;
    case Op::exp2: result = math("POWER", {2.0, a[0]}); return true;
    case Op::asinh: {
        const Source size = math("ABSOLUTE", {a[0]});
        const Source root = math("SQRT", {math("MULTIPLY_ADD", {size, size, 1.0})});
        const Source found = math("LOGARITHM", {math("ADD", {size, root}), std::numbers::e});
        result = math("MULTIPLY", {math("SIGN", {a[0]}), found});
        return true;
    }
    case Op::acosh: {
        const Source root = math("SQRT", {math("MULTIPLY_ADD", {a[0], a[0], -1.0})});
        result = math("LOGARITHM", {math("ADD", {a[0], root}), std::numbers::e});
        return true;
    }
    case Op::atanh: {
        const Source above = math("ADD", {1.0, a[0]});
        const Source below = math("SUBTRACT", {1.0, a[0]});
        const Source found = math("LOGARITHM", {math("DIVIDE", {above, below}), std::numbers::e});
        result = math("MULTIPLY", {found, 0.5});
        return true;
    }
    default: return false;
    }
}

} // namespace weft::lower
