// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lower/osl_program.hpp"

#include <unordered_map>

namespace weft::lower::osl {

/// Which expressions and variables a program needs, and which expressions are written where they are used.
class Uses {
public:
    explicit Uses(const Program& program);

    [[nodiscard]] bool is_live(NodeId id) const { return m_nodes[id].is_live; }
    /// Used once, and in the statements among which it is computed: no round of a loop computes it anew.
    [[nodiscard]] bool is_inlined(NodeId id) const { return m_nodes[id].is_inlined; }
    /// Whether elements of an array are read.
    [[nodiscard]] bool is_array_live(std::uint32_t number) const {
        return m_arrays[number].is_live;
    }

private:
    struct Use {
        bool is_live = false;
        bool is_inlined = false;
        std::uint32_t count = 0;
        int defined =
            0;        ///< number of the list of statements that computes it; 0: none, -1: several
        int used = 0; ///< of one that uses it
    };

    struct ArrayUse {
        bool is_live = false;
        std::vector<NodeId> stored; ///< values, and where they are stored
    };

    void collect(const Statements& list);
    void find_live();
    void count_statements(const Statements& list);
    void count_arguments();
    void limit_depth();
    void use(NodeId id, int list);
    [[nodiscard]] bool is_needed(const Statement& statement, std::size_t value) const;

    const Program& m_program;
    std::vector<Use> m_nodes;
    std::unordered_map<NodeId, std::vector<NodeId>> m_sources; ///< what variables are set to
    std::unordered_map<NodeId, std::uint32_t> m_loads; ///< arrays that variables are read from
    std::vector<ArrayUse> m_arrays;
    std::vector<NodeId> m_open;
    int m_lists = 0;
};

} // namespace weft::lower::osl
