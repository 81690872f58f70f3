// SPDX-License-Identifier: Apache-2.0
#include "codegen/kernel.hpp"

namespace weft::codegen {

bool uses_thread_index(const Kernel& kernel) {
    bool uses = false;
    for_each_operand(kernel, [&](const Operand& operand) {
        uses = uses || operand.kind == OperandKind::thread_id;
    });
    return uses;
}

std::int64_t call_count(const Kernel& kernel) {
    std::int64_t count = 1;
    for (const std::int64_t extent : kernel.shape) {
        count *= extent;
    }
    return count;
}

} // namespace weft::codegen
