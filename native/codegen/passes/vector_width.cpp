// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/vector_width.hpp"

#include "codegen/leaves.hpp"

namespace weft::codegen {

namespace {

constexpr std::int32_t kWidth = 4;
// Fewer elements do not fill a large GPU with four a thread.
constexpr std::int64_t kFewestElements = std::int64_t{1} << 19;

/// Four consecutive values start at a multiple of 16 bytes and lie side by side.
bool moves_in_16_bytes(const Kernel& kernel, const Memory& memory) {
    if (!memory.is_words || !memory.is_packed || memory.is_uniform || memory.alignment < 16) {
        return false;
    }
    if (memory.is_linear) {
        return true;
    }
    std::int64_t components = 1;
    for (const std::int64_t extent : memory.component_shape) {
        components *= extent;
    }
    const std::size_t inner = kernel.dimensions.size() - 1;
    const std::int64_t words = *word_count(*memory.leaf);
    bool aligned = memory.call_strides[inner] == components;
    for (std::size_t i = 0; i < inner; ++i) {
        aligned = aligned && memory.call_strides[i] * words % kWidth == 0;
    }
    return aligned;
}

bool uses_thread_index(const Kernel& kernel) {
    bool uses = false;
    for_each_operand(kernel, [&](const Operand& operand) {
        uses = uses || operand.kind == OperandKind::thread_id;
    });
    return uses;
}

} // namespace

void choose_vector_width(Kernel& kernel) {
    if (kernel.is_raw_dispatch || kernel.is_tiled || kernel.prefers_storage_bindings ||
        call_count(kernel) < kFewestElements || uses_thread_index(kernel)) {
        return;
    }
    const bool row_is_divisible =
        kernel.dimensions.size() == 1 || kernel.dimensions.back() % kWidth == 0;
    if (!row_is_divisible) {
        return;
    }
    bool pays = false;
    for_each_memory_operand(kernel, [&](Operand& operand) {
        operand.memory.is_wide = moves_in_16_bytes(kernel, operand.memory);
        pays = pays || operand.memory.is_wide;
    });
    kernel.width = pays ? kWidth : 1;
}

} // namespace weft::codegen
