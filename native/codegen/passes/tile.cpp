// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/tile.hpp"

#include "codegen/print_value.hpp"

#include <cstdlib>

namespace weft::codegen {

namespace {

constexpr std::int64_t kTileElements = kTileEdge * (kTileEdge + 1);
// Memory moves in sectors of this size.
constexpr std::int64_t kSectorBytes = 32;

/// The dimension along which the operand's elements lie closest; -1 where that is the innermost one. A transposed
/// operand touches a sector for every element of the innermost dimension, but the neighbours in memory lie along that.
std::int32_t closest_dimension(const Kernel& kernel, const Memory& memory) {
    const std::size_t inner = kernel.dimensions.size() - 1;
    std::int64_t least = std::abs(memory.call_strides[inner]);
    std::int32_t closest = -1;
    for (std::size_t i = 0; least >= kTileEdge && i < inner; ++i) {
        const std::int64_t stride = std::abs(memory.call_strides[i]);
        if (stride != 0 && stride < least && kernel.dimensions[i] >= kTileEdge) {
            least = stride;
            closest = static_cast<std::int32_t>(i);
        }
    }
    return closest;
}

/// Turned around in group-shared memory as long as there is room.
void assign_tiles(Kernel& kernel) {
    std::int64_t used = 0;
    for_each_memory_operand(kernel, [&](Operand& operand) {
        Memory& memory = operand.memory;
        if (!is_own_scalar(operand)) {
            return;
        }
        const std::int64_t bytes = register_bytes(memory);
        const auto along = static_cast<std::size_t>(kernel.tile_dimension);
        const bool is_turned = closest_dimension(kernel, memory) == kernel.tile_dimension &&
                               std::abs(memory.call_strides[along]) * bytes < kSectorBytes;
        if (is_turned && used + kTileElements * bytes <= kSharedBytes) {
            used += kTileElements * bytes;
            memory.tile = static_cast<std::int32_t>(kernel.tiles.size());
            kernel.tiles.push_back(register_type(memory));
        } else {
            memory.is_ahead = true;
        }
    });
}

bool can_tile(const Kernel& kernel) {
    return !kernel.is_raw_dispatch && !uses_thread_index(kernel) && !kernel.has_team &&
           !kernel.is_persistent && !kernel.prefers_storage_bindings && !kernel.is_index64 &&
           kernel.dimensions.size() >= 2 && kernel.dimensions.back() >= kTileEdge;
}

} // namespace

void choose_tiling(Kernel& kernel) {
    if (!can_tile(kernel)) {
        return;
    }
    for_each_memory_operand(kernel, [&](Operand& operand) {
        const std::int32_t closest = closest_dimension(kernel, operand.memory);
        kernel.tile_dimension = kernel.tile_dimension < 0 ? closest : kernel.tile_dimension;
    });
    kernel.is_tiled = kernel.tile_dimension >= 0;
    kernel.needs_coordinates = kernel.needs_coordinates || kernel.is_tiled;
    if (kernel.is_tiled) {
        assign_tiles(kernel);
    }
}

} // namespace weft::codegen
