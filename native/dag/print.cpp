// SPDX-License-Identifier: Apache-2.0
#include "dag/print.hpp"

#include "core/text.hpp"

#include <limits>
#include <sstream>
#include <unordered_map>

namespace weft::dag {

namespace {

std::string real_text(float value) {
    std::ostringstream stream;
    stream.precision(std::numeric_limits<float>::max_digits10);
    stream << value;
    return std::move(stream).str();
}

/// What a node is, without its arguments.
std::string label_of(const Function& function, const Node& node) {
    switch (node.op) {
    case Op::constant:
        switch (node.type) {
        case Scalar::real: return real_text(real_of(node.payload));
        case Scalar::integer: return std::to_string(static_cast<std::int32_t>(node.payload));
        default: return node.payload != 0 ? "true" : "false";
        }
    case Op::input:
        return core::text(node.type == Scalar::real ? "real " : "integer ", node.payload);
    case Op::lookup:
        return core::text("lookup ", function.textures[node.payload / 4].name, ".",
                          "xyzw"[node.payload % 4]);
    default: return std::string(operation(node.op).name);
    }
}

std::unordered_map<NodeId, std::size_t> numbers_of(const std::vector<NodeId>& live) {
    std::unordered_map<NodeId, std::size_t> numbers;
    for (const NodeId id : live) {
        numbers.emplace(id, numbers.size());
    }
    return numbers;
}

} // namespace

std::string print_text(const Function& function) {
    const std::vector<NodeId> live = function.live();
    const auto numbers = numbers_of(live);
    std::ostringstream out;
    for (const NodeId id : live) {
        const Node& node = function.graph[id];
        out << '%' << numbers.at(id) << " = " << label_of(function, node);
        for (std::size_t i = 0; i < node.count; i++) {
            out << " %" << numbers.at(node.arguments[i]);
        }
        out << '\n';
    }
    for (std::size_t i = 0; i < function.real_results.size(); i++) {
        out << "real " << i << " = %" << numbers.at(function.real_results[i]) << '\n';
    }
    for (std::size_t i = 0; i < function.integer_results.size(); i++) {
        out << "integer " << i << " = %" << numbers.at(function.integer_results[i]) << '\n';
    }
    return std::move(out).str();
}

std::string print_dot(const Function& function) {
    const std::vector<NodeId> live = function.live();
    const auto numbers = numbers_of(live);
    std::ostringstream out;
    out << "digraph function {\n";
    for (const NodeId id : live) {
        const Node& node = function.graph[id];
        out << "  n" << numbers.at(id) << " [label=\"" << label_of(function, node) << "\"];\n";
        for (std::size_t i = 0; i < node.count; i++) {
            out << "  n" << numbers.at(node.arguments[i]) << " -> n" << numbers.at(id) << ";\n";
        }
    }
    for (std::size_t i = 0; i < function.real_results.size(); i++) {
        out << "  real" << i << " [shape=box];\n  n" << numbers.at(function.real_results[i])
            << " -> real" << i << ";\n";
    }
    for (std::size_t i = 0; i < function.integer_results.size(); i++) {
        out << "  integer" << i << " [shape=box];\n  n" << numbers.at(function.integer_results[i])
            << " -> integer" << i << ";\n";
    }
    out << "}\n";
    return std::move(out).str();
}

} // namespace weft::dag
