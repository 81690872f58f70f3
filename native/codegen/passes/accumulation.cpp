// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/accumulation.hpp"

#include "codegen/leaves.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace weft::codegen {

namespace {

// Fewer calls that share an element are not worth a loop.
constexpr std::int64_t kMinSteps = 4;
// From here on neighbouring threads reduce along a row together, which their memory accesses prefer.
constexpr std::int64_t kMinLanes = 64;
constexpr std::int64_t kTurnsAhead = 4; // of passes/ahead.cpp

// Of the sums of a group's threads, which lie beside the tables.
constexpr std::int64_t kSumBytes = 4096;
// Each group clears its table and adds it to memory: the calls must outweigh that.
constexpr std::int64_t kMinCallsOfTable = std::int64_t{1} << 14;
constexpr std::int64_t kMinCallsAnEntry = 16;
// A table that leaves room for few groups on a multiprocessor.
constexpr std::int64_t kFloatsOfLargeTable = 3072;
constexpr std::int64_t kMinCallsAnEntryOfLargeTable = 256;

bool is_shared_along(const Kernel& kernel, const Memory& memory, std::size_t dimension) {
    return memory.call_strides[dimension] == 0 && kernel.dimensions[dimension] > 1;
}

/// Several calls add to one element.
bool is_shared(const Kernel& kernel, const Memory& memory) {
    for (std::size_t i = 0; i < kernel.dimensions.size(); ++i) {
        if (is_shared_along(kernel, memory, i)) {
            return true;
        }
    }
    return false;
}

/// Whether sums of the type's scalars are kept in float.
bool sums_in_float(const reflect::Type& type) {
    const auto leaves = scalar_leaves(type);
    return leaves && std::all_of(leaves->begin(), leaves->end(), [](const ScalarLeaf& leaf) {
               return leaf.kind == reflect::ScalarKind::float32 ||
                      leaf.kind == reflect::ScalarKind::float16;
           });
}

/// The dimension whose calls share the most gradients; -1 if a loop along one gains nothing.
std::int32_t best_reduction_axis(const Kernel& kernel, const std::vector<Operand*>& shared) {
    std::int32_t best = -1;
    std::int64_t most_gain = 0;
    for (std::size_t i = 0; i < kernel.dimensions.size(); ++i) {
        std::int64_t gain = 0;
        for (const Operand* gradient : shared) {
            if (!gradient->memory.is_uniform && is_shared_along(kernel, gradient->memory, i)) {
                gain += kernel.dimensions[i];
            }
        }
        if (kernel.dimensions[i] >= kMinSteps && gain > most_gain) {
            most_gain = gain;
            best = static_cast<std::int32_t>(i);
        }
    }
    return best;
}

void set_reduction_axis(Kernel& kernel, std::int32_t dimension) {
    const auto at = static_cast<std::size_t>(dimension);
    const std::int64_t extent = kernel.dimensions[at];
    ReductionAxis& axis = kernel.reduction;
    axis.dimension = dimension;
    axis.is_lane_major = at + 1 == kernel.dimensions.size() && extent >= kMinLanes;
    const std::int64_t columns = call_count(kernel) / extent;
    const std::int64_t group = kernel.group_size[0];
    // On GPUs a thread loads kTurnsAhead elements before it computes.
    const std::int64_t turns = kernel.prefers_storage_bindings ? 1 : kTurnsAhead;
    const auto lanes = static_cast<std::int64_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::max(extent / turns, kMinLanes))));
    const std::int64_t fitting = axis.is_lane_major
                                     ? group / std::min(group, lanes)
                                     : std::min(group, static_cast<std::int64_t>(std::bit_ceil(
                                                           static_cast<std::uint64_t>(columns))));
    axis.columns = static_cast<std::int32_t>(fitting);
    axis.lanes = static_cast<std::int32_t>(group / fitting);
    axis.blocks = (columns + fitting - 1) / fitting;
    kernel.needs_coordinates = true;
}

Accumulation accumulation_of(const Kernel& kernel, const Operand& gradient) {
    const Memory& memory = gradient.memory;
    if (memory.is_uniform) {
        return Accumulation::group;
    }
    const std::int32_t axis = kernel.reduction.dimension;
    if (axis >= 0 && memory.call_strides[static_cast<std::size_t>(axis)] == 0) {
        return Accumulation::group;
    }
    return is_shared_along(kernel, memory, kernel.dimensions.size() - 1) &&
                   sums_in_float(*gradient.type)
               ? Accumulation::subgroup
               : Accumulation::atomic;
}

/// Floats of the table for a gradient: one kernel serves similar sizes.
std::int64_t table_size(const Operand& gradient) {
    const std::size_t size = scalar_leaves(*gradient.memory.leaf)->front().size;
    return static_cast<std::int64_t>(std::bit_ceil(gradient.memory.extent_bytes / size));
}

/// Whether the group can collect in shared memory what the function adds to a tensor.
bool fits_table(const Kernel& kernel, const Operand& tensor, const Operand& gradient,
                std::int64_t used) {
    if (!adds_scalars_forward(tensor, gradient)) {
        return false;
    }
    const std::int64_t floats = table_size(gradient);
    const std::int64_t calls = call_count(kernel);
    const std::int64_t calls_an_entry =
        used + floats > kFloatsOfLargeTable ? kMinCallsAnEntryOfLargeTable : kMinCallsAnEntry;
    return (used + floats) * 4 + kSumBytes <= std::int64_t{kernel.shared_bytes} &&
           calls >= kMinCallsOfTable && calls >= floats * calls_an_entry;
}

/// Gradients of the tensors that the function picks elements from.
void choose_tables(Kernel& kernel) {
    std::int64_t used = 0;
    for_each_operand(kernel, [&](Operand& operand) {
        if (operand.kind != OperandKind::tensor) {
            return;
        }
        for (Operand& gradient : operand.gradient_out) {
            if (gradient.accumulation == Accumulation::none) {
                continue;
            }
            gradient.accumulation = Accumulation::atomic;
            // Barriers cost a CPU more than its atomic additions; a team leaves no shared memory.
            if (kernel.prefers_storage_bindings || kernel.has_team ||
                kernel.sums != SumPass::at_once || uses_thread_index(kernel) ||
                !fits_table(kernel, operand, gradient, used)) {
                continue;
            }
            gradient.accumulation = Accumulation::table;
            gradient.memory.table = static_cast<std::int32_t>(kernel.tables.size());
            kernel.tables.push_back(table_size(gradient));
            used += kernel.tables.back();
            kernel.is_persistent = true;
        }
    });
}

/// Gradients of values.
void choose_sums(Kernel& kernel) {
    std::vector<Operand*> shared;
    for_each_memory_operand(kernel, [&](Operand& operand) {
        if (operand.accumulation != Accumulation::none && operand.kind == OperandKind::element &&
            (operand.shares_memory || is_shared(kernel, operand.memory))) {
            shared.push_back(&operand);
        }
    });
    if (uses_thread_index(kernel)) {
        for (Operand* gradient : shared) {
            gradient->accumulation = Accumulation::atomic;
        }
        return;
    }
    if (const std::int32_t axis = best_reduction_axis(kernel, shared); axis >= 0) {
        set_reduction_axis(kernel, axis);
    }
    for (Operand* gradient : shared) {
        gradient->accumulation = accumulation_of(kernel, *gradient);
        kernel.is_persistent =
            kernel.is_persistent || gradient->accumulation == Accumulation::group;
    }
}

/// A thread's calls are consecutive elements, or a loop's, whatever thread it is.
bool takes_elements_in_order(const Kernel& kernel) {
    return kernel.reduction.dimension < 0 && !kernel.is_raw_dispatch && !uses_thread_index(kernel);
}

// Where a group collects more, its multiprocessor has room for no other beside a cache: then one group has all threads
// that its registers allow.
constexpr std::int64_t kSmallCollection = 48 << 10;
constexpr std::uint32_t kLargeGroup = 2 * kTeamGroup;

/// The only network that has a gradient, on devices where a group has memory left for it.
void choose_collector(Kernel& kernel) {
    std::int64_t count = 0;
    std::string name;
    std::int64_t bytes = 0;
    for_each_operand(kernel, [&](const Operand& operand) {
        if (operand.can_collect) {
            ++count;
            name = operand.name;
            bytes = operand.collected_bytes;
        }
    });
    if (count == 1 && kernel.has_matrix_units && takes_elements_in_order(kernel)) {
        kernel.collector = name;
        kernel.collected_bytes = bytes;
        if (bytes > kSmallCollection && !kernel.keeps_group_size) {
            kernel.group_size = {kLargeGroup, 1, 1};
        }
        kernel.is_persistent = true;
    }
}

/// Subgroups that work together need all their threads. Repeating a call is without effect where what it adds is
/// multiplied by gradients, which can be zero: not where a function writes.
void keep_subgroups_whole(Kernel& kernel) {
    kernel.repeats_last =
        kernel.has_team && kernel.subgroup_size != 0 && kernel.derivative == Derivative::backward &&
        takes_elements_in_order(kernel) && call_count(kernel) % kernel.group_size[0] != 0;
}

} // namespace

bool adds_scalars_forward(const Operand& tensor, const Operand& gradient) {
    if (tensor.kind != OperandKind::tensor || !sums_in_float(*tensor.type->element) ||
        gradient.memory.extent_bytes == 0) {
        return false;
    }
    const bool is_forward =
        std::all_of(gradient.tensor_strides.begin(), gradient.tensor_strides.end(),
                    [](std::int64_t stride) { return stride >= 0; });
    const reflect::TypeKind kind = tensor.type->element->kind;
    const bool is_flat = kind == reflect::TypeKind::scalar || kind == reflect::TypeKind::vector;
    return tensor.type->tensor.is_interface &&
           tensor.type->tensor.access == reflect::Access::read && is_flat &&
           gradient.memory.is_uniform && is_forward;
}

void choose_accumulation(Kernel& kernel) {
    choose_tables(kernel);
    choose_sums(kernel);
    choose_collector(kernel);
    keep_subgroups_whole(kernel);
    bool is_shared = false;
    for_each_memory_operand(
        kernel, [&](const Operand& operand) { is_shared = is_shared || adds_atomically(operand); });
    if (is_shared) {
        kernel.imports.emplace_back("weft");
    }
    if (!kernel.tables.empty()) {
        kernel.imports.emplace_back("weft_diff");
    }
}

} // namespace weft::codegen
