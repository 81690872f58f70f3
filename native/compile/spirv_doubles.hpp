// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace weft::compile {

/// Slang's name of a function that SPIR-V code takes of doubles and that Vulkan has for narrower numbers only, such as
/// "sin": the first in the code. Drivers do not report it and compute anything. "" if there is none, or for anything else
/// than SPIR-V.
[[nodiscard]] std::string_view find_double_function(std::span<const std::byte> code);

} // namespace weft::compile
