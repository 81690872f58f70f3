// SPDX-License-Identifier: Apache-2.0
#include "lower/fusion.hpp"

namespace weft::lower {

using dag::NodeId;
using dag::Op;

namespace {

class Fusion {
public:
    Fusion(const dag::Function& function, TreeKind kind)
        : m_graph(function.graph), m_kind(kind), m_found(function.graph.size()),
          m_uses(function.graph.size(), 0), m_live(function.live()) {
        for (const NodeId id : m_live) {
            const dag::Node& node = m_graph[id];
            for (std::size_t k = 0; k < node.count; k++) {
                m_uses[node.arguments[k]]++;
            }
        }
        for (const auto* results : {&function.real_results, &function.integer_results}) {
            for (const NodeId id : *results) {
                m_uses[id]++;
            }
        }
    }

    std::vector<FusedOperation> run() {
        // From the results on: what a node absorbs is used by nothing that comes later.
        for (std::size_t k = m_live.size(); k-- > 0;) {
            const NodeId id = m_live[k];
            if (m_found[id].kind == Fused::none) {
                look_at(id);
            }
        }
        return std::move(m_found);
    }

private:
    void look_at(NodeId id) {
        const dag::Node& node = m_graph[id];
        const auto [a, b, c] = node.arguments;
        switch (node.op) {
        case Op::f_add: add(id, a, b); return;
        case Op::f_sub: subtract(id, a, b); return;
        case Op::f_min: clamp(id, a, b); return;
        case Op::select:
            if (m_kind != TreeKind::geometry && is_free(a, Op::f_less_equal)) {
                const auto& sides = m_graph[a].arguments;
                m_found[id] = {Fused::contrary, {sides[0], sides[1], c, b}, {}};
                m_found[a].kind = Fused::absorbed;
            }
            return;
        default: return;
        }
    }

    void add(NodeId id, NodeId a, NodeId b) {
        if (is_free(a, Op::f_mul)) {
            multiply_add(id, a, b, false, false);
        } else if (is_free(b, Op::f_mul)) {
            multiply_add(id, b, a, false, false);
        }
    }

    void subtract(NodeId id, NodeId a, NodeId b) {
        if (is_free(a, Op::f_mul) && is_constant(b)) {
            multiply_add(id, a, b, false, true);
        } else if (is_free(b, Op::f_mul) && has_constant(b)) {
            multiply_add(id, b, a, true, false);
        }
    }

    /// @param negates_product of which one factor is a constant
    void multiply_add(NodeId id, NodeId product, NodeId added, bool negates_product,
                      bool negates_added) {
        auto [a, b, unused] = m_graph[product].arguments;
        if (negates_product && !is_constant(b)) {
            std::swap(a, b);
        }
        m_found[id] = {
            Fused::multiply_add, {a, b, added, 0}, {false, negates_product, negates_added, false}};
        m_found[product].kind = Fused::absorbed;
    }

    void clamp(NodeId id, NodeId a, NodeId b) {
        // Which argument is the bound does not matter: both are picked from.
        if (!is_free(a, Op::f_max)) {
            std::swap(a, b);
        }
        if (!is_free(a, Op::f_max) || !is_constant(b)) {
            return;
        }
        auto [value, low, unused] = m_graph[a].arguments;
        if (is_constant(value)) {
            std::swap(value, low);
        }
        // With bounds the wrong way round the node gives another one of them.
        if (!is_constant(low) || !(real_of(low) <= real_of(b))) {
            return;
        }
        m_found[id] = {Fused::clamp, {value, low, b, 0}, {}};
        m_found[a].kind = Fused::absorbed;
    }

    [[nodiscard]] bool is_constant(NodeId id) const { return m_graph[id].op == Op::constant; }
    [[nodiscard]] float real_of(NodeId id) const { return dag::real_of(m_graph[id].payload); }
    [[nodiscard]] bool has_constant(NodeId product) const {
        const auto& factors = m_graph[product].arguments;
        return is_constant(factors[0]) || is_constant(factors[1]);
    }
    /// Whether nothing else uses the operation.
    [[nodiscard]] bool is_free(NodeId id, Op op) const {
        return m_graph[id].op == op && m_uses[id] == 1 && m_found[id].kind == Fused::none;
    }

    const dag::Graph& m_graph;
    TreeKind m_kind;
    std::vector<FusedOperation> m_found;
    std::vector<std::uint32_t> m_uses;
    std::vector<NodeId> m_live;
};

} // namespace

std::vector<FusedOperation> fuse(const dag::Function& function, TreeKind kind) {
    return Fusion(function, kind).run();
}

} // namespace weft::lower
