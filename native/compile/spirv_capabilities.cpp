// SPDX-License-Identifier: Apache-2.0
#include "compile/spirv_capabilities.hpp"

#include <cstring>

namespace weft::compile {

namespace {

// Numbers of the SPIR-V specification, version 1.5.
constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::uint32_t kCapability = 17;
constexpr std::size_t kHeaderWords = 5;
constexpr std::size_t kCapabilityWords = 2;

std::uint32_t word_at(std::span<const std::byte> code, std::size_t index) {
    std::uint32_t word = 0;
    std::memcpy(&word, code.data() + index * sizeof(word), sizeof(word));
    return word;
}

} // namespace

std::vector<std::uint32_t> read_spirv_capabilities(std::span<const std::byte> code) {
    std::vector<std::uint32_t> capabilities;
    const std::size_t count = code.size() / sizeof(std::uint32_t);
    if (count < kHeaderWords || word_at(code, 0) != kMagic) {
        return capabilities;
    }
    // The specification puts them before every other instruction.
    constexpr std::uint32_t kInstruction = kCapabilityWords << 16 | kCapability;
    for (std::size_t at = kHeaderWords;
         at + kCapabilityWords <= count && word_at(code, at) == kInstruction;
         at += kCapabilityWords) {
        capabilities.push_back(word_at(code, at + 1));
    }
    return capabilities;
}

} // namespace weft::compile
