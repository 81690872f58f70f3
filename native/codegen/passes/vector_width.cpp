// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/vector_width.hpp"

#include "codegen/leaves.hpp"
#include "codegen/print_value.hpp"

#include <algorithm>

namespace weft::codegen {

namespace {

constexpr std::int64_t kAccessBytes = 16;

// Fewer elements do not fill a large GPU with four a thread; on a CPU every thread costs, whatever it does.
constexpr std::int64_t kMinElements = std::int64_t{1} << 19;
constexpr std::int64_t kMinElementsOfSoftware = std::int64_t{1} << 14;

// The function is compiled once an element: a derivative is too long for more.
constexpr std::int64_t kMaxElementsOfDerivative = 4;

std::int64_t value_bytes(const Memory& memory) {
    return register_bytes(memory) * registers_per_value(memory);
}

/// Scalars of any size on GPUs; a software device binds words.
bool can_be_wide(const Kernel& kernel, const Operand& operand) {
    const Memory& memory = operand.memory;
    return operand.kind == OperandKind::element && memory.is_packed && !memory.is_uniform &&
           (memory.is_words || (!kernel.prefers_storage_bindings && register_bytes(memory) != 0));
}

/// The elements that one thread takes so that the largest one-to-one operand moves in 16-byte accesses.
std::int32_t matching_width(Kernel& kernel) {
    std::int64_t most_bytes = 0;
    for_each_memory_operand(kernel, [&](const Operand& operand) {
        const Memory& memory = operand.memory;
        if ((memory.is_words && !memory.is_uniform) || can_be_wide(kernel, operand)) {
            most_bytes = std::max(most_bytes, value_bytes(memory));
        }
    });
    const bool fits = most_bytes != 0 && kAccessBytes % most_bytes == 0;
    const std::int64_t width = fits ? kAccessBytes / most_bytes : 1;
    return static_cast<std::int32_t>(
        kernel.derivative == Derivative::none ? width : std::min(width, kMaxElementsOfDerivative));
}

/// Bytes of one access to the elements of a thread; 0 if they do not lie side by side or make no access.
std::int64_t access_bytes(const Kernel& kernel, const Operand& operand, std::int32_t width) {
    if (!can_be_wide(kernel, operand)) {
        return 0;
    }
    const Memory& memory = operand.memory;
    const std::int64_t bytes = value_bytes(memory) * width;
    const std::int64_t access = bytes % kAccessBytes == 0 ? kAccessBytes : bytes;
    const bool is_access = access == kAccessBytes || access == 8 || access == 4;
    return is_access && access > register_bytes(memory) ? access : 0;
}

std::int64_t leaf_bytes(const Memory& memory) {
    return memory.is_words ? *word_count(*memory.leaf) * 4 : register_bytes(memory);
}

bool lies_side_by_side(const Kernel& kernel, const Memory& memory) {
    return memory.is_linear ||
           memory.call_strides[kernel.dimensions.size() - 1] * leaf_bytes(memory) ==
               value_bytes(memory);
}

/// Each thread starts at a multiple of the access.
bool starts_aligned(const Memory& memory, std::int64_t access, std::int32_t width) {
    if (memory.alignment < static_cast<std::uint64_t>(access)) {
        return false;
    }
    // One element a thread may start anywhere, so its innermost stride counts like the others.
    const auto end = memory.call_strides.end() - (width == 1 ? 0 : 1);
    return memory.is_linear ||
           std::all_of(memory.call_strides.begin(), end, [&](std::int64_t stride) {
               return stride * leaf_bytes(memory) % access == 0;
           });
}

bool is_aligned(const Kernel& kernel, const Operand& operand, std::int32_t width) {
    const std::int64_t access = access_bytes(kernel, operand, width);
    const Memory& memory = operand.memory;
    return access != 0 && (width == 1 || lies_side_by_side(kernel, memory)) &&
           starts_aligned(memory, access, width);
}

/// What only is read can be shifted into place out of the accesses around it.
bool can_shift(const Kernel& kernel, const Operand& operand, std::int32_t width) {
    const Memory& memory = operand.memory;
    return !kernel.prefers_storage_bindings && width > 1 && operand.reads && !operand.writes &&
           access_bytes(kernel, operand, width) != 0 && lies_side_by_side(kernel, memory) &&
           memory.alignment >= static_cast<std::uint64_t>(register_bytes(memory));
}

bool moves_as_vectors(const Kernel& kernel, const Operand& operand, std::int32_t width) {
    return is_aligned(kernel, operand, width) || can_shift(kernel, operand, width);
}

/// The elements of a thread lie in one row.
bool divides_rows(const Kernel& kernel, std::int32_t width) {
    return kernel.dimensions.size() < 2 || kernel.dimensions.back() % width == 0;
}

/// Whether something is gained by `width` elements a thread. A kernel that reads no array computes what it
/// writes, and its function would only be compiled several times over.
bool pays(Kernel& kernel, std::int32_t width) {
    const std::int64_t fewest =
        kernel.prefers_storage_bindings ? kMinElementsOfSoftware : kMinElements;
    if (call_count(kernel) < fewest || !divides_rows(kernel, width) || uses_thread_index(kernel)) {
        return false;
    }
    bool reads_vectors = false;
    for_each_memory_operand(kernel, [&](const Operand& operand) {
        reads_vectors =
            reads_vectors || (operand.reads && moves_as_vectors(kernel, operand, width));
    });
    return reads_vectors;
}

bool writes_vectors(const Kernel& kernel, const Operand& operand) {
    return operand.writes && operand.memory.is_linear && !adds_atomically(operand) &&
           access_bytes(kernel, operand, kernel.width) != 0;
}

/// True for what is written, if whole vectors can be after some elements.
bool begins_unaligned(const Kernel& kernel, const Operand& operand) {
    const Memory& memory = operand.memory;
    const std::int64_t access = access_bytes(kernel, operand, kernel.width);
    return operand.writes && memory.is_linear && access != 0 && access % value_bytes(memory) == 0 &&
           memory.alignment < static_cast<std::uint64_t>(access) &&
           memory.alignment >= static_cast<std::uint64_t>(value_bytes(memory));
}

/// What is written from a start that is not aligned: the first thread takes fewer elements, so that the others write
/// whole vectors, and all that is read is shifted into place.
void peel(Kernel& kernel) {
    if (kernel.prefers_storage_bindings || kernel.is_persistent || kernel.needs_coordinates) {
        return;
    }
    Memory* peeled = nullptr;
    for_each_memory_operand(kernel, [&](Operand& operand) {
        if (peeled == nullptr && begins_unaligned(kernel, operand) && !adds_atomically(operand)) {
            peeled = &operand.memory;
        }
    });
    if (peeled == nullptr) {
        return;
    }
    peeled->is_peel = kernel.is_peeled = kernel.has_tail = true;
    for_each_memory_operand(kernel, [&](Operand& operand) {
        Memory& memory = operand.memory;
        memory.is_checked = writes_vectors(kernel, operand);
        memory.is_shifted = can_shift(kernel, operand, kernel.width);
        memory.is_wide = memory.is_checked || memory.is_shifted;
    });
}

/// Neighbouring threads that add to what they pick add side by side only if each takes one element.
bool adds_where_it_picks(const Kernel& kernel) {
    bool adds = false;
    for_each_operand(kernel, [&](const Operand& operand) {
        adds = adds || (operand.kind == OperandKind::tensor && adds_atomically(operand));
    });
    return adds && !kernel.prefers_storage_bindings;
}

/// The largest width that ends with each row, on devices where that matters.
std::int32_t fitting_width(Kernel& kernel) {
    std::int32_t width = matching_width(kernel);
    while (width > 1 && !kernel.prefers_storage_bindings && !divides_rows(kernel, width)) {
        width /= 2;
    }
    return width;
}

bool is_worth_widening(Kernel& kernel, std::int32_t width) {
    return width > 1 && !kernel.has_team && kernel.reduction.dimension < 0 &&
           !adds_where_it_picks(kernel) && pays(kernel, width);
}

} // namespace

void choose_vector_width(Kernel& kernel) {
    if (kernel.is_raw_dispatch || kernel.is_tiled) {
        return;
    }
    const std::int32_t width = fitting_width(kernel);
    const bool is_widened = is_worth_widening(kernel, width);
    kernel.width = is_widened ? width : 1;
    // llvmpipe keeps the registers of an unrolled body in memory if the body is in a loop. Without the loop it adds
    // to a sum more often, yet takes a third less time.
    kernel.is_persistent = kernel.is_persistent && !(is_widened && kernel.prefers_storage_bindings);
    kernel.has_tail = call_count(kernel) % kernel.width != 0;
    for_each_memory_operand(kernel, [&](Operand& operand) {
        Memory& memory = operand.memory;
        memory.is_wide =
            !adds_atomically(operand) && moves_as_vectors(kernel, operand, kernel.width);
        memory.is_shifted = memory.is_wide && !is_aligned(kernel, operand, kernel.width);
    });
    if (is_widened) {
        peel(kernel);
    }
}

} // namespace weft::codegen
