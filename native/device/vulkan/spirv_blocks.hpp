// SPDX-License-Identifier: Apache-2.0
// Blocks of functions, and what guarded loops share in a module.
#pragma once

#include "device/vulkan/spirv_module.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace weft::device::vulkan {

struct Block {
    std::uint32_t label = 0;
    std::vector<SpirvInstruction> code; ///< after the label
};

/// A function's instructions before its first block, and its blocks.
struct FunctionBlocks {
    /// @param code from OpFunction to OpFunctionEnd.
    explicit FunctionBlocks(std::span<const SpirvInstruction> code);
    void append_to(std::vector<SpirvInstruction>& code) const;

    std::vector<SpirvInstruction> head;
    std::vector<Block> blocks;
};

/// Calls `rewrite(function, out)` for each function of a module, which appends what takes its place.
template <typename Rewrite>
void rewrite_functions(SpirvModule& module, Rewrite&& rewrite) {
    std::vector<SpirvInstruction> code;
    for (auto begin = module.code.begin(); begin != module.code.end();) {
        const auto end = std::find_if(begin, module.code.end(),
                                      [](const SpirvInstruction& one) {
                                          return one.operation == spirv::kFunctionEnd;
                                      }) +
                         1;
        rewrite(std::span<const SpirvInstruction>(begin, end), code);
        begin = end;
    }
    module.code = std::move(code);
}

/// Whether operand `at` is an id of a value; for others a number in a place for literals must not be taken for one.
[[nodiscard]] bool is_value(const SpirvInstruction& instruction, std::size_t at);

[[nodiscard]] std::vector<SpirvInstruction>::iterator end_of_phis(Block& block);

/// Before the last instruction and the merge that belongs to it.
[[nodiscard]] std::vector<SpirvInstruction>::iterator end_of_work(Block& block);

/// The OpLoopMerge of a loop's header; null for other blocks.
[[nodiscard]] const SpirvInstruction* loop_merge(const Block& block);

/// What is the same for all functions of a module.
struct Shared {
    explicit Shared(SpirvModule& target);
    /// A value of the type for the edge that is never taken.
    std::uint32_t nothing(std::uint32_t type);

    SpirvModule& module;
    std::uint32_t uint_type = 0, bool_type = 0, zero = 0, one = 0;
    std::uint32_t cut = 0;  ///< variable: not 0 once the driver ended a loop
    std::uint32_t runs = 0; ///< variable: runs of loops that run more than once
    std::uint32_t group_count = 0;
    std::unordered_set<std::uint32_t> types;
    std::unordered_map<std::uint32_t, bool> pointers; ///< by type: cannot pass through a phi
    std::unordered_map<std::uint32_t, std::uint32_t> constants;
    std::unordered_map<std::uint32_t, std::uint32_t> nothings;

private:
    void note(const SpirvInstruction& declared);
};

} // namespace weft::device::vulkan
