// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::device::vulkan {

/// A kernel as the driver wants it.
struct SpirvCode {
    std::vector<std::uint32_t> words;
    std::string
        entry_point; ///< Slang calls entry points "main" in SPIR-V, whatever the source says
};

/// Reads SPIR-V that need not be aligned. nullopt unless it is SPIR-V of this byte order with an
/// entry point.
[[nodiscard]] std::optional<SpirvCode> read_spirv(std::span<const std::byte> code);

/// The literal string in `words`: UTF-8, padded with zeros.
[[nodiscard]] std::string read_literal(std::span<const std::uint32_t> words);

} // namespace weft::device::vulkan
