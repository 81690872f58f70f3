// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/classify.hpp"

#include "codegen/leaves.hpp"

#include <algorithm>

namespace weft::codegen {

namespace {

bool is_row_major(const std::vector<std::int64_t>& shape,
                  const std::vector<std::int64_t>& strides) {
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] != 1 && strides[i] != expected) {
            return false;
        }
        expected *= shape[i];
    }
    return true;
}

std::int64_t component_count(const Memory& memory) {
    std::int64_t count = 1;
    for (const std::int64_t extent : memory.component_shape) {
        count *= extent;
    }
    return count;
}

/// A value is linear if consecutive call indices are consecutive values in memory.
bool is_linear(const Kernel& kernel, const Memory& memory) {
    const std::int64_t components = component_count(memory);
    std::int64_t expected = components;
    for (std::size_t i = kernel.dimensions.size(); i-- > 0;) {
        if (kernel.dimensions[i] != 1 && memory.call_strides[i] != expected) {
            return false;
        }
        expected *= kernel.dimensions[i];
    }
    return memory.is_packed;
}

} // namespace

void classify_memory(Kernel& kernel) {
    for_each_memory_operand(kernel, [&](Operand& operand) {
        Memory& memory = operand.memory;
        memory.is_packed = is_row_major(memory.component_shape, memory.component_strides);
        memory.is_words = operand.kind == OperandKind::element &&
                          word_count(*memory.leaf).has_value() && memory.alignment >= 4;
        memory.is_uniform = std::all_of(memory.call_strides.begin(), memory.call_strides.end(),
                                        [](std::int64_t stride) { return stride == 0; });
        memory.is_linear = !memory.is_uniform && is_linear(kernel, memory);
        const bool uses_coordinates = !memory.is_uniform && !memory.is_linear;
        kernel.needs_coordinates = kernel.needs_coordinates || uses_coordinates;
    });
}

} // namespace weft::codegen
