// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/threads.hpp"

#include <algorithm>

namespace weft::codegen {

namespace {

std::int64_t divide_up(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step;
}

// A large GPU starts groups more slowly than its memory takes 256 elements, one a thread. So many elements fill it
// several times over with four steps a thread.
constexpr std::int32_t kSteps = 4;
constexpr std::int64_t kMinElementsToStep = std::int64_t{1} << 22;

// Enough groups of a persistent kernel to fill the largest GPUs (144 multiprocessors) several times, and the cores of
// a CPU; few enough that their additions to one element do not matter.
constexpr std::int64_t kMaxGroups = 1024;
// Two groups whose memory is full fit on a multiprocessor.
constexpr std::int64_t kMaxGroupsOfCollector = 256;
constexpr std::int64_t kMaxGroupsOfSoftware = 64;

// Turns of a reduction that are worth the sum after it.
constexpr std::int64_t kMinTurns = 4;

bool is_plain(const Kernel& kernel) {
    return kernel.width == 1 && kernel.stages.empty() && !kernel.is_tiled && !kernel.is_persistent;
}

std::int32_t choose_steps(const Kernel& kernel) {
    if (kernel.reduction.dimension >= 0) {
        return kernel.steps; // of load_ahead()
    }
    if (!kernel.caches.empty() && kernel.stages.empty()) {
        return kSteps;
    }
    return is_plain(kernel) && !kernel.prefers_storage_bindings && !kernel.repeats_last &&
                   call_count(kernel) >= kMinElementsToStep && !uses_thread_index(kernel)
               ? kSteps
               : 1;
}

std::int64_t linear_groups(const Kernel& kernel) {
    if (kernel.is_tiled) {
        std::int64_t tiles = 1;
        const std::size_t rank = kernel.dimensions.size();
        for (std::size_t i = 0; i < rank; ++i) {
            const bool is_tile =
                i + 1 == rank || static_cast<std::int32_t>(i) == kernel.tile_dimension;
            tiles *= is_tile ? divide_up(kernel.dimensions[i], kTileEdge) : kernel.dimensions[i];
        }
        return tiles;
    }
    const std::int64_t before_first = kernel.is_peeled ? kernel.width - 1 : 0;
    const std::int64_t threads =
        divide_up(call_count(kernel) + before_first,
                  std::int64_t{kernel.width} * kernel.steps * kernel.turns);
    return divide_up(threads, kernel.group_size[0]);
}

/// Groups for a reduction: enough of them share a column to fill the device.
std::int64_t divide_reduction(Kernel& kernel, std::int64_t most) {
    ReductionAxis& axis = kernel.reduction;
    const std::int64_t extent = kernel.dimensions[static_cast<std::size_t>(axis.dimension)];
    const std::int64_t longest = divide_up(extent, axis.lanes * kMinTurns);
    axis.chunks = std::clamp<std::int64_t>(most / axis.blocks, 1, longest);
    return axis.blocks * axis.chunks;
}

} // namespace

std::array<std::uint32_t, 3> divide_groups(std::int64_t groups, std::uint32_t max_columns) {
    const std::int64_t columns = std::min<std::int64_t>(groups, max_columns);
    return {static_cast<std::uint32_t>(columns),
            static_cast<std::uint32_t>(divide_up(groups, columns)), 1};
}

void choose_thread_grid(Kernel& kernel) {
    if (kernel.is_raw_dispatch) {
        for (std::size_t i = 0; i < 3; ++i) {
            kernel.group_count[i] =
                static_cast<std::uint32_t>(divide_up(kernel.shape[i], kernel.group_size[i]));
        }
        return;
    }
    kernel.steps = choose_steps(kernel);
    std::int64_t groups = std::max<std::int64_t>(linear_groups(kernel), 1);
    const std::int64_t most = kernel.prefers_storage_bindings ? kMaxGroupsOfSoftware
                              : kernel.collector.empty()      ? kMaxGroups
                                                              : kMaxGroupsOfCollector;
    if (kernel.reduction.dimension >= 0) {
        groups = divide_reduction(kernel, most);
    } else if (kernel.is_persistent) {
        groups = std::min(groups, most);
    }
    kernel.group_count = divide_groups(groups, kernel.max_group_count);
}

} // namespace weft::codegen
