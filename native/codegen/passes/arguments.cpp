// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/arguments.hpp"

#include "codegen/leaves.hpp"
#include "codegen/names.hpp"

#include <algorithm>

namespace weft::codegen {

using reflect::ScalarKind;

namespace {

class ArgumentBlock {
public:
    explicit ArgumentBlock(Kernel& kernel) : m_kernel(kernel) {}

    void add_operand(const Operand& operand) {
        switch (operand.kind) {
        case OperandKind::element: add_element(operand); break;
        case OperandKind::tensor: add_tensor(operand); break;
        case OperandKind::pointer: add_address(operand); break;
        case OperandKind::composite: add_layout(operand); break;
        case OperandKind::uniform: add_uniform(operand); break;
        case OperandKind::grid:
            add_generator(operand, 2 * operand.dimensions.size(), ScalarKind::int32);
            break;
        case OperandKind::rand_float:
            add_generator(operand, 2, ScalarKind::float32);
            add_seed_and_warmup(operand, 2);
            break;
        case OperandKind::wang_hash: add_seed_and_warmup(operand, 0); break;
        default: break;
        }
    }

    void add_constant(const std::string& name, std::int64_t value, bool wide) {
        add({.name = name,
             .type = wide ? "int64_t" : "int",
             .kind = FieldKind::constant,
             .scalar = wide ? ScalarKind::int64 : ScalarKind::int32,
             .value = value,
             .size = wide ? 8U : 4U});
    }

    void add(ArgumentField field) { m_kernel.arguments.push_back(std::move(field)); }

private:
    void add_address(const Operand& operand) {
        const Memory& memory = operand.memory;
        if (memory.binding >= 0) {
            return;
        }
        add({.name = address_field(operand),
             .type = (memory.is_words ? "uint" : memory_type(*memory.leaf)) + "*",
             .kind = FieldKind::address,
             .scalar = ScalarKind::uint64,
             .source = operand.source,
             .size = 8});
    }

    void add_call_strides(const Operand& operand) {
        const Memory& memory = operand.memory;
        if (memory.is_linear || memory.is_uniform) {
            return;
        }
        for (std::size_t i = 0; i < memory.call_strides.size(); ++i) {
            if (memory.call_strides[i] != 0 && memory.call_strides[i] != 1) {
                add_constant(call_stride_field(operand, i), memory.call_strides[i],
                             m_kernel.is_index64);
            }
        }
    }

    void add_element(const Operand& operand) {
        add_address(operand);
        add_call_strides(operand);
        const Memory& memory = operand.memory;
        if (memory.is_packed) {
            return;
        }
        for (std::size_t i = 0; i < memory.component_strides.size(); ++i) {
            add_constant(component_stride_field(operand, i), memory.component_strides[i],
                         m_kernel.is_index64);
        }
    }

    void add_tensor(const Operand& operand) {
        add_address(operand);
        add_call_strides(operand);
        for (std::size_t i = 0; i < operand.tensor_shape.size(); ++i) {
            add_constant(extent_field(operand, i), operand.tensor_shape[i], false);
            add_constant(tensor_stride_field(operand, i), operand.tensor_strides[i], true);
        }
    }

    /// Of a structure that is made of a tensor's pointer, sizes and strides.
    void add_layout(const Operand& operand) {
        const auto add_number = [this](const std::string& name, std::int64_t value) {
            add({.name = name, .type = "uint", .kind = FieldKind::constant, .value = value});
        };
        for (std::size_t i = 0; i < operand.tensor_shape.size(); ++i) {
            add_number(extent_field(operand, i), operand.tensor_shape[i]);
            add_number(tensor_stride_field(operand, i), operand.tensor_strides[i]);
        }
    }

    void add_uniform(const Operand& operand) {
        const auto leaves = scalar_leaves(*operand.type);
        for (std::size_t i = 0; i < leaves->size(); ++i) {
            const ScalarKind stored = stored_kind((*leaves)[i].kind);
            add({.name = scalar_field(operand, i),
                 .type = std::string(slang_name(stored)),
                 .kind = FieldKind::uniform_scalar,
                 .scalar = (*leaves)[i].kind,
                 .source = operand.source,
                 .component = static_cast<std::int32_t>(i),
                 .size = static_cast<std::uint32_t>(reflect::size_bytes(stored))});
        }
    }

    void add_generator(const Operand& operand, std::size_t count, ScalarKind kind) {
        for (std::size_t i = 0; i < count; ++i) {
            add({.name = scalar_field(operand, i),
                 .type = std::string(slang_name(kind)),
                 .kind = FieldKind::generator_scalar,
                 .scalar = kind,
                 .source = operand.source,
                 .component = static_cast<std::int32_t>(i)});
        }
    }

    void add_seed_and_warmup(const Operand& operand, std::size_t first) {
        for (const std::size_t component : {first, first + 1}) {
            add({.name = scalar_field(operand, component),
                 .type = "uint",
                 .kind = FieldKind::generator_scalar,
                 .scalar = ScalarKind::uint32,
                 .source = operand.source,
                 .component = static_cast<std::int32_t>(component)});
        }
    }

    Kernel& m_kernel;
};

void assign_offsets(Kernel& kernel) {
    std::stable_sort(
        kernel.arguments.begin(), kernel.arguments.end(),
        [](const ArgumentField& a, const ArgumentField& b) { return a.size > b.size; });
    std::uint32_t offset = 0;
    for (ArgumentField& field : kernel.arguments) {
        field.offset = offset;
        offset += field.size;
    }
    const bool has_wide_field = !kernel.arguments.empty() && kernel.arguments.front().size == 8;
    kernel.argument_bytes = has_wide_field ? (offset + 7U) / 8U * 8U : offset;
    kernel.arguments_by_address = kernel.argument_bytes > kernel.max_inline_arguments;
}

} // namespace

namespace {

/// How far a group of a persistent kernel goes: on a software device elements of its own, else all in turn.
std::int64_t persistent_span(const Kernel& kernel) {
    const std::int64_t turn = std::int64_t{kernel.group_size[0]} * kernel.width * kernel.turns;
    const std::int64_t all = turn * kernel.group_count[0] * kernel.group_count[1];
    return kernel.prefers_storage_bindings ? (call_count(kernel) + all - 1) / all * turn : all;
}

} // namespace

void lay_out_arguments(Kernel& kernel) {
    ArgumentBlock block(kernel);
    for_each_operand(kernel, [&](const Operand& operand) { block.add_operand(operand); });
    if (kernel.is_raw_dispatch) {
        for (std::size_t i = 0; i < 3; ++i) {
            block.add_constant(dimension_field(i), kernel.shape[i], false);
        }
    } else {
        block.add_constant("weft_count", call_count(kernel), kernel.is_index64);
        if (kernel.reduction.dimension >= 0) {
            block.add_constant("weft_blocks", kernel.reduction.blocks, kernel.is_index64);
            block.add_constant("weft_chunks", kernel.reduction.chunks, kernel.is_index64);
        } else if (kernel.is_persistent) {
            block.add_constant("weft_span", persistent_span(kernel), kernel.is_index64);
        }
        if (kernel.group_count[1] > 1) {
            block.add_constant("weft_columns", kernel.group_count[0], false);
        }
        for (std::size_t i = kernel.needs_coordinates ? 0 : kernel.dimensions.size();
             i < kernel.dimensions.size(); ++i) {
            block.add_constant(dimension_field(i), kernel.dimensions[i], kernel.is_index64);
        }
    }
    assign_offsets(kernel);
}

} // namespace weft::codegen
