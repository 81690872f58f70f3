// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/accumulation.hpp"

namespace weft::codegen {

namespace {

/// Several calls add to one element.
bool is_shared(const Kernel& kernel, const Memory& memory) {
    for (std::size_t i = 0; i < kernel.dimensions.size(); ++i) {
        if (memory.call_strides[i] == 0 && kernel.dimensions[i] > 1) {
            return true;
        }
    }
    return false;
}

} // namespace

void choose_accumulation(Kernel& kernel) {
    for_each_memory_operand(kernel, [&](Operand& operand) {
        if (operand.accumulation == Accumulation::none || operand.kind != OperandKind::element) {
            return;
        }
        const bool is_sum = operand.memory.is_uniform && !uses_thread_index(kernel);
        operand.accumulation = !is_shared(kernel, operand.memory) ? Accumulation::plain
                               : is_sum                           ? Accumulation::group
                                                                  : Accumulation::atomic;
        kernel.is_persistent = kernel.is_persistent || operand.accumulation == Accumulation::group;
    });
}

} // namespace weft::codegen
