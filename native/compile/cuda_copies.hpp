// SPDX-License-Identifier: Apache-2.0
// Keeps NVRTC's optimizer from overlapping copies in derivatives; docs/slang_reverse_mode.md has the fault.
#pragma once

#include <string>
#include <string_view>

namespace weft::compile {

/// CUDA source as Slang writes it, in which each copy of what reverse mode keeps of a loop's rounds, and of the array that an
/// indexed read takes, is followed by a use of what was copied. NVVM (NVRTC 12.1 to 13.5) may otherwise give both ends of the
/// first one place in local memory, some bytes apart, and copy upwards what overlaps, and give wrong values of the second.
[[nodiscard]] std::string keep_copies_apart(std::string_view source);

} // namespace weft::compile
