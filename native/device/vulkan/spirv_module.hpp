// SPDX-License-Identifier: Apache-2.0
// SPIR-V as instructions that can be changed, for what drivers need done to it (spirv_addresses.hpp,
// spirv_loops.hpp) and to find what they get wrong (spirv_uniforms.hpp). Numbers are
// those of the SPIR-V specification, version 1.6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace weft::device::vulkan {

/// Operations that Weft looks for or writes.
namespace spirv {
inline constexpr std::uint32_t kMemberName = 6, kEntryPoint = 15, kExecutionMode = 16,
                               kCapability = 17, kMemoryModel = 14, kTypeVoid = 19, kTypeBool = 20,
                               kTypeInt = 21, kTypeFloat = 22, kTypeVector = 23, kTypeMatrix = 24,
                               kTypeArray = 28, kTypeRuntimeArray = 29, kTypeStruct = 30,
                               kTypePointer = 32, kTypeFunction = 33, kConstant = 43,
                               kConstantComposite = 44, kConstantNull = 46, kFunction = 54,
                               kFunctionParameter = 55, kFunctionEnd = 56, kFunctionCall = 57,
                               kVariable = 59, kLoad = 61, kStore = 62, kCopyMemory = 63,
                               kAccessChain = 65, kInBoundsAccessChain = 66, kPtrAccessChain = 67,
                               kInBoundsPtrAccessChain = 70, kDecorate = 71, kMemberDecorate = 72,
                               kVectorExtractDynamic = 77, kCompositeExtract = 81, kUConvert = 113,
                               kSConvert = 114, kConvertPtrToU = 117, kConvertUToPtr = 120,
                               kBitcast = 124, kIAdd = 128, kIMul = 132, kLogicalOr = 166,
                               kSelect = 169, kIEqual = 170, kINotEqual = 171, kPhi = 245,
                               kLoopMerge = 246, kSelectionMerge = 247, kLabel = 248, kBranch = 249,
                               kBranchConditional = 250, kSwitch = 251, kReturn = 253, kUndef = 1;
} // namespace spirv

/// One instruction. words[0] is left to the module: operation() and the length make it.
struct SpirvInstruction {
    std::uint32_t operation = 0;
    std::vector<std::uint32_t> operands; ///< result type and result first, where there are such
};

class SpirvModule {
public:
    /// nullopt if the words are no SPIR-V of this byte order.
    [[nodiscard]] static std::optional<SpirvModule> read(std::span<const std::uint32_t> words);
    [[nodiscard]] std::vector<std::uint32_t> write() const;

    std::uint32_t new_id() noexcept { return m_header[kBound]++; }
    /// The type with these operands, declared if it is not. Types without ids in them come before all others.
    std::uint32_t type(std::uint32_t operation, std::initializer_list<std::uint32_t> operands);
    /// A constant of a 32- or 64-bit integer type.
    std::uint32_t constant(std::uint32_t type, std::uint64_t value, bool is_wide = false);
    /// Appends a declaration (type, constant, variable) before the first function.
    void declare(SpirvInstruction instruction);
    /// Adds a decoration: OpDecorate or OpMemberDecorate with these operands.
    void annotate(std::uint32_t operation, std::initializer_list<std::uint32_t> operands);
    void require_capability(std::uint32_t capability);

    std::vector<SpirvInstruction> declarations; ///< all before the first function
    std::vector<SpirvInstruction> code;         ///< all functions

private:
    static constexpr std::size_t kHeaderWords = 5;
    static constexpr std::size_t kBound = 3;
    std::size_t first_type() const noexcept;

    std::vector<std::uint32_t> m_header;
};

} // namespace weft::device::vulkan
