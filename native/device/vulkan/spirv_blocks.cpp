// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/spirv_blocks.hpp"

#include "device/vulkan/spirv_report.hpp"

#include <algorithm>

namespace weft::device::vulkan {

FunctionBlocks::FunctionBlocks(std::span<const SpirvInstruction> code) {
    for (const SpirvInstruction& instruction : code) {
        if (instruction.operation == spirv::kLabel) {
            blocks.push_back({instruction.operands[0], {}});
        } else if (blocks.empty()) {
            head.push_back(instruction);
        } else if (instruction.operation != spirv::kFunctionEnd) {
            blocks.back().code.push_back(instruction);
        }
    }
}

void FunctionBlocks::append_to(std::vector<SpirvInstruction>& code) const {
    code.insert(code.end(), head.begin(), head.end());
    for (const Block& block : blocks) {
        code.push_back({spirv::kLabel, {block.label}});
        code.insert(code.end(), block.code.begin(), block.code.end());
    }
    code.push_back({spirv::kFunctionEnd, {}});
}

bool is_value(const SpirvInstruction& instruction, std::size_t at) {
    switch (instruction.operation) {
    case 8: return false;    // OpLine
    case 12: return at != 3; // OpExtInst
    case 61:
    case 68:
    case 81: return at < 3; // load, length, extract
    case 62:
    case 63: return at < 2; // store, copy
    case 79:
    case 82: return at < 4;  // shuffle, insert
    case 59: return at != 2; // variable
    case 87:
    case 88:
    case 95:
    case 98: return at != 4; // images: operand masks
    case 89:
    case 90:
    case 96: return at != 5;
    case 99: return at != 3;
    case 246:
    case 247:
    case 249: return false; // merges, branch
    case 250:
    case 251: return at == 0; // conditional branch, switch
    case 4457: return at < 5; // cooperative matrices
    case 4458: return at < 4;
    case 4459: return at < 5;
    default: break;
    }
    const bool has_group_operation = instruction.operation == 342 ||
                                     (instruction.operation >= 349 && instruction.operation <= 364);
    return !has_group_operation || at != 3;
}

std::vector<SpirvInstruction>::iterator end_of_phis(Block& block) {
    return std::find_if(block.code.begin(), block.code.end(), [](const SpirvInstruction& one) {
        return one.operation != spirv::kPhi && one.operation != 8;
    });
}

std::vector<SpirvInstruction>::iterator end_of_work(Block& block) {
    auto at = block.code.end() - 1;
    if (at != block.code.begin() && ((at - 1)->operation == spirv::kSelectionMerge ||
                                     (at - 1)->operation == spirv::kLoopMerge)) {
        --at;
    }
    return at;
}

const SpirvInstruction* loop_merge(const Block& block) {
    const std::size_t count = block.code.size();
    return count > 1 && block.code[count - 2].operation == spirv::kLoopMerge
               ? &block.code[count - 2]
               : nullptr;
}

Shared::Shared(SpirvModule& target) : module(target) {
    uint_type = module.type(spirv::kTypeInt, {32, 0});
    bool_type = module.type(spirv::kTypeBool, {});
    zero = module.constant(uint_type, 0);
    one = module.constant(uint_type, 1);
    cut = declare_private(module, uint_type, zero);
    runs = declare_private(module, uint_type, zero);
    group_count = find_group_count(module);
    for (const SpirvInstruction& declared : module.declarations) {
        note(declared);
    }
}

void Shared::note(const SpirvInstruction& declared) {
    const bool is_type = declared.operation >= 19 && declared.operation <= 38;
    if (is_type || declared.operation == 4456) { // a cooperative matrix
        types.insert(declared.operands[0]);
    }
    if (declared.operation == spirv::kTypePointer) {
        pointers[declared.operands[0]] = declared.operands[1] != kAddressStorage;
    } else if (declared.operation == spirv::kConstant && declared.operands.size() == 3) {
        constants[declared.operands[1]] = declared.operands[2];
    }
}

std::uint32_t Shared::nothing(std::uint32_t type) {
    auto [found, is_new] = nothings.try_emplace(type, 0);
    if (is_new) {
        found->second = module.new_id();
        const bool is_pointer = pointers.contains(type);
        module.declare({is_pointer ? spirv::kUndef : spirv::kConstantNull, {type, found->second}});
    }
    return found->second;
}

} // namespace weft::device::vulkan
