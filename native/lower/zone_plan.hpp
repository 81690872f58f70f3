// SPDX-License-Identifier: Apache-2.0
// Equal rounds of nodes, as what goes from one to the next. zones.cpp makes a zone of them.
#pragma once

#include "lower/repeats.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::lower {

/// A value that rounds hand on.
struct ZoneState {
    std::size_t node = 0; ///< in its round
    std::string socket;
    /// What the first rounds read, which have no round before them: as many as rounds lie between making and reading, those
    /// of later rounds first. None where nothing reads it but what stands behind the last round.
    std::vector<std::optional<Source>> first;
    std::string type;     ///< "FLOAT", "INT", "BOOLEAN", "VECTOR", "RGBA"
    std::size_t next = 0; ///< the state that is handed on as this one, where rounds lie between
};

struct ZonePlan {
    std::size_t start = 0; ///< the first node of the first round
    std::size_t period = 0;
    std::size_t rounds = 0;
    std::vector<ZoneState> states;
    std::vector<std::vector<Source>> tables;          ///< constants that differ from round to round
    using Slot = std::pair<std::size_t, std::size_t>; ///< a node of the round, and which input
    std::map<Slot, std::size_t> by_state;             ///< inputs that a state feeds
    std::map<Slot, std::size_t> by_table;
    std::map<std::pair<std::uint32_t, std::string>, std::size_t>
        leaving; ///< states, by the outputs of nodes that are read behind the last round
};

/// @param fewest rounds
/// @return none if the nodes that repeat are not linked as rounds are
[[nodiscard]] std::optional<ZonePlan> plan_zone(const Tree& tree, const Stretch& stretch,
                                                std::size_t fewest);

} // namespace weft::lower
