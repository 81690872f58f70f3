// SPDX-License-Identifier: Apache-2.0
// Work on parts of a range, on several threads: results do not depend on how many. For the sources of this layer.
#pragma once

#include "core/thread_pool.hpp"

#include <algorithm>
#include <cstddef>

namespace weft::fit {

/// Calls job(number, first, last) for `parts` parts of [0, count): on the threads of `pool`, or on this one without a pool.
template <typename Job>
void run_parts(core::ThreadPool* pool, std::size_t count, std::size_t parts, const Job& job) {
    const auto part = [&](std::size_t number) {
        job(number, count * number / parts, count * (number + 1) / parts);
    };
    if (pool != nullptr && parts > 1) {
        pool->run(parts, part);
        return;
    }
    for (std::size_t number = 0; number < parts; ++number) {
        part(number);
    }
}

/// How many parts of texels are worth a thread's turn each.
inline std::size_t texel_parts(std::size_t texels) {
    constexpr std::size_t kTexels = 2048;
    constexpr std::size_t kMost = 64;
    return std::clamp<std::size_t>(texels / kTexels, 1, kMost);
}

} // namespace weft::fit
