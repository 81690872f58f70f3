// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/spirv_report.hpp"

#include <algorithm>

namespace weft::device::vulkan {
namespace {

constexpr std::uint32_t kInput = 1;
constexpr std::uint32_t kPrivate = 6;
constexpr std::uint32_t kPushConstant = 9;
constexpr std::uint32_t kBlock = 2;
constexpr std::uint32_t kBuiltIn = 11;
constexpr std::uint32_t kOffset = 35;
constexpr std::uint32_t kNumWorkgroups = 24;
constexpr std::uint32_t kAddresses = 5347; // the capability
constexpr std::uint32_t kAddressing64 = 5348;
constexpr std::uint32_t kAligned = 2;
constexpr std::uint32_t kExecutionModeId = 331;

SpirvInstruction* find(SpirvModule& module, std::uint32_t operation, std::size_t at,
                       std::uint32_t value) {
    const auto found = std::find_if(
        module.declarations.begin(), module.declarations.end(), [&](const SpirvInstruction& one) {
            return one.operation == operation && one.operands.size() > at &&
                   one.operands[at] == value;
        });
    return found == module.declarations.end() ? nullptr : &*found;
}

SpirvInstruction& entry_point(SpirvModule& module) {
    return *std::find_if(
        module.declarations.begin(), module.declarations.end(),
        [](const SpirvInstruction& one) { return one.operation == spirv::kEntryPoint; });
}

std::uint32_t declare_variable(SpirvModule& module, std::uint32_t type, std::uint32_t storage,
                               std::uint32_t initial) {
    const std::uint32_t pointer = module.type(spirv::kTypePointer, {storage, type});
    const std::uint32_t id = module.new_id();
    SpirvInstruction variable{spirv::kVariable, {pointer, id, storage}};
    if (initial != 0) {
        variable.operands.push_back(initial);
    }
    module.declare(std::move(variable));
    entry_point(module).operands.push_back(id);
    return id;
}

/// The address of a word, as a type that comes before every structure.
std::uint32_t word_address(SpirvModule& module, std::uint32_t word) {
    const auto found = std::find_if(
        module.declarations.begin(), module.declarations.end(), [&](const SpirvInstruction& one) {
            return one.operation == spirv::kTypePointer && one.operands[1] == kAddressStorage &&
                   one.operands[2] == word;
        });
    SpirvInstruction type{spirv::kTypePointer, {0, kAddressStorage, word}};
    if (found != module.declarations.end()) {
        type = *found;
        module.declarations.erase(found);
    } else {
        type.operands[0] = module.new_id();
    }
    const std::uint32_t id = type.operands[0];
    const auto before = std::find_if(
        module.declarations.begin(), module.declarations.end(), [&](const SpirvInstruction& one) {
            return one.operation == spirv::kTypeInt && one.operands[0] == word;
        });
    module.declarations.insert(before + 1, std::move(type));
    return id;
}

struct PushConstant {
    std::uint32_t variable = 0;
    std::uint32_t member = 0; ///< of the variable's structure
};

/// Makes room for the address behind the arguments.
PushConstant add_push_constant(SpirvModule& module, std::uint32_t address, std::uint32_t offset) {
    const SpirvInstruction* variable = find(module, spirv::kVariable, 2, kPushConstant);
    if (variable == nullptr) {
        const std::uint32_t structure = module.new_id();
        module.declare({spirv::kTypeStruct, {structure, address}});
        module.annotate(spirv::kDecorate, {structure, kBlock});
        module.annotate(spirv::kMemberDecorate, {structure, 0, kOffset, offset});
        return {declare_variable(module, structure, kPushConstant, 0), 0};
    }
    const std::uint32_t id = variable->operands[1];
    const std::uint32_t structure =
        find(module, spirv::kTypePointer, 0, variable->operands[0])->operands[2];
    SpirvInstruction& members = *find(module, spirv::kTypeStruct, 0, structure);
    const auto member = static_cast<std::uint32_t>(members.operands.size() - 1);
    members.operands.push_back(address);
    module.annotate(spirv::kMemberDecorate, {structure, member, kOffset, offset});
    return {id, member};
}

/// The functions are addressed by pointers into memory from now on.
void allow_addresses(SpirvModule& module) {
    module.require_capability(kAddresses);
    for (SpirvInstruction& one : module.declarations) {
        if (one.operation == spirv::kMemoryModel) {
            one.operands[0] = kAddressing64;
        }
    }
}

} // namespace

std::uint32_t entry_function(const SpirvModule& module) {
    const auto found = std::find_if(
        module.declarations.begin(), module.declarations.end(),
        [](const SpirvInstruction& one) { return one.operation == spirv::kEntryPoint; });
    return found->operands[1];
}

std::uint32_t declare_private(SpirvModule& module, std::uint32_t type, std::uint32_t initial) {
    return declare_variable(module, type, kPrivate, initial);
}

std::uint32_t find_group_count(SpirvModule& module) {
    for (const SpirvInstruction& one : module.declarations) {
        if (one.operation == spirv::kDecorate && one.operands.size() > 2 &&
            one.operands[1] == kBuiltIn && one.operands[2] == kNumWorkgroups) {
            return one.operands[0];
        }
    }
    const std::uint32_t word = module.type(spirv::kTypeInt, {32, 0});
    const std::uint32_t vector = module.type(spirv::kTypeVector, {word, 3});
    const std::uint32_t variable = declare_variable(module, vector, kInput, 0);
    module.annotate(spirv::kDecorate, {variable, kBuiltIn, kNumWorkgroups});
    return variable;
}

void add_report(SpirvModule& module, std::uint32_t flag, const LoopReport& report) {
    allow_addresses(module);
    const std::uint32_t word = module.type(spirv::kTypeInt, {32, 0});
    const std::uint32_t boolean = module.type(spirv::kTypeBool, {});
    const std::uint32_t nothing = module.type(spirv::kTypeVoid, {});
    const std::uint32_t function = module.type(spirv::kTypeFunction, {nothing});
    const std::uint32_t address = word_address(module, word);
    const PushConstant place = add_push_constant(module, address, report.argument_offset);
    const std::uint32_t pointer = module.type(spirv::kTypePointer, {kPushConstant, address});
    const std::uint32_t member = module.constant(word, place.member);
    const std::uint32_t mark = module.constant(word, report.mark);
    const std::uint32_t zero = module.constant(word, 0);
    const std::uint32_t inner = entry_function(module);
    const std::uint32_t outer = module.new_id();
    std::uint32_t ids[8];
    std::generate(std::begin(ids), std::end(ids), [&] { return module.new_id(); });
    const auto& [begin, call, value, is_set, tell, end, at, target] = ids;
    const std::vector<SpirvInstruction> code{
        {spirv::kFunction, {nothing, outer, 0, function}},
        {spirv::kLabel, {begin}},
        {spirv::kFunctionCall, {nothing, call, inner}},
        {spirv::kLoad, {word, value, flag}},
        {spirv::kINotEqual, {boolean, is_set, value, zero}},
        {spirv::kSelectionMerge, {end, 0}},
        {spirv::kBranchConditional, {is_set, tell, end}},
        {spirv::kLabel, {tell}},
        {spirv::kAccessChain, {pointer, at, place.variable, member}},
        {spirv::kLoad, {address, target, at}},
        {spirv::kStore, {target, mark, kAligned, sizeof(std::uint32_t)}},
        {spirv::kBranch, {end}},
        {spirv::kLabel, {end}},
        {spirv::kReturn, {}},
        {spirv::kFunctionEnd, {}}};
    module.code.insert(module.code.end(), code.begin(), code.end());
    for (SpirvInstruction& one : module.declarations) {
        if (one.operation == spirv::kEntryPoint) {
            one.operands[1] = outer;
        } else if (one.operation == spirv::kExecutionMode || one.operation == kExecutionModeId) {
            one.operands[0] = outer;
        }
    }
}

} // namespace weft::device::vulkan
