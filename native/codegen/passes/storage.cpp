// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/storage.hpp"

namespace weft::codegen {

namespace {
// A descriptor set has room for many more; past a few, updating it costs more than it saves.
constexpr std::size_t kMaxSlots = 16;
} // namespace

void assign_storage_slots(Kernel& kernel) {
    if (!kernel.prefers_storage_bindings || kernel.is_index64) {
        return;
    }
    for_each_memory_operand(kernel, [&](Operand& operand) {
        Memory& memory = operand.memory;
        if (memory.is_words && memory.may_bind && !adds_atomically(operand) &&
            kernel.storage.size() < kMaxSlots) {
            memory.binding = static_cast<std::int32_t>(kernel.storage.size());
            kernel.storage.push_back({.source = operand.source});
        }
    });
}

} // namespace weft::codegen
