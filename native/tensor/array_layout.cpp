// SPDX-License-Identifier: Apache-2.0
#include "tensor/array_layout.hpp"

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>
#include <limits>

namespace weft::tensor {

namespace {

using core::ArgumentError;
using core::shape_text;
using core::text;

constexpr std::int64_t kMaxExtent = std::numeric_limits<std::int64_t>::max();

void check_shape(std::span<const std::int64_t> shape) {
    if (shape.size() > kMaxRank) {
        throw ArgumentError(text("Tensor: shape ", shape_text(shape), " has ", shape.size(),
                                 " dimensions, at most ", kMaxRank,
                                 " are possible; merge some of them"));
    }
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] < 0) {
            throw ArgumentError(text("Tensor: shape ", shape_text(shape), " has ", shape[axis],
                                     " at axis ", axis, "; every extent must be 0 or greater"));
        }
    }
}

void check_strides(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
    if (strides.size() != shape.size()) {
        throw ArgumentError(text("Tensor: strides ", shape_text(strides), " have ", strides.size(),
                                 " entries, shape ", shape_text(shape), " has ", shape.size(),
                                 "; pass one stride for each dimension"));
    }
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
        if (strides[axis] < 0) {
            throw ArgumentError(text("Tensor: strides ", shape_text(strides), " have ",
                                     strides[axis], " at axis ", axis,
                                     "; strides must be 0 or greater: copy the array first"));
        }
    }
}

/// Counts elements and bytes so that no later arithmetic on the layout can overflow.
class Extent {
public:
    explicit Extent(const ArrayLayout& layout) : m_layout(layout) {}

    std::int64_t multiply(std::int64_t a, std::int64_t b) const {
        if (a != 0 && b > kMaxExtent / a) {
            fail();
        }
        return a * b;
    }
    std::int64_t add(std::int64_t a, std::int64_t b) const {
        if (b > kMaxExtent - a) {
            fail();
        }
        return a + b;
    }

private:
    [[noreturn]] void fail() const {
        throw ArgumentError(text("Tensor: shape ", shape_text(m_layout.shape), " of ",
                                 display_name(*m_layout.dtype),
                                 " is larger than any memory; check the order of shape and dtype"));
    }
    const ArrayLayout& m_layout;
};

void count_elements(ArrayLayout& layout) {
    const Extent extent(layout);
    const bool is_empty =
        std::find(layout.shape.begin(), layout.shape.end(), 0) != layout.shape.end();
    layout.element_count = is_empty ? 0 : 1;
    layout.extent_elements = is_empty ? 0 : 1;
    for (std::size_t axis = 0; axis < layout.shape.size() && !is_empty; ++axis) {
        layout.element_count = extent.multiply(layout.element_count, layout.shape[axis]);
        layout.extent_elements = extent.add(
            layout.extent_elements, extent.multiply(layout.shape[axis] - 1, layout.strides[axis]));
    }
    const auto stride = static_cast<std::int64_t>(layout.element_bytes());
    static_cast<void>(extent.multiply(layout.element_count, stride));
    static_cast<void>(extent.multiply(layout.extent_elements, stride));
}

bool has_no_gaps(const ArrayLayout& layout) {
    if (layout.element_count == 0) {
        return true; // the product of the extents may overflow, too
    }
    std::int64_t expected = 1;
    for (std::size_t axis = layout.shape.size(); axis-- > 0;) {
        if (layout.shape[axis] != 1 && layout.strides[axis] != expected) {
            return false;
        }
        expected *= layout.shape[axis];
    }
    return true;
}

std::uint64_t hash_of(const ArrayLayout& layout) {
    core::Hasher hasher;
    hasher.add(dtype_hash(*layout.dtype)).add(layout.shape.size());
    for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
        hasher.add(layout.shape[axis]).add(layout.strides[axis]);
    }
    return hasher.finish().low;
}

} // namespace

std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> shape) {
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = stride;
        // A product that overflows is refused by count_elements, unless the array is empty anyway.
        const std::int64_t extent = std::max<std::int64_t>(shape[axis], 1);
        stride = stride > kMaxExtent / extent ? kMaxExtent : stride * extent;
    }
    return strides;
}

ArrayLayoutRef make_array_layout(reflect::TypeRef dtype, std::vector<std::int64_t> shape,
                                 std::vector<std::int64_t> strides) {
    require_storable(dtype.get());
    check_shape(shape);
    ArrayLayout layout;
    layout.dtype = std::move(dtype);
    layout.shape = std::move(shape);
    if (strides.empty()) {
        layout.strides = contiguous_strides(layout.shape);
    } else {
        check_strides(layout.shape, strides);
        layout.strides = std::move(strides);
    }
    count_elements(layout);
    layout.is_contiguous = has_no_gaps(layout);
    layout.hash = hash_of(layout);
    return std::make_shared<const ArrayLayout>(std::move(layout));
}

} // namespace weft::tensor
