// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/ahead.hpp"

#include "codegen/print_value.hpp"

namespace weft::codegen {

namespace {

// A turn alone leaves a multiprocessor too few bytes on their way: .70 to .79 of the bandwidth on an H200.
constexpr std::int32_t kTurns = 4;

bool can_load_ahead(const Kernel& kernel) {
    return kernel.reduction.dimension >= 0 && !kernel.prefers_storage_bindings &&
           !kernel.is_raw_dispatch && !kernel.has_team && !kernel.repeats_last;
}

} // namespace

void load_ahead(Kernel& kernel) {
    if (!can_load_ahead(kernel)) {
        return;
    }
    const ReductionAxis& axis = kernel.reduction;
    const auto along = static_cast<std::size_t>(axis.dimension);
    if (kernel.dimensions[along] < std::int64_t{axis.lanes} * kTurns) {
        return;
    }
    bool reads_ahead = false;
    for_each_memory_operand(kernel, [&](Operand& operand) {
        // What the reduction shares is read once and stays in the cache.
        const bool moves = operand.memory.call_strides[along] != 0;
        operand.memory.is_ahead = moves && is_own_scalar(operand);
        reads_ahead = reads_ahead || (operand.memory.is_ahead && operand.reads);
    });
    kernel.steps = reads_ahead ? kTurns : 1;
    if (!reads_ahead) {
        for_each_memory_operand(kernel, [](Operand& operand) { operand.memory.is_ahead = false; });
    }
}

} // namespace weft::codegen
