// SPDX-License-Identifier: Apache-2.0
// Paths sorted by what they hit, so that a launch serves one kind of surface.
#pragma once

#include "tensor/tensor.hpp"

#include <cstdint>
#include <vector>

namespace weft::render {

/// Writes the numbers 0 ... count - 1 to `queue` in the order of their keys, equal keys in the order of the numbers.
///
/// @param keys  uint32, contiguous, at least `count` elements, each below `key_count`.
/// @param queue uint32, contiguous, at least `count` elements; the rest is left alone.
/// @param key_count at least 1, at most 65536.
/// @return key_count + 1 offsets: the numbers with key k are queue[offset[k]] ... queue[offset[k + 1] - 1].
/// Waits for the work that writes the keys; ordered with later work.
/// @throws ArgumentError for tensors of another form, or a key that is too large.
[[nodiscard]] std::vector<std::int64_t> sort_by_key(const tensor::Tensor& keys,
                                                    tensor::Tensor& queue, std::uint32_t count,
                                                    std::uint32_t key_count);

} // namespace weft::render
