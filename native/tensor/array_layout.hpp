// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/api.hpp"
#include "reflect/type.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft::tensor {

/// At most this many dimensions, element dimensions not counted.
inline constexpr std::size_t kMaxRank = 16;

/// What a tensor is, apart from where it lies. Immutable and shared by all tensors made alike.
struct ArrayLayout {
    reflect::TypeRef dtype;
    std::vector<std::int64_t> shape;   ///< elements a dimension
    std::vector<std::int64_t> strides; ///< elements; 0 repeats, never negative
    std::int64_t element_count = 1;    ///< product of the shape
    std::int64_t extent_elements = 1;  ///< elements from the first to one past the last; 0 if empty
    bool is_contiguous = true;         ///< row-major without gaps
    std::uint64_t hash = 0; ///< of dtype (its fields and offsets included), shape and strides

    /// Bytes from one element to the next.
    std::uint64_t element_bytes() const noexcept { return dtype->layout.stride; }
};

using ArrayLayoutRef = std::shared_ptr<const ArrayLayout>;

/// @param strides elements; empty: row-major contiguous.
/// @throws ArgumentError for a dtype that cannot lie in memory, a negative extent or stride, more than
///         kMaxRank dimensions, strides of another rank than the shape, or more than 2^63 bytes.
[[nodiscard]] WEFT_API ArrayLayoutRef make_array_layout(reflect::TypeRef dtype,
                                                        std::vector<std::int64_t> shape,
                                                        std::vector<std::int64_t> strides = {});

/// Strides of a row-major array without gaps; extents of 0 count as 1.
[[nodiscard]] WEFT_API std::vector<std::int64_t>
contiguous_strides(std::span<const std::int64_t> shape);

} // namespace weft::tensor
