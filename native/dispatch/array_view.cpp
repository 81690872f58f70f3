// SPDX-License-Identifier: Apache-2.0
#include "dispatch/array_view.hpp"

namespace weft::dispatch {

using reflect::Type;
using reflect::TypeKind;

namespace {

std::int64_t product(const std::vector<std::int64_t>& extents) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) {
        count *= extent;
    }
    return count;
}

ArrayView view_of_tensor(const tensor::Tensor& tensor) {
    ArrayView view;
    const Type& dtype = *tensor.dtype();
    view.leaf = tensor.dtype();
    view.leaf = leaf_type(view.leaf);
    const std::vector<std::int64_t> inner = reflect::element_shape(dtype);
    const std::int64_t element_stride = product(inner);
    view.shape.assign(tensor.shape().begin(), tensor.shape().end());
    for (const std::int64_t stride : tensor.strides()) {
        view.strides.push_back(stride * element_stride);
    }
    const std::vector<std::int64_t> inner_strides = row_major(inner);
    view.shape.insert(view.shape.end(), inner.begin(), inner.end());
    view.strides.insert(view.strides.end(), inner_strides.begin(), inner_strides.end());
    view.element_rank = inner.size();
    view.alignment = address_alignment(tensor.address());
    return view;
}

} // namespace

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * shape[i];
    }
    return strides;
}

reflect::TypeRef leaf_type(reflect::TypeRef type) {
    while (type->element && (type->kind == TypeKind::vector || type->kind == TypeKind::matrix ||
                             type->kind == TypeKind::array)) {
        type = type->element;
    }
    return type;
}

bool is_array(const Node& node) noexcept {
    return node.kind == NodeKind::tensor || node.kind == NodeKind::list ||
           node.kind == NodeKind::host_array;
}

ArrayView view_of(const ArgumentList& arguments, const Node& node) {
    if (node.kind == NodeKind::tensor) {
        return view_of_tensor(*node.tensor);
    }
    ArrayView view;
    view.is_host = true;
    if (node.kind == NodeKind::host_array) {
        view.shape = node.host->shape;
        view.leaf = reflect::scalar_type(node.host->scalar);
    } else {
        const auto shape = arguments.shape(node);
        view.shape.assign(shape.begin(), shape.end());
        view.leaf = reflect::scalar_type(node.scalar);
    }
    view.strides = row_major(view.shape);
    return view;
}

} // namespace weft::dispatch
