// SPDX-License-Identifier: Apache-2.0
// Other ways to look at the elements of a tensor. Every result shares the buffer; only reshape copies,
// where no strides can express the new shape. A view of a tensor with gradients has the same view of them,
// a copy has none.
#pragma once

#include "core/api.hpp"
#include "tensor/tensor.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weft::tensor {

/// One entry between the brackets of tensor[...].
struct IndexItem {
    enum class Kind : std::uint8_t { integer, slice, ellipsis, new_axis };

    Kind kind = Kind::slice;
    std::int64_t integer = 0;               ///< negative counts from the end
    std::optional<std::int64_t> start = {}; ///< slice bounds as in Python: clipped to the axis
    std::optional<std::int64_t> stop = {};
    std::int64_t step = 1; ///< 1 or greater
};

/// tensor[items...]; axes without an item are kept.
/// @throws ArgumentError{index} for an integer outside its axis and more items than axes, ArgumentError
///         for two ellipses and a step < 1.
[[nodiscard]] WEFT_API TensorRef index(const TensorRef& tensor, std::span<const IndexItem> items);

/// The view of another shape; null if no strides can express it.
/// @param shape one entry may be -1: the extent that keeps the element count.
/// @throws ArgumentError if the element counts differ.
[[nodiscard]] WEFT_API TensorRef try_reshape(const TensorRef& tensor,
                                             std::vector<std::int64_t> shape);

/// The same, of a copy through the host where the tensor itself will not do.
[[nodiscard]] WEFT_API TensorRef reshape(const TensorRef& tensor, std::vector<std::int64_t> shape,
                                         const device::InterruptPoll& poll = {});

/// Axis i of the result is axis axes[i]; negative axes count from the end.
/// @throws ArgumentError unless `axes` is a permutation of all axes.
[[nodiscard]] WEFT_API TensorRef permute(const TensorRef& tensor,
                                         std::span<const std::int64_t> axes,
                                         const char* function = "permute");

/// Repeats elements by stride 0: axes are matched from the last, extents must be equal or 1.
[[nodiscard]] WEFT_API TensorRef broadcast_to(const TensorRef& tensor,
                                              std::vector<std::int64_t> shape);

/// Drops axes of extent 1: the given one, or all.
[[nodiscard]] WEFT_API TensorRef squeeze(const TensorRef& tensor, std::optional<std::int64_t> axis);

/// Inserts an axis of extent 1 in front of `axis`; -1 appends.
[[nodiscard]] WEFT_API TensorRef unsqueeze(const TensorRef& tensor, std::int64_t axis);

/// The scalars of the elements as an axis of their own (vectors, and structures of scalars of one kind),
/// or as their own axes (matrices and arrays): float3[N] -> float[N, 3], float2x3[N] -> float[N, 2, 3].
/// Gradients stay behind if a structure has fields without derivatives.
/// @throws ArgumentError for structures that mix scalar kinds or have gaps.
[[nodiscard]] WEFT_API TensorRef flatten_dtype(const TensorRef& tensor);

/// Shape, strides and offset in elements from element 0 of `tensor`.
/// @param strides empty: row-major. @throws ArgumentError if the view reaches outside the buffer, or if a
///        gradient has other strides than the tensor.
[[nodiscard]] WEFT_API TensorRef view(const TensorRef& tensor, std::vector<std::int64_t> shape,
                                      std::vector<std::int64_t> strides, std::int64_t offset);

} // namespace weft::tensor
