// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/tile.hpp"

#include "codegen/leaves.hpp"

#include <cstdlib>

namespace weft::codegen {

namespace {

constexpr std::int64_t kTileEdge = 32;

/// A transposed operand touches a cache line for every element of the innermost dimension, but the
/// neighbours it needs next lie one step along the dimension before.
bool is_transposed(const Memory& memory, std::size_t rank) {
    const std::int64_t inner = std::abs(memory.call_strides[rank - 1]);
    const std::int64_t outer = std::abs(memory.call_strides[rank - 2]);
    return outer != 0 && inner > outer && inner >= kTileEdge;
}

} // namespace

void choose_tiling(Kernel& kernel) {
    const std::size_t rank = kernel.dimensions.size();
    if (kernel.is_raw_dispatch || kernel.has_team || kernel.is_persistent ||
        kernel.prefers_storage_bindings || kernel.is_index64 || rank < 2 ||
        kernel.dimensions[rank - 1] < kTileEdge || kernel.dimensions[rank - 2] < kTileEdge) {
        return;
    }
    for_each_memory_operand(kernel, [&](Operand& operand) {
        kernel.is_tiled = kernel.is_tiled || is_transposed(operand.memory, rank);
    });
    kernel.needs_coordinates = kernel.needs_coordinates || kernel.is_tiled;
}

} // namespace weft::codegen
