// SPDX-License-Identifier: Apache-2.0
#include "render/kernel_argument.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <bit>

namespace weft::render {

using dispatch::Node;
using dispatch::NodeKind;
using reflect::ScalarKind;

namespace {

bool has_words(const Node& node) noexcept {
    return node.kind == NodeKind::list;
}

bool is_known(const Node& node) noexcept {
    switch (node.kind) {
    case NodeKind::boolean:
    case NodeKind::integer:
    case NodeKind::real:
    case NodeKind::tensor:
    case NodeKind::structure: return true;
    case NodeKind::list: return node.names_count == 0;
    default: return false;
    }
}

/// Nodes whose words begin elsewhere.
void append_moved(std::span<const Node> from, std::int64_t by, std::vector<Node>& to) {
    const std::size_t first = to.size();
    to.insert(to.end(), from.begin(), from.end());
    for (Node& node : std::span(to).subspan(first)) {
        if (has_words(node)) {
            node.shape_begin = static_cast<std::uint32_t>(node.shape_begin + by);
            node.data_begin = static_cast<std::uint32_t>(node.data_begin + by);
        }
    }
}

} // namespace

KernelArgument::KernelArgument() {
    m_nodes.emplace_back().kind = NodeKind::structure;
}

KernelArgument KernelArgument::number(std::int64_t value) {
    KernelArgument argument;
    argument.m_nodes.front().kind = NodeKind::integer;
    argument.m_nodes.front().integer = value;
    return argument;
}

KernelArgument KernelArgument::real(double value) {
    KernelArgument argument;
    argument.m_nodes.front().kind = NodeKind::real;
    argument.m_nodes.front().real = value;
    return argument;
}

KernelArgument KernelArgument::reals(std::span<const double> values) {
    KernelArgument argument;
    Node& node = argument.m_nodes.front();
    node.kind = NodeKind::list;
    node.scalar = ScalarKind::float64;
    node.rank = 1;
    node.data_begin = 1;
    node.data_count = static_cast<std::uint32_t>(values.size());
    argument.m_words.push_back(values.size());
    for (const double value : values) {
        argument.m_words.push_back(std::bit_cast<std::uint64_t>(value));
    }
    return argument;
}

KernelArgument KernelArgument::tensor(tensor::TensorRef value) {
    KernelArgument argument;
    argument.m_nodes.front().kind = NodeKind::tensor;
    argument.m_nodes.front().tensor = value.get();
    argument.m_tensors.push_back(std::move(value));
    return argument;
}

KernelArgument KernelArgument::last_of(const dispatch::ArgumentList& list,
                                       std::shared_ptr<const void> keep, std::string_view name) {
    KernelArgument argument;
    const std::uint32_t root = list.roots.back().node;
    const std::span<const Node> nodes(list.nodes.data() + root, list.nodes[root].subtree);
    if (!std::ranges::all_of(nodes, is_known)) {
        throw core::ArgumentError(core::text(name,
                                             " must be made of dicts, numbers, lists of numbers "
                                             "and tensors; make tensors of its arrays"),
                                  core::ArgumentError::Kind::type);
    }
    argument.m_nodes.assign(nodes.begin(), nodes.end());
    argument.m_words = list.words;
    argument.m_kept.push_back(std::move(keep));
    return argument;
}

Node& KernelArgument::push(NodeKind kind, std::string_view name) {
    Node& node = m_nodes.emplace_back();
    node.kind = kind;
    node.name = name;
    m_nodes.front().children++;
    m_nodes.front().subtree++;
    return node;
}

Node& KernelArgument::push_list(std::string_view name, ScalarKind scalar,
                                std::span<const std::int64_t> shape) {
    Node& node = push(NodeKind::list, name);
    node.scalar = scalar;
    node.shape_begin = static_cast<std::uint32_t>(m_words.size());
    node.rank = static_cast<std::uint32_t>(shape.size());
    for (const std::int64_t extent : shape) {
        m_words.push_back(static_cast<std::uint64_t>(extent));
    }
    node.data_begin = static_cast<std::uint32_t>(m_words.size());
    return node;
}

void KernelArgument::add_integer(std::string_view name, std::int64_t value) {
    push(NodeKind::integer, name).integer = value;
}

void KernelArgument::add_real(std::string_view name, double value) {
    push(NodeKind::real, name).real = value;
}

void KernelArgument::add_tensor(std::string_view name, tensor::TensorRef value) {
    push(NodeKind::tensor, name).tensor = value.get();
    m_tensors.push_back(std::move(value));
}

void KernelArgument::add_integers(std::string_view name, std::span<const std::int64_t> values) {
    const std::int64_t extent = std::ssize(values);
    push_list(name, ScalarKind::int64, {&extent, 1}).data_count =
        static_cast<std::uint32_t>(values.size());
    for (const std::int64_t value : values) {
        m_words.push_back(static_cast<std::uint64_t>(value));
    }
}

void KernelArgument::add_reals(std::string_view name, std::span<const double> values,
                               std::span<const std::int64_t> shape) {
    push_list(name, ScalarKind::float64, shape).data_count =
        static_cast<std::uint32_t>(values.size());
    for (const double value : values) {
        m_words.push_back(std::bit_cast<std::uint64_t>(value));
    }
}

void KernelArgument::add_structure(std::string_view name, const KernelArgument& value) {
    const std::size_t at = m_nodes.size();
    append_moved(value.m_nodes, std::ssize(m_words), m_nodes);
    m_nodes[at].name = name;
    m_nodes.front().children++;
    m_nodes.front().subtree += m_nodes[at].subtree;
    m_words.insert(m_words.end(), value.m_words.begin(), value.m_words.end());
    m_tensors.insert(m_tensors.end(), value.m_tensors.begin(), value.m_tensors.end());
    m_kept.insert(m_kept.end(), value.m_kept.begin(), value.m_kept.end());
}

Node* KernelArgument::find(std::string_view name) noexcept {
    std::size_t at = 0;
    while (true) {
        const std::size_t dot = name.find('.');
        const std::size_t end = at + m_nodes[at].subtree;
        std::size_t field = at + 1;
        while (field < end && m_nodes[field].name != name.substr(0, dot)) {
            field += m_nodes[field].subtree;
        }
        if (field >= end) {
            return nullptr;
        }
        if (dot == std::string_view::npos) {
            return &m_nodes[field];
        }
        name.remove_prefix(dot + 1);
        at = field;
    }
}

Node& KernelArgument::require(std::string_view name, NodeKind kind, std::string_view kind_name) {
    Node* const node = find(name);
    if (node == nullptr || node->kind != kind) {
        throw core::InternalError(
            core::text("KernelArgument: there is no ", kind_name, " '", name, "'"));
    }
    return *node;
}

void KernelArgument::set_integer(std::string_view name, std::int64_t value) {
    require(name, NodeKind::integer, "integer").integer = value;
}

void KernelArgument::set_real(std::string_view name, double value) {
    require(name, NodeKind::real, "real").real = value;
}

void KernelArgument::set_tensor(std::string_view name, tensor::TensorRef value) {
    Node& node = require(name, NodeKind::tensor, "tensor");
    const tensor::Tensor* const before = node.tensor;
    node.tensor = value.get();
    const auto is_used = [&](const Node& other) {
        return other.kind == NodeKind::tensor && other.tensor == before;
    };
    if (std::ranges::none_of(m_nodes, is_used)) {
        std::erase_if(m_tensors, [&](const auto& owner) { return owner.get() == before; });
    }
    if (std::ranges::find(m_tensors, value) == m_tensors.end()) {
        m_tensors.push_back(std::move(value));
    }
}

std::int64_t KernelArgument::integer(std::string_view name) const {
    const Node* const node = const_cast<KernelArgument*>(this)->find(name);
    if (node == nullptr || node->kind != NodeKind::integer) {
        throw core::ArgumentError(core::text("stages of paths: the settings of a step must have an "
                                             "integer '",
                                             name, "'; take them from step_settings()"));
    }
    return node->integer;
}

void KernelArgument::append_to(dispatch::ArgumentList& list) const {
    list.roots.push_back({.node = static_cast<std::uint32_t>(list.nodes.size()),
                          .role = dispatch::Role::positional});
    append_moved(m_nodes, std::ssize(list.words), list.nodes);
    list.words.insert(list.words.end(), m_words.begin(), m_words.end());
}

tensor::TensorRef KernelArgument::owner_of(const Node& node) const noexcept {
    if (node.kind != NodeKind::tensor) {
        return nullptr;
    }
    const auto found = std::ranges::find(m_tensors, node.tensor, &tensor::TensorRef::get);
    return found == m_tensors.end() ? nullptr : *found;
}

} // namespace weft::render
