// SPDX-License-Identifier: Apache-2.0
#include "codegen/passes/index_width.hpp"

#include "core/process.hpp"

#include <limits>

namespace weft::codegen {

void choose_index_width(Kernel& kernel) {
    // The last thread of a group can lie past the count; leave room for one group of 16 x 256.
    constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max() - 8192;
    constexpr std::uint64_t kMaxNarrowBytes = std::uint64_t{1} << 32;
    // Lets tests run on small tensors what is made for large ones.
    kernel.is_index64 =
        core::environment_variable("WEFT_KERNELS_FOR") == "large" || call_count(kernel) > kLimit;
    for_each_memory_operand(kernel, [&](Operand& operand) {
        // Word offsets are the largest numbers that a kernel computes: bytes / 4, or bytes of int8.
        const Memory& memory = operand.memory;
        const std::uint64_t unit = memory.is_words ? 4 : 1;
        kernel.is_index64 = kernel.is_index64 ||
                            memory.extent_bytes / unit > static_cast<std::uint64_t>(kLimit) ||
                            memory.extent_bytes > kMaxNarrowBytes;
    });
}

} // namespace weft::codegen
