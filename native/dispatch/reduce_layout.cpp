// SPDX-License-Identifier: Apache-2.0
#include "dispatch/reduce_layout.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace weft::dispatch {

using core::text;

namespace {

struct Axis {
    std::int64_t extent = 1;
    std::int64_t stride_x = 0;
    std::int64_t stride_y = 0;
};

std::vector<bool> reduced_axes(const ReduceRequest& request, std::size_t rank) {
    std::vector<bool> reduced(rank, request.all_axes);
    if (request.all_axes) {
        return reduced;
    }
    const auto limit = static_cast<std::int64_t>(rank);
    for (const std::int64_t axis : request.axes) {
        const std::int64_t at = axis < 0 ? axis + limit : axis;
        if (at < 0 || at >= limit) {
            throw core::ArgumentError(text(to_string(request.operation), ": axis ", axis,
                                           " is out of range for a tensor of ", rank,
                                           " dimensions; use ", -limit, " to ", limit - 1));
        }
        if (reduced[static_cast<std::size_t>(at)]) {
            throw core::ArgumentError(text(to_string(request.operation), ": axis ", axis,
                                           " is given twice; name each axis once"));
        }
        reduced[static_cast<std::size_t>(at)] = true;
    }
    return reduced;
}

/// Drops extents of 1 and merges neighbours that are contiguous in both tensors.
std::vector<Axis> merge(const std::vector<Axis>& axes) {
    std::vector<Axis> out;
    for (const Axis& axis : axes) {
        if (axis.extent == 1) {
            continue;
        }
        const bool joins = !out.empty() && out.back().stride_x == axis.stride_x * axis.extent &&
                           out.back().stride_y == axis.stride_y * axis.extent;
        if (joins) {
            out.back() = {out.back().extent * axis.extent, axis.stride_x, axis.stride_y};
        } else {
            out.push_back(axis);
        }
    }
    return out;
}

struct Target {
    std::array<std::uint64_t, 4>& shape;
    std::array<std::int64_t, 4>& strides_x;
    std::array<std::int64_t, 4>& strides_y;
    std::uint64_t& count;
};

bool store(const std::vector<Axis>& axes, const Target& target) {
    const std::vector<Axis> merged = merge(axes);
    if (merged.size() > target.shape.size()) {
        return false;
    }
    const std::size_t first = target.shape.size() - merged.size();
    target.count = 1;
    for (std::size_t i = 0; i < merged.size(); ++i) {
        target.shape[first + i] = static_cast<std::uint64_t>(merged[i].extent);
        target.strides_x[first + i] = merged[i].stride_x;
        target.strides_y[first + i] = merged[i].stride_y;
        target.count *= target.shape[first + i];
    }
    return true;
}

} // namespace

ReduceLayout reduce_layout(const ReduceRequest& request, const tensor::Tensor& x,
                           const tensor::Tensor* y) {
    ReduceLayout layout;
    const std::vector<bool> reduced = reduced_axes(request, x.rank());
    std::vector<Axis> rows;
    std::vector<Axis> elements;
    for (std::size_t i = 0; i < x.rank(); ++i) {
        const Axis axis{x.shape()[i], x.strides()[i], y == nullptr ? 0 : y->strides()[i]};
        (reduced[i] ? elements : rows).push_back(axis);
        if (!reduced[i]) {
            layout.result_shape.push_back(axis.extent);
        } else if (request.keep_dimensions) {
            layout.result_shape.push_back(1);
        }
    }
    ReduceArguments& arguments = layout.arguments;
    layout.fits = store(rows, {arguments.row_shape, arguments.row_strides_x,
                               arguments.row_strides_y, arguments.rows}) &&
                  store(elements, {arguments.shape, arguments.strides_x, arguments.strides_y,
                                   arguments.count});
    return layout;
}

} // namespace weft::dispatch
