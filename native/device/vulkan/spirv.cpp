// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/spirv.hpp"

#include <algorithm>
#include <cstring>

namespace weft::device::vulkan {
namespace {

constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::size_t kHeaderWords = 5;
constexpr std::uint32_t kOpSource = 3;
constexpr std::uint32_t kOpEntryPoint = 15;
constexpr std::size_t kEntryPointName = 3; // word of the instruction
constexpr std::uint32_t kUnknownLanguage = 0;

void take_instruction(std::span<std::uint32_t> instruction, std::string& entry_point) {
    const std::uint32_t operation = instruction[0] & 0xFFFF;
    const std::size_t length = instruction.size();
    if (operation == kOpEntryPoint && length > kEntryPointName && entry_point.empty()) {
        entry_point = read_literal(instruction.subspan(kEntryPointName));
    } else if (operation == kOpSource && length > 1) {
        // Validation layers older than Slang's number in the SPIR-V registry reject it.
        instruction[1] = kUnknownLanguage;
    }
}

} // namespace

std::optional<SpirvCode> read_spirv(std::span<const std::byte> code) {
    const std::size_t count = code.size() / sizeof(std::uint32_t);
    if (code.size() % sizeof(std::uint32_t) != 0 || count <= kHeaderWords) {
        return std::nullopt;
    }
    SpirvCode result;
    result.words.resize(count);
    std::memcpy(result.words.data(), code.data(), code.size());
    const std::span<std::uint32_t> words(result.words);
    if (words[0] != kMagic) {
        return std::nullopt;
    }
    for (std::size_t at = kHeaderWords; at < words.size();) {
        const std::size_t length = words[at] >> 16;
        if (length == 0 || length > words.size() - at) {
            return std::nullopt;
        }
        take_instruction(words.subspan(at, length), result.entry_point);
        at += length;
    }
    return result.entry_point.empty() ? std::nullopt : std::optional(std::move(result));
}

std::string read_literal(std::span<const std::uint32_t> words) {
    std::string text(words.size_bytes(), '\0');
    std::memcpy(text.data(), words.data(), words.size_bytes());
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
}

} // namespace weft::device::vulkan
