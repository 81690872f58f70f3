// SPDX-License-Identifier: Apache-2.0
#include "lower/osl_uses.hpp"

#include <algorithm>

namespace weft::lower::osl {

namespace {

constexpr int kMaxDepth = 4; // of expressions in each other

} // namespace

Uses::Uses(const Program& program)
    : m_program(program), m_nodes(program.graph().size()), m_arrays(program.arrays.size()) {
    collect(program.body);
    find_live();
    m_lists = 0;
    count_statements(program.body);
    count_arguments();
    limit_depth();
}

/// What statements need whatever else is needed, and what variables become.
void Uses::collect(const Statements& list) {
    for (const Statement& statement : list) {
        switch (statement.kind) {
        case StatementKind::define: break;
        case StatementKind::load:
            m_sources[statement.targets[0]].push_back(statement.values[0]);
            m_loads[statement.targets[0]] = statement.number;
            break;
        case StatementKind::store: {
            std::vector<NodeId>& stored = m_arrays[statement.number].stored;
            stored.insert(stored.end(), statement.values.begin(), statement.values.end());
            break;
        }
        case StatementKind::assign:
            for (std::size_t k = 0; k < statement.targets.size(); k++) {
                m_sources[statement.targets[k]].push_back(statement.values[k]);
            }
            break;
        default: m_open.insert(m_open.end(), statement.values.begin(), statement.values.end());
        }
        std::for_each(statement.bodies.begin(), statement.bodies.end(),
                      [&](const Statements& body) { collect(body); });
    }
}

void Uses::find_live() {
    while (!m_open.empty()) {
        const NodeId id = m_open.back();
        m_open.pop_back();
        if (m_nodes[id].is_live) {
            continue;
        }
        m_nodes[id].is_live = true;
        const dag::Node& node = m_program.graph()[id];
        m_open.insert(m_open.end(), node.arguments.begin(), node.arguments.begin() + node.count);
        const auto sources = m_sources.find(id);
        if (sources != m_sources.end()) {
            m_open.insert(m_open.end(), sources->second.begin(), sources->second.end());
        }
        const auto load = m_loads.find(id);
        if (load != m_loads.end() && !m_arrays[load->second].is_live) {
            ArrayUse& array = m_arrays[load->second];
            array.is_live = true;
            m_open.insert(m_open.end(), array.stored.begin(), array.stored.end());
        }
    }
}

void Uses::use(NodeId id, int list) {
    m_nodes[id].count++;
    m_nodes[id].used = list;
}

bool Uses::is_needed(const Statement& statement, std::size_t value) const {
    return statement.kind == StatementKind::store
               ? is_array_live(statement.number)
               : statement.targets.empty() || is_live(statement.targets[value]);
}

void Uses::count_statements(const Statements& list) {
    const int own = ++m_lists;
    for (const Statement& statement : list) {
        for (std::size_t k = 0; k < statement.values.size(); k++) {
            const NodeId value = statement.values[k];
            if (statement.kind == StatementKind::define) {
                int& defined = m_nodes[value].defined;
                defined = defined == 0 || defined == own ? own : -1;
            } else if (is_needed(statement, k)) {
                use(value, own);
            }
        }
        for (const Statements& body : statement.bodies) {
            count_statements(body);
        }
    }
}

void Uses::count_arguments() {
    // Users come after what they use.
    for (std::size_t id = m_nodes.size(); id-- > 0;) {
        Use& own = m_nodes[id];
        const dag::Node& node = m_program.graph()[static_cast<NodeId>(id)];
        if (!own.is_live || node.count == 0) {
            continue;
        }
        own.is_inlined = node.op != dag::Op::lookup && own.count == 1 &&
                         (own.defined == 0 || own.defined == own.used);
        const int list = own.defined != 0 ? own.defined : (own.count == 1 ? own.used : 0);
        for (std::size_t k = 0; k < node.count; k++) {
            use(node.arguments[k], list);
        }
    }
}

void Uses::limit_depth() {
    std::vector<int> depth(m_nodes.size(), 0);
    for (std::size_t id = 0; id < m_nodes.size(); id++) {
        const dag::Node& node = m_program.graph()[static_cast<NodeId>(id)];
        for (std::size_t k = 0; k < node.count; k++) {
            const NodeId argument = node.arguments[k];
            if (is_inlined(argument)) {
                depth[id] = std::max(depth[id], depth[argument] + 1);
            }
        }
        if (depth[id] >= kMaxDepth) {
            m_nodes[id].is_inlined = false;
        }
    }
}

} // namespace weft::lower::osl
