// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/spirv_addresses.hpp"
#include "device/vulkan/spirv_loops.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <vector>

using namespace weft::device::vulkan;

namespace {

constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::uint32_t kAddress = 5349; // the storage class
constexpr std::uint32_t kStride = 6;     // the decoration

void add(std::vector<std::uint32_t>& words, std::uint32_t operation,
         std::initializer_list<std::uint32_t> operands) {
    words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | operation);
    words.insert(words.end(), operands);
}

/// A function with one step from an address %10 by element %11, whose type has so many bits.
std::vector<std::uint32_t> step_code(std::uint32_t bits) {
    std::vector<std::uint32_t> words{kMagic, 0x00010500, 0, 30, 0};
    add(words, spirv::kMemoryModel, {5348, 1});
    add(words, spirv::kEntryPoint, {5, 1, 'm', 0});
    add(words, spirv::kDecorate, {5, kStride, 12});
    add(words, spirv::kTypeVoid, {2});
    add(words, spirv::kTypeInt, {3, bits, 1});
    add(words, 22, {4, 32}); // OpTypeFloat
    add(words, spirv::kTypePointer, {5, kAddress, 4});
    add(words, spirv::kTypeFunction, {6, 2, 5, 3});
    add(words, spirv::kFunction, {2, 1, 0, 6});
    add(words, spirv::kFunctionParameter, {5, 10});
    add(words, spirv::kFunctionParameter, {3, 11});
    add(words, spirv::kLabel, {12});
    add(words, spirv::kPtrAccessChain, {5, 13, 10, 11});
    add(words, spirv::kLoad, {4, 14, 13, 2, 4});
    add(words, spirv::kReturn, {});
    add(words, spirv::kFunctionEnd, {});
    return words;
}

/// An entry point with a loop that is left at its start if %9 holds.
std::vector<std::uint32_t> loop_code() {
    std::vector<std::uint32_t> words{kMagic, 0x00010500, 0, 40, 0};
    add(words, spirv::kCapability, {1});
    add(words, spirv::kMemoryModel, {0, 1});
    add(words, spirv::kEntryPoint, {5, 1, 'm', 8});
    add(words, spirv::kExecutionMode, {1, 17, 64, 1, 1});
    add(words, spirv::kTypeVoid, {2});
    add(words, spirv::kTypeFunction, {3, 2});
    add(words, spirv::kTypeBool, {4});
    add(words, spirv::kTypePointer, {7, 6, 4});
    add(words, spirv::kVariable, {7, 8, 6});
    add(words, spirv::kFunction, {2, 1, 0, 3});
    add(words, spirv::kLabel, {20});
    add(words, spirv::kBranch, {21});
    add(words, spirv::kLabel, {21});
    add(words, spirv::kLoopMerge, {24, 23, 0});
    add(words, spirv::kBranch, {22});
    add(words, spirv::kLabel, {22});
    add(words, spirv::kLoad, {4, 9, 8});
    add(words, spirv::kBranchConditional, {9, 24, 23});
    add(words, spirv::kLabel, {23});
    add(words, spirv::kBranch, {21});
    add(words, spirv::kLabel, {24});
    add(words, spirv::kReturn, {});
    add(words, spirv::kFunctionEnd, {});
    return words;
}

std::size_t count(const SpirvModule& module, std::uint32_t operation) {
    return static_cast<std::size_t>(
        std::count_if(module.code.begin(), module.code.end(),
                      [&](const SpirvInstruction& one) { return one.operation == operation; }));
}

const SpirvInstruction* find(const std::vector<SpirvInstruction>& all, std::uint32_t operation) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const SpirvInstruction& one) {
        return one.operation == operation;
    });
    return found == all.end() ? nullptr : &*found;
}

} // namespace

TEST_CASE("a module is written as it was read") {
    const std::vector<std::uint32_t> words = loop_code();

    CHECK(SpirvModule::read(words)->write() == words);
}

TEST_CASE("a step by a 64-bit number becomes integer arithmetic with the stride of the type") {
    auto module = SpirvModule::read(step_code(64));

    widen_addresses(*module);

    CHECK(count(*module, spirv::kPtrAccessChain) == 0);
    CHECK(count(*module, spirv::kIMul) == 1);
    CHECK(count(*module, spirv::kIAdd) == 1);
    const SpirvInstruction* pointer = find(module->code, spirv::kConvertUToPtr);
    REQUIRE(pointer != nullptr);
    CHECK(pointer->operands[0] == 5);
    CHECK(pointer->operands[1] == 13); // what used the step uses this
    const SpirvInstruction* stride = find(module->declarations, spirv::kConstant);
    REQUIRE(stride != nullptr);
    CHECK(std::vector(stride->operands.begin() + 2, stride->operands.end()) ==
          std::vector<std::uint32_t>{12, 0});
}

TEST_CASE("code whose steps are all by 32-bit numbers stays as it is") {
    auto module = SpirvModule::read(step_code(32));

    widen_addresses(*module);

    CHECK(module->write() == step_code(32));
}

TEST_CASE("a loop gets an edge that is never taken, and an entry point that reports") {
    auto module = SpirvModule::read(loop_code());

    REQUIRE(guard_loops(*module, {.argument_offset = 8, .mark = 5}));

    CHECK(count(*module, spirv::kFunctionEnd) == 2);
    CHECK(count(*module, spirv::kFunctionCall) == 1);
    CHECK(count(*module, spirv::kPhi) == 1);
    CHECK(find(module->declarations, spirv::kEntryPoint)->operands[1] != 1);
    CHECK(find(module->declarations, spirv::kMemoryModel)->operands[0] == 5348);
    CHECK(SpirvModule::read(module->write()).has_value());
}

TEST_CASE("code without a loop stays as it is") {
    auto module = SpirvModule::read(step_code(64));

    CHECK_FALSE(guard_loops(*module, {}));
    CHECK(module->write() == step_code(64));
}
