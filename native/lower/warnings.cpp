// SPDX-License-Identifier: Apache-2.0
#include "lower/warnings.hpp"

#include <algorithm>
#include <cmath>

namespace weft::lower {

using dag::NodeId;
using dag::Op;

namespace {

/// Errors of a sine, about 1e-7, are 1e-5 of what is a hundred times as large.
constexpr float kLarge = 100;

bool is_wave(const dag::Graph& graph, NodeId id) {
    return graph[id].op == Op::sin || graph[id].op == Op::cos;
}

bool is_large(const dag::Graph& graph, NodeId id) {
    return graph[id].op == Op::constant && std::abs(dag::real_of(graph[id].payload)) > kLarge;
}

/// Whether the value is a sine times a large number.
bool is_large_wave(const dag::Graph& graph, NodeId id) {
    const dag::Node& node = graph[id];
    if (node.op != Op::f_mul) {
        return false;
    }
    const auto [a, b, unused] = node.arguments;
    return (is_wave(graph, a) && is_large(graph, b)) || (is_wave(graph, b) && is_large(graph, a));
}

} // namespace

std::vector<std::string> warnings_of(const dag::Function& function) {
    const std::vector<NodeId> live = function.live();
    const bool is_chaotic = std::any_of(live.begin(), live.end(), [&](NodeId id) {
        const dag::Node& node = function.graph[id];
        return (node.op == Op::fract || node.op == Op::floor) &&
               is_large_wave(function.graph, node.arguments[0]);
    });
    if (!is_chaotic) {
        return {};
    }
    return {"a hash of the last bits of a sine, frac(sin(x) * 43758), differs from renderer to "
            "renderer; "
            "use whiteNoise() of weft.noise"};
}

} // namespace weft::lower
