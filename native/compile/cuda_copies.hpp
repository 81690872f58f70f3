// SPDX-License-Identifier: Apache-2.0
// Keeps NVRTC's optimizer from overlapping copies in derivatives; docs/slang_reverse_mode.md has the fault.
#pragma once

#include <string>
#include <string_view>

namespace weft::compile {

/// CUDA source as Slang writes it, in which each copy of what reverse mode keeps of a loop's rounds is followed by a use of
/// what was copied. NVVM (NVRTC 12.1 to 13.5) may otherwise give both ends of such a copy one place in local memory, some bytes
/// apart, and copies upwards what overlaps.
[[nodiscard]] std::string keep_copies_apart(std::string_view source);

} // namespace weft::compile
