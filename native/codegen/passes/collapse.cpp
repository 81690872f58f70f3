// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/collapse.hpp"

namespace weft::codegen {

namespace {

bool depends_on_coordinates(const Operand& operand) {
    return operand.kind == OperandKind::grid || operand.kind == OperandKind::call_id;
}

void drop_dimension(Kernel& kernel, std::size_t index) {
    const auto at = static_cast<std::ptrdiff_t>(index);
    kernel.dimensions.erase(kernel.dimensions.begin() + at);
    for_each_memory_operand(kernel, [&](Operand& operand) {
        operand.memory.call_strides.erase(operand.memory.call_strides.begin() + at);
    });
}

bool can_merge(Kernel& kernel, std::size_t index) {
    bool mergeable = true;
    for_each_memory_operand(kernel, [&](Operand& operand) {
        const auto& strides = operand.memory.call_strides;
        mergeable =
            mergeable && strides[index] == strides[index + 1] * kernel.dimensions[index + 1];
    });
    return mergeable;
}

} // namespace

void collapse_dimensions(Kernel& kernel) {
    if (kernel.is_raw_dispatch) {
        return;
    }
    kernel.dimensions = kernel.shape;
    for_each_operand(kernel, [&](const Operand& operand) {
        kernel.needs_coordinates = kernel.needs_coordinates || depends_on_coordinates(operand);
    });
    if (kernel.needs_coordinates) {
        return;
    }
    for (std::size_t i = kernel.dimensions.size(); i-- > 0;) {
        if (kernel.dimensions[i] == 1) {
            drop_dimension(kernel, i);
        }
    }
    for (std::size_t i = kernel.dimensions.size(); i-- > 1;) {
        if (can_merge(kernel, i - 1)) {
            kernel.dimensions[i - 1] *= kernel.dimensions[i];
            for_each_memory_operand(kernel, [&](Operand& operand) {
                operand.memory.call_strides[i - 1] = operand.memory.call_strides[i];
            });
            drop_dimension(kernel, i);
        }
    }
}

} // namespace weft::codegen
