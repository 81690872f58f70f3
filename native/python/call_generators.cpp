// SPDX-License-Identifier: Apache-2.0
// Arguments that make values from the call index: grid(), call_id(), thread_id(), rand_float(), wang_hash().
#include "python/call_arguments.hpp"
#include "python/generators.hpp"

#include <bit>

namespace weft::python {

using dispatch::Node;
using dispatch::NodeKind;
using reflect::ScalarKind;

bool CallArguments::add_generator(PyObject* value, std::string_view name) {
    const PyTypeObject* type = Py_TYPE(value);
    if (type == m_types.grid) {
        add_grid(native_value<Grid>(value), name);
    } else if (type == m_types.call_id) {
        push_generator(NodeKind::call_id, native_value<CallId>(value).dims, name);
    } else if (type == m_types.thread_id) {
        push_generator(NodeKind::thread_id, native_value<ThreadId>(value).dims, name);
    } else if (type == m_types.rand_float) {
        const RandFloat& random = native_value<RandFloat>(value);
        Node& node = push_generator(NodeKind::rand_float, random.settings.dims, name);
        node.data_count = 4;
        node.scalar = ScalarKind::float64;
        for (const double entry : {double{random.minimum}, double{random.maximum},
                                   static_cast<double>(random.settings.seed_bits()),
                                   static_cast<double>(random.settings.warmup)}) {
            m_list.words.push_back(std::bit_cast<std::uint64_t>(entry));
        }
    } else if (type == m_types.wang_hash) {
        const RandomSettings& random = native_value<WangHash>(value).settings;
        Node& node = push_generator(NodeKind::wang_hash, random.dims, name);
        node.data_count = 2;
        node.scalar = ScalarKind::int64;
        m_list.words.push_back(random.seed_bits());
        m_list.words.push_back(random.warmup);
    } else {
        return false;
    }
    return true;
}

/// A node whose rank says how many components the parameter must have; 0: any.
Node& CallArguments::push_generator(NodeKind kind, std::int64_t dims, std::string_view name) {
    Node& node = push(kind, name);
    node.rank = dims < 0 ? 0 : static_cast<std::uint32_t>(dims);
    node.data_begin = static_cast<std::uint32_t>(m_list.words.size());
    return node;
}

void CallArguments::add_grid(const Grid& grid, std::string_view name) {
    push_grid(grid.shape, name);
    Node& node = m_list.nodes.back();
    node.data_begin = static_cast<std::uint32_t>(m_list.words.size());
    node.data_count = static_cast<std::uint32_t>(2 * grid.shape.size());
    node.scalar = ScalarKind::int64;
    for (const auto* settings : {&grid.stride, &grid.offset}) {
        for (const std::int64_t entry : *settings) {
            m_list.words.push_back(static_cast<std::uint64_t>(entry));
        }
    }
}

void CallArguments::push_grid(std::span<const std::int64_t> shape, std::string_view name) {
    Node& node = push(NodeKind::grid, name);
    node.shape_begin = static_cast<std::uint32_t>(m_list.words.size());
    node.rank = static_cast<std::uint32_t>(shape.size());
    for (const std::int64_t extent : shape) {
        m_list.words.push_back(static_cast<std::uint64_t>(extent));
    }
}

} // namespace weft::python
