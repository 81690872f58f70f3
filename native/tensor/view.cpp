// SPDX-License-Identifier: Apache-2.0
#include "tensor/view.hpp"

#include "core/text.hpp"
#include "tensor/dtype.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace weft::tensor {

namespace {

using core::ArgumentError;
using core::shape_text;
using core::text;
using Shape = std::vector<std::int64_t>;

Shape shape_of(const Tensor& tensor) {
    return {tensor.shape().begin(), tensor.shape().end()};
}

Shape strides_of(const Tensor& tensor) {
    return {tensor.strides().begin(), tensor.strides().end()};
}

/// @param offset elements from element 0. An empty view stays at the start: its own could lie outside.
TensorRef make_view(const Tensor& tensor, Shape shape, Shape strides, std::int64_t offset = 0) {
    ArrayLayoutRef layout = make_array_layout(tensor.dtype(), std::move(shape), std::move(strides));
    const std::int64_t moved = layout->extent_elements == 0 ? 0 : offset;
    return Tensor::wrap(tensor.buffer_ref(), std::move(layout), tensor.offset() + moved);
}

std::int64_t normalised_axis(const char* function, std::int64_t axis, std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count) {
        throw ArgumentError(text(function, ": axis ", axis, " is outside a tensor of ", rank,
                                 " dimensions; pass ", -count, " to ", count - 1));
    }
    return axis < 0 ? axis + count : axis;
}

/// Turns the axes of a tensor into those of tensor[items].
class Indexer {
public:
    explicit Indexer(const Tensor& tensor) : m_tensor(tensor) {}

    void take_integer(std::int64_t index) {
        const std::int64_t extent = m_tensor.shape()[m_axis];
        if (index < -extent || index >= extent) {
            throw ArgumentError(text("Tensor[]: index ", index, " is outside axis ", m_axis,
                                     " of shape ", shape_text(m_tensor.shape()),
                                     extent == 0 ? "; that axis is empty"
                                                 : text("; pass ", -extent, " to ", extent - 1)),
                                ArgumentError::Kind::index);
        }
        offset += (index < 0 ? index + extent : index) * m_tensor.strides()[m_axis];
        ++m_axis;
    }

    void take_slice(const IndexItem& item) {
        if (item.step < 1) {
            throw ArgumentError(
                text("Tensor[]: the slice of axis ", m_axis, " has step ", item.step,
                     ", steps must be 1 or greater; reverse the array with numpy before"));
        }
        const std::int64_t extent = m_tensor.shape()[m_axis];
        const std::int64_t stride = m_tensor.strides()[m_axis];
        const std::int64_t start = bound(item.start.value_or(0), extent);
        const std::int64_t stop = bound(item.stop.value_or(extent), extent);
        const std::int64_t count = stop <= start ? 0 : (stop - start - 1) / item.step + 1;
        offset += count == 0 ? 0 : start * stride;
        shape.push_back(count);
        strides.push_back(count <= 1 ? stride : stride * item.step);
        ++m_axis;
    }

    void keep(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            take_slice({});
        }
    }

    void insert_axis() {
        shape.push_back(1);
        strides.push_back(0);
    }

    std::size_t axes_left() const noexcept { return m_tensor.rank() - m_axis; }

    Shape shape, strides;
    std::int64_t offset = 0;

private:
    static std::int64_t bound(std::int64_t value, std::int64_t extent) noexcept {
        return std::clamp<std::int64_t>(value < 0 ? value + extent : value, 0, extent);
    }

    const Tensor& m_tensor;
    std::size_t m_axis = 0;
};

using Kind = IndexItem::Kind;

bool consumes_axis(const IndexItem& item) noexcept {
    return item.kind == Kind::integer || item.kind == Kind::slice;
}

void check_items(const Tensor& tensor, std::span<const IndexItem> items) {
    const auto consumed = std::count_if(items.begin(), items.end(), consumes_axis);
    const auto ellipses = std::count_if(items.begin(), items.end(), [](const IndexItem& item) {
        return item.kind == Kind::ellipsis;
    });
    if (ellipses > 1) {
        throw ArgumentError(
            text("Tensor[]: the index has ", ellipses, " ellipses (...), one is possible"));
    }
    if (static_cast<std::size_t>(consumed) > tensor.rank()) {
        throw ArgumentError(text("Tensor[]: the index has ", consumed,
                                 " entries, the tensor of shape ", shape_text(tensor.shape()),
                                 " has ", tensor.rank(), " dimensions; leave the rest away"),
                            ArgumentError::Kind::index);
    }
}

/// Replaces the one -1 and checks that the element count stays.
Shape resolve_shape(const Tensor& tensor, Shape shape) {
    const auto fail = [&](const char* remedy) {
        throw ArgumentError(text("reshape: shape ", shape_text(shape), " does not fit the ",
                                 tensor.element_count(), " elements of shape ",
                                 shape_text(tensor.shape()), "; ", remedy));
    };
    if (std::count(shape.begin(), shape.end(), -1) > 1) {
        fail("only one entry may be -1");
    }
    std::int64_t known = 1;
    for (const std::int64_t extent : shape) {
        if (extent > 0 && known > tensor.element_count() / extent + 1) {
            fail("its product is too large");
        }
        known *= extent == -1 ? 1 : extent;
    }
    const auto open = std::find(shape.begin(), shape.end(), -1);
    if (open != shape.end() && known != 0 && tensor.element_count() % known == 0) {
        *open = tensor.element_count() / known;
        return shape;
    }
    if (open != shape.end() || known != tensor.element_count()) {
        fail("its product must be equal (one entry may be -1)");
    }
    return shape;
}

/// Axes of extent 1 left out, and axes that one stride can walk merged.
void simplify(const Tensor& tensor, Shape& shape, Shape& strides) {
    for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
        const std::int64_t extent = tensor.shape()[axis];
        const std::int64_t stride = tensor.strides()[axis];
        if (extent == 1) {
            continue;
        }
        if (!shape.empty() && strides.back() == stride * extent) {
            shape.back() *= extent;
            strides.back() = stride;
        } else {
            shape.push_back(extent);
            strides.push_back(stride);
        }
    }
}

/// Strides that give `shape` without moving an element, or nullopt.
std::optional<Shape> reshaped_strides(const Tensor& tensor, std::span<const std::int64_t> shape) {
    Shape old_shape, old_strides;
    simplify(tensor, old_shape, old_strides);
    Shape strides(shape.size());
    std::size_t old_axis = old_shape.size();
    std::int64_t left = 1; // elements of the current old axis that are not used up
    std::int64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (left == 1 && shape[axis] != 1 && old_axis > 0) {
            --old_axis;
            left = old_shape[old_axis];
            stride = old_strides[old_axis];
        }
        if (left % shape[axis] != 0) {
            return std::nullopt;
        }
        strides[axis] = stride;
        left /= shape[axis];
        stride *= shape[axis];
    }
    return strides;
}

/// Dimensions that flatten_dtype appends.
Shape flat_shape(const reflect::TypeRef& type, const UniformScalars& scalars) {
    Shape shape = reflect::element_shape(*type);
    const std::int64_t count =
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    if (count != scalars.count) {
        shape.push_back(scalars.count / count); // the fields of the structure at the bottom
    }
    return shape;
}

/// `viewed` with the gradients of `tensor` seen in the same way.
/// @param view makes the view of a gradient; null: it cannot be made.
template <typename View>
TensorRef keep_gradients(const char* function, const Tensor& tensor, TensorRef viewed,
                         View&& view) {
    if (!tensor.grad_in() && !tensor.grad_out()) {
        return viewed;
    }
    const auto view_gradient = [&](const TensorRef& gradient) {
        TensorRef result = gradient ? view(gradient) : nullptr;
        if (gradient && !result) {
            throw ArgumentError(text(function, ": the tensor's gradient has other strides than ",
                                     "the tensor, and no view of it has shape ",
                                     shape_text(viewed->shape()),
                                     "; attach gradients to the view, with_grads()"));
        }
        return result;
    };
    const TensorRef grad_in = view_gradient(tensor.grad_in());
    const TensorRef grad_out =
        tensor.grad_out() == tensor.grad_in() ? grad_in : view_gradient(tensor.grad_out());
    return Tensor::with_gradients(viewed, grad_in, grad_out);
}

} // namespace

TensorRef index(const TensorRef& tensor, std::span<const IndexItem> items) {
    check_items(*tensor, items);
    Indexer indexer(*tensor);
    auto consumers_left =
        static_cast<std::size_t>(std::count_if(items.begin(), items.end(), consumes_axis));
    for (const IndexItem& item : items) {
        switch (item.kind) {
        case Kind::integer:
            indexer.take_integer(item.integer);
            --consumers_left;
            break;
        case Kind::slice:
            indexer.take_slice(item);
            --consumers_left;
            break;
        case Kind::ellipsis: indexer.keep(indexer.axes_left() - consumers_left); break;
        case Kind::new_axis: indexer.insert_axis(); break;
        }
    }
    indexer.keep(indexer.axes_left());
    TensorRef result =
        make_view(*tensor, std::move(indexer.shape), std::move(indexer.strides), indexer.offset);
    return keep_gradients("Tensor[]", *tensor, std::move(result),
                          [&](const TensorRef& gradient) { return index(gradient, items); });
}

TensorRef try_reshape(const TensorRef& tensor, Shape shape) {
    shape = resolve_shape(*tensor, std::move(shape));
    if (tensor->element_count() == 0) {
        return keep_gradients(
            "reshape", *tensor, make_view(*tensor, shape, contiguous_strides(shape)),
            [&](const TensorRef& gradient) { return try_reshape(gradient, shape); });
    }
    std::optional<Shape> strides = reshaped_strides(*tensor, shape);
    if (!strides) {
        return nullptr;
    }
    return keep_gradients("reshape", *tensor, make_view(*tensor, shape, std::move(*strides)),
                          [&](const TensorRef& gradient) { return try_reshape(gradient, shape); });
}

TensorRef reshape(const TensorRef& tensor, Shape shape, const device::InterruptPoll& poll) {
    TensorRef result = try_reshape(tensor, shape);
    return result ? result : try_reshape(contiguous(tensor, poll), std::move(shape));
}

TensorRef permute(const TensorRef& tensor, std::span<const std::int64_t> axes,
                  const char* function) {
    if (axes.size() != tensor->rank()) {
        throw ArgumentError(text(function, ": axes ", shape_text(axes), " name ", axes.size(),
                                 " of ", tensor->rank(), " dimensions; name every axis once"));
    }
    Shape shape, strides;
    std::vector<bool> is_used(axes.size(), false);
    for (const std::int64_t entry : axes) {
        const auto axis =
            static_cast<std::size_t>(normalised_axis(function, entry, tensor->rank()));
        if (is_used[axis]) {
            throw ArgumentError(text(function, ": axes ", shape_text(axes), " name axis ", axis,
                                     " twice; name every axis once"));
        }
        is_used[axis] = true;
        shape.push_back(tensor->shape()[axis]);
        strides.push_back(tensor->strides()[axis]);
    }
    return keep_gradients(
        function, *tensor, make_view(*tensor, std::move(shape), std::move(strides)),
        [&](const TensorRef& gradient) { return permute(gradient, axes, function); });
}

TensorRef broadcast_to(const TensorRef& tensor, Shape shape) {
    if (shape.size() < tensor->rank()) {
        throw ArgumentError(text("broadcast_to: shape ", shape_text(shape),
                                 " has fewer dimensions than shape ", shape_text(tensor->shape()),
                                 "; broadcasting can only add some"));
    }
    const std::size_t added = shape.size() - tensor->rank();
    Shape strides(shape.size(), 0);
    for (std::size_t axis = 0; axis < tensor->rank(); ++axis) {
        const std::int64_t extent = tensor->shape()[axis];
        if (extent != shape[added + axis] && extent != 1) {
            throw ArgumentError(text("broadcast_to: axis ", axis, " of shape ",
                                     shape_text(tensor->shape()), " has extent ", extent,
                                     ", shape ", shape_text(shape), " asks for ",
                                     shape[added + axis], "; extents must be equal or 1"));
        }
        strides[added + axis] = extent == shape[added + axis] ? tensor->strides()[axis] : 0;
    }
    return keep_gradients("broadcast_to", *tensor, make_view(*tensor, shape, std::move(strides)),
                          [&](const TensorRef& gradient) { return broadcast_to(gradient, shape); });
}

TensorRef squeeze(const TensorRef& tensor, std::optional<std::int64_t> axis) {
    std::optional<std::size_t> chosen;
    if (axis) {
        chosen = static_cast<std::size_t>(normalised_axis("squeeze", *axis, tensor->rank()));
        if (tensor->shape()[*chosen] != 1) {
            throw ArgumentError(text("squeeze: axis ", *chosen, " of shape ",
                                     shape_text(tensor->shape()), " has extent ",
                                     tensor->shape()[*chosen], ", only extent 1 can be dropped"));
        }
    }
    Shape shape, strides;
    for (std::size_t i = 0; i < tensor->rank(); ++i) {
        if (chosen ? i != *chosen : tensor->shape()[i] != 1) {
            shape.push_back(tensor->shape()[i]);
            strides.push_back(tensor->strides()[i]);
        }
    }
    return keep_gradients("squeeze", *tensor,
                          make_view(*tensor, std::move(shape), std::move(strides)),
                          [&](const TensorRef& gradient) { return squeeze(gradient, axis); });
}

TensorRef unsqueeze(const TensorRef& tensor, std::int64_t axis) {
    const std::int64_t place = normalised_axis("unsqueeze", axis, tensor->rank() + 1);
    Shape shape = shape_of(*tensor);
    Shape strides = strides_of(*tensor);
    shape.insert(shape.begin() + place, 1);
    strides.insert(strides.begin() + place, 0);
    return keep_gradients("unsqueeze", *tensor,
                          make_view(*tensor, std::move(shape), std::move(strides)),
                          [&](const TensorRef& gradient) { return unsqueeze(gradient, place); });
}

TensorRef flatten_dtype(const TensorRef& tensor) {
    const std::optional<UniformScalars> scalars = uniform_scalars(tensor->dtype());
    if (!scalars) {
        throw ArgumentError(
            text("flatten_dtype: ", display_name(*tensor->dtype()),
                 " mixes scalar kinds or has gaps between them; take its fields one by one"));
    }
    Shape shape = shape_of(*tensor);
    Shape strides = strides_of(*tensor);
    std::for_each(strides.begin(), strides.end(),
                  [&](std::int64_t& stride) { stride *= scalars->stride; });
    const Shape inner = flat_shape(tensor->dtype(), *scalars);
    const Shape inner_strides = contiguous_strides(inner);
    shape.insert(shape.end(), inner.begin(), inner.end());
    strides.insert(strides.end(), inner_strides.begin(), inner_strides.end());
    TensorRef result =
        Tensor::wrap(tensor->buffer_ref(), make_array_layout(scalars->scalar, shape, strides),
                     tensor->offset() * scalars->stride);
    // A structure with fields that have no derivative has fewer scalars in its gradient.
    const auto is_smaller = [&](const TensorRef& gradient) {
        const auto parts = gradient ? uniform_scalars(gradient->dtype()) : scalars;
        return !parts || parts->count != scalars->count;
    };
    if (is_smaller(tensor->grad_in()) || is_smaller(tensor->grad_out())) {
        return result;
    }
    return keep_gradients("flatten_dtype", *tensor, std::move(result),
                          [](const TensorRef& gradient) { return flatten_dtype(gradient); });
}

TensorRef view(const TensorRef& tensor, Shape shape, Shape strides, std::int64_t offset) {
    if (strides.empty()) {
        strides = contiguous_strides(shape);
    }
    return keep_gradients("view", *tensor, make_view(*tensor, shape, strides, offset),
                          [&](const TensorRef& gradient) {
                              const bool is_alike =
                                  std::ranges::equal(gradient->strides(), tensor->strides());
                              return is_alike ? view(gradient, shape, strides, offset) : nullptr;
                          });
}

} // namespace weft::tensor
