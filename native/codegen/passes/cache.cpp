// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/cache.hpp"

#include "codegen/passes/accumulation.hpp"

#include <algorithm>

namespace weft::codegen {

namespace {

// Fewer calls do not fill a large GPU with several a thread, and what a group empties must be worth its clearing.
constexpr std::int64_t kMinCalls = std::int64_t{1} << 20;

// A group's calls lie side by side along the innermost dimension: 1024 floats and a few neighbours, of several rows
// where the tensor has them. More would take memory from the first-level cache.
constexpr std::int32_t kLines = 32;
constexpr std::int32_t kLinesOfRows = 64;

std::int64_t cache_bytes(std::int64_t lines) {
    return lines * (kCacheLine + 1) * 4;
}

bool takes_groups_of_calls(const Kernel& kernel) {
    return !kernel.prefers_storage_bindings && !kernel.is_raw_dispatch && !kernel.has_team &&
           !kernel.is_tiled && !kernel.is_index64 && !kernel.is_persistent &&
           !kernel.repeats_last && !uses_thread_index(kernel) && kernel.sums == SumPass::at_once &&
           call_count(kernel) >= kMinCalls;
}

} // namespace

void cache_additions(Kernel& kernel) {
    if (!takes_groups_of_calls(kernel)) {
        return;
    }
    // Staged operands have what Vulkan promises.
    std::int64_t room = std::int64_t{kernel.shared_bytes} - kSharedBytes;
    for_each_operand(kernel, [&](Operand& operand) {
        for (Operand& gradient : operand.gradient_out) {
            if (gradient.accumulation != Accumulation::atomic ||
                !adds_scalars_forward(operand, gradient)) {
                continue;
            }
            const std::int32_t wanted = operand.tensor_shape.size() > 1 ? kLinesOfRows : kLines;
            const std::int32_t lines = cache_bytes(wanted) <= room ? wanted : kLines;
            if (cache_bytes(lines) > room) {
                continue;
            }
            room -= cache_bytes(lines);
            gradient.accumulation = Accumulation::cache;
            gradient.memory.cache = static_cast<std::int32_t>(kernel.caches.size());
            kernel.caches.push_back(lines);
        }
    });
    if (!kernel.caches.empty()) {
        kernel.imports.emplace_back("weft_diff");
    }
}

} // namespace weft::codegen
