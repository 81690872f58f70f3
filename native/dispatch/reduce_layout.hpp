// SPDX-License-Identifier: Apache-2.0
// A reduction's axes as the kernels of shaders/weft/reduce.slang see them.
#pragma once

#include "dispatch/reduce.hpp"

#include <array>

namespace weft::dispatch {

/// The argument block of those kernels, byte for byte (ReduceArguments<R>).
struct ReduceArguments {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::uint64_t result = 0;
    std::uint64_t rows = 1;
    std::uint64_t count = 1;
    std::array<std::int64_t, 4> row_strides_x{};
    std::array<std::int64_t, 4> row_strides_y{};
    std::array<std::int64_t, 4> strides_x{};
    std::array<std::int64_t, 4> strides_y{};
    std::array<std::uint64_t, 4> row_shape{1, 1, 1, 1};
    std::array<std::uint64_t, 4> shape{1, 1, 1, 1};
    std::uint32_t segments = 1;
    std::uint32_t group_columns = 1;
    float relative_tolerance = 0.0F;
    float absolute_tolerance = 0.0F;
};
static_assert(sizeof(ReduceArguments) == 248);

struct ReduceLayout {
    ReduceArguments arguments; ///< shapes and strides filled in
    std::vector<std::int64_t> result_shape;
    bool fits = true; ///< false: more than four dimensions are left after merging
};

/// @param x, y tensors of scalars of equal shape; y may be null.
/// @throws ArgumentError for a bad axis.
[[nodiscard]] ReduceLayout reduce_layout(const ReduceRequest& request, const tensor::Tensor& x,
                                         const tensor::Tensor* y);

} // namespace weft::dispatch
