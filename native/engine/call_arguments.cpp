// SPDX-License-Identifier: Apache-2.0
#include "engine/call_arguments.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "tensor/convert.hpp"

#include <limits>

namespace weft::engine {

using dispatch::Node;
using dispatch::NodeKind;
using dispatch::Role;
using reflect::ScalarKind;

namespace {

/// A program's own array as the dispatcher sees it.
class HostMemoryView final : public dispatch::HostArray {
public:
    explicit HostMemoryView(const HostMemory& memory)
        : m_data(memory.data), m_target(memory.target) {
        scalar = memory.kind;
        shape = memory.shape;
        is_precise = reflect::is_float(memory.kind);
        if (m_target == nullptr) {
            write_refusal = "is an array of const elements, results are written to it; pass a "
                            "span of elements that are not const";
        }
    }

    void read_as(ScalarKind kind, std::span<std::byte> out,
                 std::string_view parameter) const override {
        const auto strides = tensor::packed_byte_strides(shape, scalar);
        tensor::convert({.data = m_data, .kind = scalar, .shape = shape, .strides = strides}, kind,
                        out, parameter);
    }
    void write_from(ScalarKind kind, std::span<const std::byte> bytes,
                    std::string_view parameter) override {
        const auto given = tensor::packed_byte_strides(shape, kind);
        const auto own = tensor::packed_byte_strides(shape, scalar);
        tensor::convert({.data = bytes.data(), .kind = kind, .shape = shape, .strides = given},
                        {.data = m_target, .kind = scalar, .strides = own}, parameter);
    }
    [[nodiscard]] std::span<std::byte> memory() const noexcept override {
        std::size_t count = reflect::size_bytes(scalar);
        for (const std::int64_t extent : shape) {
            count *= static_cast<std::size_t>(extent);
        }
        return {const_cast<std::byte*>(m_data), count}; // written only without a write_refusal
    }
    [[nodiscard]] bool is_packed() const noexcept override { return true; }

private:
    const std::byte* m_data;
    std::byte* m_target;
};

Role role_of(bool is_result, const std::string& name) {
    if (is_result) {
        return Role::result;
    }
    if (name == "this") {
        return Role::this_value;
    }
    return name.empty() ? Role::positional : Role::keyword;
}

} // namespace

CallArguments::CallArguments(std::span<const Argument> arguments) {
    for (const Argument& argument : arguments) {
        m_list.roots.push_back({.node = static_cast<std::uint32_t>(m_list.nodes.size()),
                                .role = role_of(argument.m_is_result, argument.m_name)});
        add(argument, argument.m_is_result ? std::string_view("_result") : argument.m_name);
    }
}

Node& CallArguments::push(NodeKind kind, std::string_view name) {
    Node& node = m_list.nodes.emplace_back();
    node.kind = kind;
    node.name = name;
    return node;
}

void CallArguments::add(const Argument& argument, std::string_view name) {
    const auto& value = argument.m_value;
    if (const auto* const truth = std::get_if<bool>(&value)) {
        push(NodeKind::boolean, name).boolean = *truth;
    } else if (const auto* const number = std::get_if<std::int64_t>(&value)) {
        push(NodeKind::integer, name).integer = *number;
    } else if (const auto* const large = std::get_if<std::uint64_t>(&value)) {
        Node& node = push(NodeKind::integer, name);
        node.integer = static_cast<std::int64_t>(*large);
        if (*large > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            node.scalar = ScalarKind::uint64;
        }
    } else if (const auto* const real = std::get_if<double>(&value)) {
        push(NodeKind::real, name).real = *real;
    } else if (const auto* const text = std::get_if<std::string>(&value)) {
        Node& node = push(NodeKind::name, name);
        node.names_begin = static_cast<std::uint32_t>(m_list.names.size());
        node.names_count = 1;
        m_list.names.emplace_back(*text);
    } else if (const auto* const tensor = std::get_if<tensor::TensorRef>(&value)) {
        if (*tensor == nullptr) {
            throw core::ArgumentError(core::text(
                "Function: argument ", m_list.roots.size(),
                " must be a tensor, got a null pointer; pass Argument() to leave a result out"));
        }
        push(NodeKind::tensor, name).tensor = tensor->get();
    } else if (const auto* const memory = std::get_if<HostMemory>(&value)) {
        m_arrays.push_back(std::make_unique<HostMemoryView>(*memory));
        push(NodeKind::host_array, name).host = m_arrays.back().get();
    } else if (const auto* const fields =
                   std::get_if<std::shared_ptr<const Argument::Fields>>(&value)) {
        add_fields(**fields, name);
    } else {
        push(NodeKind::none, name);
    }
}

void CallArguments::add_fields(const Argument::Fields& fields, std::string_view name) {
    const std::size_t index = m_list.nodes.size();
    const bool is_pair = fields.form == Argument::Fields::Form::pair;
    Node& node = push(is_pair ? NodeKind::pair : NodeKind::structure, name);
    node.type_name = fields.type_name;
    node.children = static_cast<std::uint32_t>(fields.fields.size());
    for (const auto& field : fields.fields) {
        add(field.value, field.name);
    }
    m_list.nodes[index].subtree = static_cast<std::uint32_t>(m_list.nodes.size() - index);
}

} // namespace weft::engine
