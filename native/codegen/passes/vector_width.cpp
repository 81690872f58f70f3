// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/vector_width.hpp"

#include "codegen/leaves.hpp"
#include "codegen/print_value.hpp"

#include <algorithm>

namespace weft::codegen {

namespace {

constexpr std::int64_t kVectorWords = 4;

// Fewer elements do not fill a large GPU with four a thread; on a CPU every thread costs, whatever it does.
constexpr std::int64_t kFewestElements = std::int64_t{1} << 19;
constexpr std::int64_t kFewestElementsOfSoftware = std::int64_t{1} << 14;

/// The elements that one thread takes so that the largest one-to-one operand moves in 16-byte accesses.
std::int32_t matching_width(Kernel& kernel) {
    std::int64_t most_words = 1;
    for_each_memory_operand(kernel, [&](const Operand& operand) {
        const Memory& memory = operand.memory;
        if (memory.is_words && !memory.is_uniform) {
            most_words = std::max(most_words, words_per_value(memory));
        }
    });
    return most_words == 1 ? 4 : most_words == 2 ? 2 : 1;
}

/// The thread's elements lie side by side and start at a multiple of the access.
bool moves_as_vectors(const Kernel& kernel, const Memory& memory, std::int32_t width) {
    if (!memory.is_words || !memory.is_packed || memory.is_uniform) {
        return false;
    }
    const std::int64_t words = words_per_value(memory) * width;
    const std::int64_t access = words % kVectorWords == 0 ? kVectorWords : words;
    if ((access != 2 && access != kVectorWords) ||
        memory.alignment < static_cast<std::uint64_t>(access) * 4) {
        return false;
    }
    if (memory.is_linear) {
        return true;
    }
    const std::int64_t leaf_words = *word_count(*memory.leaf);
    const std::size_t inner = kernel.dimensions.size() - 1;
    const bool is_contiguous = memory.call_strides[inner] * leaf_words == words_per_value(memory);
    const auto outer_end = memory.call_strides.begin() + static_cast<std::ptrdiff_t>(inner);
    // One element a thread may start anywhere, so its innermost stride counts like the others.
    return (is_contiguous ||
            (width == 1 && memory.call_strides[inner] * leaf_words % access == 0)) &&
           std::all_of(memory.call_strides.begin(), outer_end,
                       [&](std::int64_t stride) { return stride * leaf_words % access == 0; });
}

/// Whether something is gained by `width` elements a thread. A kernel that reads no array computes what it
/// writes, and its function would only be compiled several times over.
bool pays(Kernel& kernel, std::int32_t width) {
    const std::int64_t fewest =
        kernel.prefers_storage_bindings ? kFewestElementsOfSoftware : kFewestElements;
    const bool rows_divide = kernel.dimensions.size() < 2 || kernel.dimensions.back() % width == 0;
    if (call_count(kernel) < fewest || !rows_divide || uses_thread_index(kernel)) {
        return false;
    }
    bool reads_vectors = false;
    for_each_memory_operand(kernel, [&](const Operand& operand) {
        reads_vectors =
            reads_vectors || (operand.reads && moves_as_vectors(kernel, operand.memory, width));
    });
    return reads_vectors;
}

} // namespace

void choose_vector_width(Kernel& kernel) {
    if (kernel.is_raw_dispatch || kernel.is_tiled) {
        return;
    }
    const std::int32_t width = matching_width(kernel);
    const bool is_widened = width > 1 && !kernel.has_team && kernel.walk.dimension < 0 &&
                            kernel.tables.empty() && pays(kernel, width);
    kernel.width = is_widened ? width : 1;
    // llvmpipe keeps the registers of an unrolled body in memory if the body is in a loop. Without the loop it adds
    // to a sum more often, yet takes a third less time.
    kernel.is_persistent = kernel.is_persistent && !(is_widened && kernel.prefers_storage_bindings);
    kernel.has_tail = call_count(kernel) % kernel.width != 0;
    for_each_memory_operand(kernel, [&](Operand& operand) {
        operand.memory.is_wide =
            !adds_atomically(operand) && moves_as_vectors(kernel, operand.memory, kernel.width);
    });
}

} // namespace weft::codegen
