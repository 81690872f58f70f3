// SPDX-License-Identifier: Apache-2.0
#include "lower/zones.hpp"

#include "lower/zone_plan.hpp"

#include <algorithm>

namespace weft::lower {

namespace {

/// From here on groups with zones are made faster than those without, and are as fast with many points; with few, a zone's
/// round takes 10 us longer than the same nodes.
constexpr std::size_t kMinRounds = 8;
constexpr std::size_t kMinSaved = 24; ///< nodes
constexpr std::size_t kMaxTried = 12; ///< stretches

/// Puts one zone in the place of the nodes of a plan.
class Rewriting {
public:
    Rewriting(Tree& tree, const ZonePlan& plan)
        : m_tree(tree), m_plan(plan), m_input(static_cast<std::uint32_t>(plan.start)),
          m_body(static_cast<std::uint32_t>(plan.start + 1 + plan.tables.size())),
          m_output(static_cast<std::uint32_t>(m_body + plan.period)),
          m_end(static_cast<std::uint32_t>(plan.start + plan.period * plan.rounds)) {}

    void run() {
        std::vector<TreeNode> old = std::move(m_tree.nodes);
        std::vector<TreeNode>& nodes = m_tree.nodes;
        nodes.assign(std::move_iterator(old.begin()), std::move_iterator(old.begin() + m_input));
        nodes.push_back(first_node());
        for (const std::vector<Source>& table : m_plan.tables) {
            nodes.push_back(table_node(table));
        }
        for (std::size_t k = 0; k < m_plan.period; k++) {
            nodes.push_back(body_node(std::move(old[m_plan.start + k]), k));
        }
        nodes.push_back(last_node());
        for (std::size_t i = m_end; i < old.size(); i++) {
            for (Input& input : old[i].inputs) {
                move_behind(input.source);
            }
            nodes.push_back(std::move(old[i]));
        }
        for (Source& result : m_tree.results) {
            move_behind(result);
        }
        for (Zone& zone : m_tree.zones) { // all of them lie behind
            zone.input -= m_end - m_output - 1;
            zone.output -= m_end - m_output - 1;
        }
        Zone zone{m_input, m_output, {}};
        for (const ZoneState& state : m_plan.states) {
            zone.items.push_back(state.type);
        }
        m_tree.zones.insert(m_tree.zones.begin(), std::move(zone));
    }

private:
    [[nodiscard]] TreeNode first_node() const {
        TreeNode node{"GeometryNodeRepeatInput", {}, {}};
        node.inputs.push_back({"Iterations", static_cast<std::int64_t>(m_plan.rounds)});
        for (std::size_t i = 0; i < m_plan.states.size(); i++) {
            if (const std::optional<Source>& first = m_plan.states[i].first.front()) {
                node.inputs.push_back({std::to_string(i), *first});
            }
        }
        return node;
    }

    [[nodiscard]] TreeNode table_node(const std::vector<Source>& table) const {
        const std::string type = std::holds_alternative<double>(table[0])         ? "FLOAT"
                                 : std::holds_alternative<std::int64_t>(table[0]) ? "INT"
                                                                                  : "BOOLEAN";
        TreeNode node{"GeometryNodeIndexSwitch", {{"data_type", type}}, {}};
        node.inputs.push_back({"Index", Link{m_input, "Iteration"}});
        for (std::size_t round = 0; round < table.size(); round++) {
            node.inputs.push_back({"Item_" + std::to_string(round), table[round]});
        }
        return node;
    }

    [[nodiscard]] TreeNode body_node(TreeNode node, std::size_t place) const {
        for (std::size_t i = 0; i < node.inputs.size(); i++) {
            Source& source = node.inputs[i].source;
            const auto state = m_plan.by_state.find({place, i});
            const auto table = m_plan.by_table.find({place, i});
            if (state != m_plan.by_state.end()) {
                source = Link{m_input, std::to_string(state->second)};
            } else if (table != m_plan.by_table.end()) {
                source = Link{static_cast<std::uint32_t>(m_input + 1 + table->second), "Output"};
            } else if (auto* link = std::get_if<Link>(&source);
                       link != nullptr && link->node >= m_input) {
                link->node += m_body - m_input;
            }
        }
        return node;
    }

    [[nodiscard]] TreeNode last_node() const {
        TreeNode node{"GeometryNodeRepeatOutput", {}, {}};
        for (std::size_t i = 0; i < m_plan.states.size(); i++) {
            const ZoneState& state = m_plan.states[i];
            node.inputs.push_back(
                {std::to_string(i),
                 state.first.size() > 1
                     ? Link{m_input, std::to_string(state.next)}
                     : Link{static_cast<std::uint32_t>(m_body + state.node), state.socket}});
        }
        return node;
    }

    void move_behind(Source& source) const {
        auto* link = std::get_if<Link>(&source);
        if (link == nullptr || link->node < m_input) {
            return;
        }
        if (link->node >= m_end) {
            link->node -= m_end - m_output - 1;
        } else {
            *link = {m_output, std::to_string(m_plan.leaving.at({link->node, link->socket}))};
        }
    }

    Tree& m_tree;
    const ZonePlan& m_plan;
    std::uint32_t m_input;
    std::uint32_t m_body;   ///< the first node of the round
    std::uint32_t m_output; ///< the zone's last node
    std::uint32_t m_end;    ///< behind the nodes that it replaces
};

std::size_t saved(const ZonePlan& plan) {
    const std::size_t kept = plan.period + plan.tables.size() + 2;
    const std::size_t all = plan.period * plan.rounds;
    return all > kept ? all - kept : 0;
}

class Zones {
public:
    explicit Zones(Tree& tree) : m_tree(tree), m_kinds(kinds_of(tree.nodes)) {}

    /// Looks at nodes before which nothing has been changed.
    void make(std::size_t begin, std::size_t end) {
        const std::optional<ZonePlan> plan = best(begin, end);
        if (plan) {
            // What lies behind comes first: it has the numbers that it was found with.
            make(plan->start + plan->period * plan->rounds, end);
            Rewriting(m_tree, *plan).run();
            make(begin, plan->start);
        }
    }

private:
    [[nodiscard]] std::optional<ZonePlan> best(std::size_t begin, std::size_t end) const {
        const std::vector<Stretch> stretches = find_stretches(m_kinds, begin, end, kMinRounds);
        for (std::size_t i = 0; i < std::min(stretches.size(), kMaxTried); i++) {
            std::optional<ZonePlan> plan = plan_zone(m_tree, stretches[i], kMinRounds);
            if (plan && saved(*plan) >= kMinSaved) {
                return plan;
            }
        }
        return std::nullopt;
    }

    Tree& m_tree;
    const std::vector<std::uint32_t> m_kinds;
};

} // namespace

void make_zones(Tree& tree) {
    Zones(tree).make(1, tree.nodes.size());
}

} // namespace weft::lower
