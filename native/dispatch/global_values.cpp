// SPDX-License-Identifier: Apache-2.0
#include "dispatch/global_values.hpp"

#include "codegen/leaves.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "dispatch/match.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>
#include <charconv>

namespace weft::dispatch {

using codegen::Operand;
using codegen::OperandKind;
using core::text;
using reflect::ScalarKind;

namespace {

/// "lamps.0.color" -> "lamps"; `path` keeps "0.color".
std::string_view take_head(std::string_view& path) {
    const std::string_view head = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(head.size() + 1, path.size()));
    return head;
}

std::uint32_t find_child(const ArgumentList& arguments, std::uint32_t parent,
                         std::string_view name) {
    const Node& node = arguments.nodes[parent];
    std::uint32_t place = 0;
    std::from_chars(name.data(), name.data() + name.size(), place);
    std::uint32_t index = 0;
    const std::uint32_t end = parent + node.subtree;
    for (std::uint32_t child = parent + 1; child < end;
         child += arguments.nodes[child].subtree, ++index) {
        const bool is_it = node.kind == NodeKind::structures ? index == place
                                                             : arguments.nodes[child].name == name;
        if (is_it) {
            return child;
        }
    }
    return kNoNode;
}

class GlobalBinder {
public:
    GlobalBinder(const BoundCall& call, const ArgumentList& arguments, LaunchPlan& plan)
        : m_target(call.target), m_arguments(arguments), m_plan(plan) {}

    void add(const compile::GlobalField& field) {
        m_field = &field;
        m_next = field.offsets.begin();
        BoundCall scratch;
        scratch.target = m_target;
        Matcher matcher(m_arguments, m_target, scratch);
        Operand operand;
        m_node = find_node();
        const MatchRequest request{.type = field.type,
                                   .node = m_node,
                                   .name = "weft_global",
                                   .label = field.name,
                                   .mapping = {}};
        if (!matcher.match(request, operand)) {
            refuse(matcher.reason());
        }
        m_first_source = static_cast<std::uint32_t>(m_plan.sources.size());
        m_sources = &scratch.sources;
        add_operand(operand);
        if (m_keeps_sources) {
            std::ranges::move(scratch.sources, std::back_inserter(m_plan.sources));
        }
        m_keeps_sources = false;
        std::ranges::move(scratch.names, std::back_inserter(m_plan.names));
    }

private:
    [[noreturn]] void refuse(std::string_view why) const {
        constexpr std::string_view kNoun = "parameter ";
        why.remove_prefix(why.starts_with(kNoun) ? kNoun.size() : 0);
        throw core::ArgumentError(text(m_plan.function, ": uniform ", why));
    }

    [[noreturn]] void refuse_value(std::string_view remedy) const {
        refuse(text("'", m_field->name, "' must be ", tensor::display_name(*m_field->type),
                    ", the same for all calls, got ",
                    describe(m_arguments, m_arguments.nodes[m_node]), "; ", remedy));
    }

    const Root* find_root(std::string_view name) const {
        for (const Root& root : m_arguments.roots) {
            if (root.role == Role::uniform && m_arguments.root_node(root).name == name) {
                return &root;
            }
        }
        return nullptr;
    }

    /// The node of the value, or of the dict that holds it, by the name of the declaration or of its cbuffer.
    std::uint32_t find_top(std::string_view name) const {
        if (const Root* const root = find_root(name)) {
            return root->node;
        }
        const Root* const block = m_field->block.empty() ? nullptr : find_root(m_field->block);
        const std::uint32_t found =
            block != nullptr ? find_child(m_arguments, block->node, name) : kNoNode;
        if (found == kNoNode) {
            throw core::ArgumentError(text(m_plan.function, ": its module reads the uniform '",
                                           name, "', which has no value; give it one with ",
                                           "function.set({'", name, "': ...})"));
        }
        return found;
    }

    std::uint32_t find_node() const {
        std::string_view rest = m_field->name;
        const std::string_view top = take_head(rest);
        std::uint32_t at = find_top(top);
        while (!rest.empty()) {
            const std::string_view field = take_head(rest);
            const std::uint32_t child = find_child(m_arguments, at, field);
            if (child == kNoNode) {
                throw core::ArgumentError(
                    text(m_plan.function, ": the value of uniform '", top, "' has no field '",
                         field, "', which the function reads ('", m_field->name,
                         "'); pass a dict with all fields, a list of these for an array"));
            }
            at = child;
        }
        return at;
    }

    void add_element(const Operand& operand) {
        if (!operand.own_shape.empty() || source_of(operand).kind != SourceKind::upload) {
            refuse_value("pass numbers, or a numpy array of its shape");
        }
        add_numbers(operand);
    }

    void add_plain_tensor(const Operand& operand) {
        const reflect::TensorTraits& traits = operand.type->tensor;
        if (!operand.own_shape.empty() || traits.is_interface || traits.is_differentiable) {
            refuse_value("make it a parameter of the function");
        }
        add_tensor(operand);
    }

    void add_operand(const Operand& operand) {
        switch (operand.kind) {
        case OperandKind::composite:
            for (const Operand& field : operand.fields) {
                add_operand(field);
            }
            return;
        case OperandKind::uniform: add_numbers(operand); return;
        case OperandKind::element: add_element(operand); return;
        case OperandKind::pointer: add_address(operand); return;
        case OperandKind::tensor: add_plain_tensor(operand); return;
        default: refuse_value("pass numbers, arrays or tensors");
        }
    }

    const Source& source_of(const Operand& operand) const {
        return (*m_sources)[static_cast<std::size_t>(operand.source)];
    }

    std::uint32_t next_offset() {
        if (m_next == m_field->offsets.end()) {
            throw core::InternalError(text(m_plan.function, ": the uniform '", m_field->name,
                                           "' has fewer scalars than its type"));
        }
        return *m_next++;
    }

    void add_numbers(const Operand& operand) {
        const auto leaves = codegen::scalar_leaves(*operand.type);
        if (!leaves) {
            refuse_value("set() cannot write such values");
        }
        for (std::size_t i = 0; i < leaves->size(); ++i) {
            m_plan.globals.push_back({.scalar = (*leaves)[i].kind,
                                      .offset = next_offset(),
                                      .size = static_cast<std::uint32_t>((*leaves)[i].size),
                                      .node = source_of(operand).node,
                                      .component = static_cast<std::uint32_t>(i)});
        }
    }

    void add_address(const Operand& operand) {
        const std::uint32_t source = m_first_source + static_cast<std::uint32_t>(operand.source);
        m_keeps_sources = true;
        m_plan.globals.push_back({.kind = GlobalKind::address,
                                  .offset = next_offset(),
                                  .size = sizeof(std::uint64_t),
                                  .source = source});
        m_plan.buffers.push_back({.source = source,
                                  .access = source_of(operand).access,
                                  .binding = -1,
                                  .extent_bytes = operand.memory.extent_bytes});
    }

    void add_tensor(const Operand& operand) {
        const reflect::TensorTraits& traits = operand.type->tensor;
        add_address(operand);
        add_constants(operand.tensor_shape, sizeof(std::uint32_t));
        if (!traits.is_buffer) {
            add_constants(operand.tensor_strides, sizeof(std::int64_t));
        }
        if (traits.access != reflect::Access::read && !traits.is_raw) {
            m_plan.written.push_back(m_first_source + static_cast<std::uint32_t>(operand.source));
        }
    }

    void add_constants(const std::vector<std::int64_t>& values, std::uint32_t size) {
        for (const std::int64_t value : values) {
            m_plan.globals.push_back({.kind = GlobalKind::constant,
                                      .offset = next_offset(),
                                      .size = size,
                                      .value = static_cast<std::uint64_t>(value)});
        }
    }

    const BindTarget& m_target;
    const ArgumentList& m_arguments;
    LaunchPlan& m_plan;
    const compile::GlobalField* m_field = nullptr;
    std::vector<std::uint32_t>::const_iterator m_next;
    std::uint32_t m_node = 0;
    std::uint32_t m_first_source = 0;
    const std::vector<Source>* m_sources = nullptr;
    bool m_keeps_sources = false; ///< numbers are read from their nodes
};

} // namespace

void add_globals(const BoundCall& call, const ArgumentList& arguments, LaunchPlan& plan) {
    GlobalBinder binder(call, arguments, plan);
    for (const compile::GlobalField& field : plan.compiled->globals) {
        binder.add(field);
    }
}

} // namespace weft::dispatch
