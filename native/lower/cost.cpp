// SPDX-License-Identifier: Apache-2.0
#include "lower/cost.hpp"

#include <algorithm>
#include <array>

namespace weft::lower {

namespace {

struct KindCost {
    std::string_view name; ///< of a node's operation, or its type
    double shade = 0;      ///< ns a shade
    double million = 0;    ///< ms a million points
};

/// Shades: means of chains of equal nodes in Blender 4.5 and 5.2. Points: fitted to the corpus of the tests, because chains of one
/// kind keep their values in the first cache and take all branches alike. ./dev bench lower compares sums with whole functions.
constexpr std::array kKinds{
    KindCost{"ADD", 3.4, 0.08},
    KindCost{"SUBTRACT", 3.4, 0.08},
    KindCost{"MULTIPLY", 3.4, 0.15},
    KindCost{"MULTIPLY_ADD", 3.5, 0.08},
    KindCost{"MINIMUM", 3.8, 0.09},
    KindCost{"MAXIMUM", 3.8, 0.09},
    KindCost{"DIVIDE", 4.6, 0.7},
    KindCost{"MODULO", 6, 1.6},
    KindCost{"FLOORED_MODULO", 6, 1.6},
    KindCost{"FRACT", 3.8, 0.4},
    KindCost{"FLOOR", 3.5, 0.1},
    KindCost{"SQRT", 5.2, 1.2},
    KindCost{"INVERSE_SQRT", 5.5, 1.8},
    KindCost{"SINE", 6.8, 5.2},
    KindCost{"COSINE", 7.3, 5.8},
    KindCost{"TANGENT", 20, 8.2},
    KindCost{"ARCSINE", 6, 2.5},
    KindCost{"ARCCOSINE", 5, 2.5},
    KindCost{"ARCTANGENT", 14, 5},
    KindCost{"ARCTAN2", 20, 6},
    KindCost{"SINH", 10, 5},
    KindCost{"COSH", 6, 4},
    KindCost{"TANH", 26, 7.4},
    KindCost{"EXPONENT", 4.5, 1},
    KindCost{"POWER", 10.5, 4},
    KindCost{"LOGARITHM", 6.8, 1},
    KindCost{"LESS_THAN", 3.5, 0.7},
    KindCost{"LESS_EQUAL", 3.5, 0.9},
    KindCost{"EQUAL", 3.5, 2},
    KindCost{"NOT_EQUAL", 3.5, 2},
    KindCost{"DIVIDE_FLOOR", 3.5, 2},
    KindCost{"COMPARE", 6.2, 0.2},
    KindCost{"ShaderNodeMix", 4, 0.4},
    KindCost{"ShaderNodeClamp", 3.4, 0.19},
    KindCost{"ShaderNodeSeparateXYZ", 3.8, 1.6},
    KindCost{"ShaderNodeCombineXYZ", 3.8, 0.1},
    KindCost{"ShaderNodeTexWhiteNoise", 14, 5},
    KindCost{"ShaderNodeTexNoise", 56, 120},
    KindCost{"ShaderNodeTexVoronoi", 200, 250},
    KindCost{"ShaderNodeTexImage", 40, 0}, // of floats 26, of bytes 53
    KindCost{"GeometryNodeImageTexture", 0, 48},
    KindCost{"GeometryNodeMenuSwitch", 0, 0}, // of one value, not of points
    KindCost{"GeometryNodeSwitch", 0, 0.7},
    KindCost{"GeometryNodeIndexSwitch", 0, 0}, // of single values
    KindCost{"GeometryNodeRepeatInput", 0, 0},
    KindCost{"GeometryNodeRepeatOutput", 0, 0},
    KindCost{"FunctionNodeFloatToInt", 0, 0.4},
    KindCost{"FunctionNodeSeparateMatrix", 0, 20}, // 1.6 an element that is used
    KindCost{"FunctionNodeCombineMatrix", 0, 30},
    KindCost{"NodeCombineBundle", 0, 0}, // 10 us, of points of any number; none are left in a shade
    KindCost{"NodeSeparateBundle", 0, 0},
    KindCost{"NodeJoinBundle", 0, 0},
};
constexpr KindCost kOther{"", 3.6, 0.1};

const KindCost& cost_of_kind(std::string_view name) noexcept {
    const auto* found = std::find_if(kKinds.begin(), kKinds.end(),
                                     [&](const KindCost& kind) { return kind.name == name; });
    return found == kKinds.end() ? kOther : *found;
}

/// A node's operation says what it takes, if it has one.
const KindCost& cost_of_node(const TreeNode& node) noexcept {
    for (const auto& [name, value] : node.properties) {
        if (name == "operation") {
            return cost_of_kind(value);
        }
    }
    return cost_of_kind(node.type);
}

double rounds_of(const Tree& tree, const Zone& zone) noexcept {
    const auto* rounds = std::get_if<std::int64_t>(&tree.nodes[zone.input].inputs[0].source);
    return rounds == nullptr ? 1 : static_cast<double>(*rounds);
}

} // namespace

double cost_of(const Tree& tree) noexcept {
    double cost = 0;
    auto zone = tree.zones.begin();
    for (std::size_t i = 1; i < tree.nodes.size(); i++) {
        zone += zone != tree.zones.end() && zone->output < i ? 1 : 0;
        const bool is_within = zone != tree.zones.end() && zone->input < i && i < zone->output;
        const KindCost& kind = cost_of_node(tree.nodes[i]);
        cost += (tree.kind == TreeKind::shader ? kind.shade : kind.million) *
                (is_within ? rounds_of(tree, *zone) : 1);
    }
    return cost;
}

std::string_view cost_unit(TreeKind kind) noexcept {
    switch (kind) {
    case TreeKind::geometry: return "ms a million points";
    case TreeKind::compositor: return "ms a million pixels";
    default: return "ns a shade";
    }
}

} // namespace weft::lower
