// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/spirv_addresses.hpp"

#include <algorithm>
#include <unordered_map>

namespace weft::device::vulkan {
namespace {

constexpr std::uint32_t kPhysicalStorageBuffer = 5349;
constexpr std::uint32_t kArrayStride = 6;
constexpr std::uint32_t kInt64Capability = 11;
constexpr std::uint64_t kMaxNarrowBytes = std::uint64_t{1} << 31;

// Operands of OpPtrAccessChain.
constexpr std::size_t kType = 0;
constexpr std::size_t kResult = 1;
constexpr std::size_t kBase = 2;
constexpr std::size_t kElement = 3;
constexpr std::size_t kIndices = 4;

struct Integer {
    std::uint32_t bits = 0;
    bool is_signed = false;
};

class Rewriter {
public:
    explicit Rewriter(SpirvModule& module) : m_module(module) {
        for (const SpirvInstruction& instruction : module.declarations) {
            read_declaration(instruction);
        }
        for (const SpirvInstruction& instruction : module.code) {
            note_type(instruction);
        }
    }

    void run() {
        m_all = std::any_of(m_module.code.begin(), m_module.code.end(),
                            [&](const SpirvInstruction& one) { return is_wide_step(one); });
        if (!m_all) {
            return;
        }
        std::vector<SpirvInstruction> code;
        code.reserve(m_module.code.size());
        for (SpirvInstruction& instruction : m_module.code) {
            if (is_wide_step(instruction)) {
                rewrite(instruction, code);
            } else {
                code.push_back(std::move(instruction));
            }
        }
        m_module.code = std::move(code);
    }

    static bool declares_type(const SpirvInstruction& instruction) {
        return instruction.operation >= spirv::kTypeVoid && instruction.operation < 41;
    }

private:
    void read_declaration(const SpirvInstruction& instruction) {
        const auto& operands = instruction.operands;
        if (instruction.operation == spirv::kTypeInt) {
            m_integers[operands[0]] = {operands[1], operands[2] != 0};
        } else if (instruction.operation == spirv::kTypePointer) {
            m_is_address[operands[0]] = operands[1] == kPhysicalStorageBuffer;
        } else if (instruction.operation == spirv::kDecorate && operands.size() > 2 &&
                   operands[1] == kArrayStride) {
            m_strides[operands[0]] = operands[2];
        } else if (instruction.operation == spirv::kConstant) {
            // Larger constants are as good as unknown.
            const bool is_small = operands.size() == 3 || operands[3] == 0;
            m_constants[operands[1]] = is_small ? operands[2] : kMaxNarrowBytes;
        }
        if (!declares_type(instruction)) { // a type's numbers are no ids
            note_type(instruction);
        }
    }

    /// The type of each address and each integer.
    void note_type(const SpirvInstruction& instruction) {
        const auto& operands = instruction.operands;
        if (operands.size() > 1 &&
            (m_integers.contains(operands[0]) || m_is_address.contains(operands[0]))) {
            m_types.emplace(operands[1], operands[0]);
        }
    }

    /// True for a constant number of elements that narrow integers reach.
    bool is_near(std::uint32_t element, std::uint64_t stride) const {
        const auto constant = m_constants.find(element);
        return constant != m_constants.end() && constant->second * stride < kMaxNarrowBytes;
    }

    bool is_wide_step(const SpirvInstruction& instruction) const {
        if (instruction.operation != spirv::kPtrAccessChain &&
            instruction.operation != spirv::kInBoundsPtrAccessChain) {
            return false;
        }
        const auto base = m_types.find(instruction.operands[kBase]);
        const auto element = m_types.find(instruction.operands[kElement]);
        if (base == m_types.end() || element == m_types.end() || !m_is_address.at(base->second) ||
            !m_integers.contains(element->second)) {
            return false;
        }
        const auto stride = m_strides.find(base->second);
        return stride != m_strides.end() &&
               !is_near(instruction.operands[kElement], stride->second) &&
               (m_all || m_integers.at(element->second).bits == 64);
    }

    void rewrite(const SpirvInstruction& step, std::vector<SpirvInstruction>& code) {
        m_module.require_capability(kInt64Capability);
        const std::uint32_t wide = m_module.type(spirv::kTypeInt, {64, 0});
        const std::uint32_t pointer = m_types.at(step.operands[kBase]);
        const std::uint32_t stride = m_module.constant(wide, m_strides.at(pointer), true);
        const Integer integer = m_integers.at(m_types.at(step.operands[kElement]));
        const auto emit = [&](std::uint32_t operation, std::uint32_t type,
                              std::initializer_list<std::uint32_t> operands) {
            SpirvInstruction made{operation, {type, m_module.new_id()}};
            made.operands.insert(made.operands.end(), operands.begin(), operands.end());
            code.push_back(std::move(made));
            return code.back().operands[kResult];
        };
        std::uint32_t element = step.operands[kElement];
        if (integer.bits != 64) {
            element =
                emit(integer.is_signed ? spirv::kSConvert : spirv::kUConvert, wide, {element});
        }
        const std::uint32_t offset = emit(spirv::kIMul, wide, {element, stride});
        const std::uint32_t base = emit(spirv::kConvertPtrToU, wide, {step.operands[kBase]});
        const std::uint32_t sum = emit(spirv::kIAdd, wide, {base, offset});
        const bool is_last = step.operands.size() == kIndices;
        const std::uint32_t address = emit(spirv::kConvertUToPtr, pointer, {sum});
        if (is_last) {
            code.back().operands[kResult] = step.operands[kResult];
            return;
        }
        SpirvInstruction member{spirv::kAccessChain,
                                {step.operands[kType], step.operands[kResult], address}};
        member.operands.insert(member.operands.end(), step.operands.begin() + kIndices,
                               step.operands.end());
        code.push_back(std::move(member));
    }

    SpirvModule& m_module;
    bool m_all = false;                                    ///< steps by 32-bit numbers count, too
    std::unordered_map<std::uint32_t, Integer> m_integers; ///< by type
    std::unordered_map<std::uint32_t, bool> m_is_address;  ///< by pointer type
    std::unordered_map<std::uint32_t, std::uint32_t> m_strides; ///< by pointer type: bytes
    std::unordered_map<std::uint32_t, std::uint64_t> m_constants;
    std::unordered_map<std::uint32_t, std::uint32_t> m_types; ///< of addresses and integers
};

} // namespace

void widen_addresses(SpirvModule& module) {
    Rewriter(module).run();
}

} // namespace weft::device::vulkan
