// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/spirv_module.hpp"

#include <algorithm>

namespace weft::device::vulkan {
namespace {

constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::uint32_t kLengthShift = 16;
constexpr std::uint32_t kFirstType = 19; // OpTypeVoid
constexpr std::uint32_t kLastType = 52;  // OpSpecConstantOp

void append(std::vector<std::uint32_t>& words, const SpirvInstruction& instruction) {
    const auto length = static_cast<std::uint32_t>(instruction.operands.size() + 1);
    words.push_back(length << kLengthShift | instruction.operation);
    words.insert(words.end(), instruction.operands.begin(), instruction.operands.end());
}

/// Whether the operands after the first `skipped` are `wanted`.
bool matches(const SpirvInstruction& instruction, std::uint32_t operation, std::size_t skipped,
             std::span<const std::uint32_t> wanted) {
    return instruction.operation == operation &&
           instruction.operands.size() == skipped + wanted.size() &&
           std::equal(wanted.begin(), wanted.end(),
                      instruction.operands.begin() + static_cast<std::ptrdiff_t>(skipped));
}

bool has_ids(std::uint32_t operation) noexcept {
    return operation != spirv::kTypeVoid && operation != spirv::kTypeBool &&
           operation != spirv::kTypeInt;
}

} // namespace

std::optional<SpirvModule> SpirvModule::read(std::span<const std::uint32_t> words) {
    if (words.size() <= kHeaderWords || words[0] != kMagic) {
        return std::nullopt;
    }
    SpirvModule module;
    module.m_header.assign(words.begin(), words.begin() + kHeaderWords);
    bool is_code = false;
    for (std::size_t at = kHeaderWords; at < words.size();) {
        const std::size_t length = words[at] >> kLengthShift;
        if (length == 0 || length > words.size() - at) {
            return std::nullopt;
        }
        SpirvInstruction instruction;
        instruction.operation = words[at] & 0xFFFF;
        const auto operands = words.subspan(at + 1, length - 1);
        instruction.operands.assign(operands.begin(), operands.end());
        is_code = is_code || instruction.operation == spirv::kFunction;
        (is_code ? module.code : module.declarations).push_back(std::move(instruction));
        at += length;
    }
    return module;
}

std::vector<std::uint32_t> SpirvModule::write() const {
    std::vector<std::uint32_t> words = m_header;
    for (const SpirvInstruction& instruction : declarations) {
        append(words, instruction);
    }
    for (const SpirvInstruction& instruction : code) {
        append(words, instruction);
    }
    return words;
}

std::size_t SpirvModule::first_type() const noexcept {
    const auto found = std::find_if(
        declarations.begin(), declarations.end(), [](const SpirvInstruction& instruction) {
            return (instruction.operation >= kFirstType && instruction.operation <= kLastType) ||
                   instruction.operation == spirv::kVariable;
        });
    return static_cast<std::size_t>(found - declarations.begin());
}

std::uint32_t SpirvModule::type(std::uint32_t operation,
                                std::initializer_list<std::uint32_t> operands) {
    const std::span<const std::uint32_t> wanted(operands.begin(), operands.size());
    const auto found = std::find_if(declarations.begin(), declarations.end(),
                                    [&](const SpirvInstruction& instruction) {
                                        return matches(instruction, operation, 1, wanted);
                                    });
    SpirvInstruction declaration{operation, {found == declarations.end() ? new_id() : 0}};
    if (found != declarations.end()) {
        if (has_ids(operation)) {
            return found->operands.front();
        }
        declaration = *found;
        declarations.erase(found);
    } else {
        declaration.operands.insert(declaration.operands.end(), wanted.begin(), wanted.end());
    }
    const std::uint32_t id = declaration.operands.front();
    if (has_ids(operation)) {
        declare(std::move(declaration));
    } else {
        declarations.insert(declarations.begin() + static_cast<std::ptrdiff_t>(first_type()),
                            std::move(declaration));
    }
    return id;
}

std::uint32_t SpirvModule::constant(std::uint32_t type, std::uint64_t value, bool is_wide) {
    std::vector<std::uint32_t> wanted{static_cast<std::uint32_t>(value)};
    if (is_wide) {
        wanted.push_back(static_cast<std::uint32_t>(value >> 32));
    }
    for (const SpirvInstruction& declared : declarations) {
        if (matches(declared, spirv::kConstant, 2, wanted) && declared.operands[0] == type) {
            return declared.operands[1];
        }
    }
    const std::uint32_t id = new_id();
    wanted.insert(wanted.begin(), {type, id});
    declare({spirv::kConstant, std::move(wanted)});
    return id;
}

void SpirvModule::declare(SpirvInstruction instruction) {
    declarations.push_back(std::move(instruction));
}

void SpirvModule::annotate(std::uint32_t operation, std::initializer_list<std::uint32_t> operands) {
    declarations.insert(declarations.begin() + static_cast<std::ptrdiff_t>(first_type()),
                        {operation, operands});
}

void SpirvModule::require_capability(std::uint32_t capability) {
    const bool is_declared =
        std::any_of(declarations.begin(), declarations.end(), [&](const SpirvInstruction& one) {
            return one.operation == spirv::kCapability && one.operands[0] == capability;
        });
    if (!is_declared) {
        declarations.insert(declarations.begin(), {spirv::kCapability, {capability}});
    }
}

} // namespace weft::device::vulkan
