// SPDX-License-Identifier: Apache-2.0
#include "lower/zone_plan.hpp"

#include "lower/output_types.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace weft::lower {

namespace {

constexpr std::size_t kMaxBack = 2; ///< rounds that a value may be handed on for
/// Rounds at the beginning that may be left out: what they begin with is often folded.
constexpr std::size_t kMaxSkipped = 4;

bool is_same(const Source& a, const Source& b) {
    const auto* one = std::get_if<double>(&a);
    const auto* other = std::get_if<double>(&b);
    if (one != nullptr && other != nullptr) {
        return std::bit_cast<std::uint64_t>(*one) == std::bit_cast<std::uint64_t>(*other);
    }
    return a == b;
}

bool are_same(const std::vector<std::optional<Source>>& a,
              const std::vector<std::optional<Source>>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.has_value() == y.has_value() && (!x || is_same(*x, *y));
    });
}

/// The type that holds the values of both, which are links' conversions of each other; "" if there is none.
std::string_view wider(std::string_view a, std::string_view b) {
    constexpr std::array<std::string_view, 3> kByWidth{"BOOLEAN", "INT", "FLOAT"};
    const auto* one = std::find(kByWidth.begin(), kByWidth.end(), a);
    const auto* other = std::find(kByWidth.begin(), kByWidth.end(), b);
    if (one == kByWidth.end() || other == kByWidth.end()) {
        return a == b ? a : "";
    }
    return *std::max(one, other);
}

class Planner {
public:
    Planner(const Tree& tree, std::size_t start, std::size_t period, std::size_t rounds)
        : m_tree(tree), m_start(start), m_period(period), m_rounds(rounds) {}

    std::optional<ZonePlan> plan(std::size_t fewest) {
        std::size_t skipped = 0;
        for (std::size_t first = 0; first < kMaxSkipped && first + fewest <= m_rounds; first++) {
            const std::size_t end = last_alike(first, first + fewest);
            if (end - first > m_plan.rounds) {
                skipped = first;
                m_plan.rounds = end - first;
            }
        }
        if (m_plan.rounds < fewest) {
            return std::nullopt;
        }
        m_plan.start = m_start + skipped * m_period;
        m_plan.period = m_period;
        m_start = m_plan.start;
        m_rounds = m_plan.rounds;
        const bool is_linked = feed() && hand_out() && name_types();
        return is_linked ? std::optional(std::move(m_plan)) : std::nullopt;
    }

private:
    [[nodiscard]] std::size_t begin_of(std::size_t round) const {
        return m_start + round * m_period;
    }
    [[nodiscard]] const std::vector<Input>& inputs(std::size_t node) const {
        return m_tree.nodes[m_start + node].inputs;
    }
    [[nodiscard]] const Source& source(ZonePlan::Slot slot, std::size_t round) const {
        return m_tree.nodes[begin_of(round) + slot.first].inputs[slot.second].source;
    }
    /// The node that feeds an input, if it is in round `begin` or a later one.
    [[nodiscard]] const Link* link_to(ZonePlan::Slot slot, std::size_t round,
                                      std::size_t begin) const {
        const auto* link = std::get_if<Link>(&source(slot, round));
        return link != nullptr && link->node >= begin_of(begin) ? link : nullptr;
    }

    /// @return the round behind those that are linked alike, `first` the first of them; `first` if that is before `least`
    [[nodiscard]] std::size_t last_alike(std::size_t first, std::size_t least) const {
        std::size_t end = m_rounds;
        for (std::size_t node = 0; node < m_period; node++) {
            for (std::size_t i = 0; i < inputs(node).size(); i++) {
                const ZonePlan::Slot slot{node, i};
                std::size_t own = std::max(same_source(slot, first), numbers(slot, first));
                for (std::size_t back = 0; back <= kMaxBack; back++) {
                    own = std::max(own, from_round(slot, first, back));
                }
                end = std::min(end, own);
                if (end < least) {
                    return first;
                }
            }
        }
        return end;
    }

    /// One source from outside in all rounds.
    [[nodiscard]] std::size_t same_source(ZonePlan::Slot slot, std::size_t first) const {
        std::size_t round = first;
        while (round < m_rounds && link_to(slot, round, first) == nullptr &&
               is_same(source(slot, round), source(slot, first))) {
            round++;
        }
        return round;
    }

    /// Numbers of one type.
    [[nodiscard]] std::size_t numbers(ZonePlan::Slot slot, std::size_t first) const {
        std::size_t round = first;
        const Source& begin = source(slot, first);
        if (std::holds_alternative<Link>(begin) || std::holds_alternative<std::string>(begin)) {
            return first;
        }
        while (round < m_rounds && source(slot, round).index() == begin.index()) {
            round++;
        }
        return round;
    }

    /// A node of the round that is `back` rounds ago; the first rounds may read anything from outside.
    [[nodiscard]] std::size_t from_round(ZonePlan::Slot slot, std::size_t first,
                                         std::size_t back) const {
        const Link* wanted = first + back < m_rounds ? link_to(slot, first + back, first) : nullptr;
        if (wanted == nullptr || wanted->node >= begin_of(first + 1)) {
            return first;
        }
        for (std::size_t round = first; round < first + back; round++) {
            if (link_to(slot, round, first) != nullptr) {
                return first;
            }
        }
        std::size_t round = first + back;
        while (round < m_rounds) {
            const Link* link = link_to(slot, round, first);
            const std::size_t moved = (round - first - back) * m_period;
            if (link == nullptr || link->node != wanted->node + moved ||
                link->socket != wanted->socket) {
                break;
            }
            round++;
        }
        return round;
    }

    /// Says what feeds each input of a round.
    bool feed() {
        for (std::size_t node = 0; node < m_period; node++) {
            for (std::size_t i = 0; i < inputs(node).size(); i++) {
                const ZonePlan::Slot slot{node, i};
                if (same_source(slot, 0) >= m_rounds || from_round(slot, 0, 0) >= m_rounds) {
                    continue;
                }
                if (numbers(slot, 0) >= m_rounds) {
                    m_plan.by_table[slot] = table(slot);
                    continue;
                }
                std::size_t back = 1;
                while (back <= kMaxBack && from_round(slot, 0, back) < m_rounds) {
                    back++;
                }
                if (back > kMaxBack) {
                    return false;
                }
                const Link& link = *link_to(slot, back, 0);
                const std::vector<Source> first = sources(slot, back);
                m_plan.by_state[slot] =
                    state(link.node - m_start, link.socket, {first.begin(), first.end()});
            }
        }
        return true;
    }

    /// What feeds an input in the first rounds.
    [[nodiscard]] std::vector<Source> sources(ZonePlan::Slot slot, std::size_t rounds) const {
        std::vector<Source> found;
        found.reserve(rounds);
        for (std::size_t round = 0; round < rounds; round++) {
            found.push_back(source(slot, round));
        }
        return found;
    }

    std::size_t table(ZonePlan::Slot slot) {
        std::vector<Source> values = sources(slot, m_rounds);
        for (std::size_t i = 0; i < m_plan.tables.size(); i++) {
            if (std::equal(values.begin(), values.end(), m_plan.tables[i].begin(), is_same)) {
                return i;
            }
        }
        m_plan.tables.push_back(std::move(values));
        return m_plan.tables.size() - 1;
    }

    std::size_t state(std::size_t node, const std::string& socket,
                      std::vector<std::optional<Source>> first) {
        std::vector<ZoneState>& states = m_plan.states;
        for (std::size_t i = 0; i < states.size(); i++) {
            if (states[i].node == node && states[i].socket == socket &&
                are_same(states[i].first, first)) {
                return i;
            }
        }
        ZoneState made{node, socket, std::move(first), {}, 0};
        if (made.first.size() > 1) {
            made.next = state(node, socket, {made.first.begin() + 1, made.first.end()});
        }
        states.push_back(std::move(made));
        return states.size() - 1;
    }

    /// Says which states hold what is read behind the last round.
    bool hand_out() {
        const auto take = [&](const Source& source) {
            const auto* link = std::get_if<Link>(&source);
            if (link == nullptr || link->node < m_start || link->node >= begin_of(m_rounds)) {
                return true;
            }
            const std::size_t place = link->node - m_start;
            const std::size_t back = m_rounds - place / m_period;
            if (back > kMaxBack) {
                return false;
            }
            m_plan.leaving[{link->node, link->socket}] =
                last_state(place % m_period, link->socket, back);
            return true;
        };
        for (std::size_t i = begin_of(m_rounds); i < m_tree.nodes.size(); i++) {
            for (const Input& input : m_tree.nodes[i].inputs) {
                if (!take(input.source)) {
                    return false;
                }
            }
        }
        return std::all_of(m_tree.results.begin(), m_tree.results.end(), take);
    }

    /// What a state begins with does not matter in the end.
    std::size_t last_state(std::size_t node, const std::string& socket, std::size_t back) {
        for (std::size_t i = 0; i < m_plan.states.size(); i++) {
            const ZoneState& own = m_plan.states[i];
            if (own.node == node && own.socket == socket && own.first.size() == back) {
                return i;
            }
        }
        return state(node, socket, std::vector<std::optional<Source>>(back));
    }

    bool name_types() {
        for (ZoneState& own : m_plan.states) {
            const auto node = static_cast<std::uint32_t>(m_start + own.node);
            std::string_view type = output_type(m_tree, {node, own.socket});
            for (const std::optional<Source>& first : own.first) {
                type = first ? wider(type, source_type(m_tree, *first)) : type;
            }
            own.type = type;
            if (type.empty()) {
                return false;
            }
        }
        return true;
    }

    const Tree& m_tree;
    std::size_t m_start;
    std::size_t m_period;
    std::size_t m_rounds;
    ZonePlan m_plan;
};

/// Values that the second round reads from the first: the fewer, the better is the place where rounds begin.
std::size_t values_between(const Tree& tree, std::size_t start, std::size_t period) {
    std::vector<std::pair<std::uint32_t, std::string_view>> read;
    for (std::size_t i = start + period; i < start + 2 * period; i++) {
        for (const Input& input : tree.nodes[i].inputs) {
            const auto* link = std::get_if<Link>(&input.source);
            if (link != nullptr && link->node >= start && link->node < start + period) {
                read.emplace_back(link->node, link->socket);
            }
        }
    }
    std::sort(read.begin(), read.end());
    return static_cast<std::size_t>(std::unique(read.begin(), read.end()) - read.begin());
}

} // namespace

std::optional<ZonePlan> plan_zone(const Tree& tree, const Stretch& stretch, std::size_t fewest) {
    constexpr std::size_t kTried = 6; // places where rounds may begin
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t phase = 0; phase < stretch.period; phase++) {
        if (stretch.count - phase >= fewest * stretch.period) {
            const std::size_t start = stretch.start + phase;
            places.emplace_back(values_between(tree, start, stretch.period), start);
        }
    }
    std::sort(places.begin(), places.end());
    places.resize(std::min(places.size(), kTried));
    std::optional<ZonePlan> best;
    for (const auto& [values, start] : places) {
        const std::size_t rounds = (stretch.start + stretch.count - start) / stretch.period;
        std::optional<ZonePlan> found = Planner(tree, start, stretch.period, rounds).plan(fewest);
        if (found && (!best || found->rounds > best->rounds)) {
            best = std::move(found);
        }
    }
    return best;
}

} // namespace weft::lower
