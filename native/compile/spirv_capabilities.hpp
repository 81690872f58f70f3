// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::compile {

/// What SPIR-V code declares to need of a device: the operands of its OpCapability instructions, numbered
/// as in the specification. Empty for anything else than SPIR-V.
[[nodiscard]] std::vector<std::uint32_t> read_spirv_capabilities(std::span<const std::byte> code);

} // namespace weft::compile
