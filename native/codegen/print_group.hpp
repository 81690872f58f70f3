// SPDX-License-Identifier: Apache-2.0
// Bodies of kernels whose groups move memory together, through group-shared arrays.
#pragma once

#include "codegen/print_gradient.hpp"
#include "codegen/print_value.hpp"

#include <functional>

namespace weft::codegen {

/// What the bodies share with the rest of the kernel.
struct GroupBody {
    const Kernel& kernel;
    ValuePrinter& values;
    SourceWriter& out;
    std::string group;          ///< expression: number of the group
    std::function<void()> call; ///< prints the call of one element, whose coordinates are declared
};

/// Declares the group-shared arrays of Kernel::stages and Kernel::tiles.
void print_group_memory(const Kernel& kernel, SourceWriter& out);

/// Staged operands of the group's elements from number `weft_block` on. `call` declares coordinates by itself.
void print_staged_block(const GroupBody& body, const std::string& count);

/// A group of 256 threads for a tile of the innermost dimension and Kernel::tile_dimension.
void print_tiled_body(const GroupBody& body);

/// Threads that loop along one dimension and add up what the calls on their way share.
void print_reduction_body(const GroupBody& body, GradientPrinter& gradients);

/// Name of a group-shared array of Kernel::stages.
[[nodiscard]] std::string stage_name(std::int32_t stage);
/// Name of a group-shared array of Kernel::tiles.
[[nodiscard]] std::string tile_name(std::int32_t tile);

} // namespace weft::codegen
