// SPDX-License-Identifier: Apache-2.0
// StructuredBuffer and byte address buffers: all elements of an array in a row, the same for all calls.
#include "dispatch/match.hpp"

#include "core/text.hpp"
#include "dispatch/pack.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>
#include <limits>

namespace weft::dispatch {

using codegen::Operand;
using codegen::OperandKind;
using core::text;
using reflect::Direction;
using reflect::Type;
using reflect::TypeKind;

namespace {

constexpr std::int64_t kMaxElements = std::numeric_limits<std::uint32_t>::max();

bool is_contiguous(const ArrayView& view) {
    std::int64_t stride = 1;
    for (std::size_t i = view.shape.size(); i-- > 0;) {
        if (view.strides[i] != stride && view.shape[i] != 1) {
            return false;
        }
        stride *= view.shape[i];
    }
    return true;
}

std::int64_t leaf_count(const ArrayView& view) {
    std::int64_t count = 1;
    for (const std::int64_t extent : view.shape) {
        count *= extent;
    }
    return count;
}

std::int64_t stride_bytes(const Type& leaf) {
    return static_cast<std::int64_t>(
        leaf.kind == TypeKind::structure ? leaf.layout.stride : reflect::size_bytes(leaf.scalar));
}

/// `count` elements one behind the other, the same for all calls.
void set_row(const Type& type, std::int64_t count, Operand& operand) {
    operand.kind = OperandKind::tensor;
    operand.tensor_type = type.full_name;
    operand.tensor_shape = {count};
    operand.tensor_strides = {1};
    operand.reads = true;
    operand.writes = false;
    operand.mapping.clear();
}

} // namespace

/// How many elements (bytes of a raw buffer) the array has; negative, with the reason given, if it does not fit.
std::int64_t Matcher::count_buffer_elements(const MatchRequest& request, const ArrayView& view) {
    const Type& element = *request.type->element;
    if (request.type->tensor.is_raw) {
        const bool has_size = m_arguments.nodes[request.node].kind != NodeKind::list;
        if (!has_size) {
            refuse(request, "the numbers of a list have no size: pass an array with a dtype");
        }
        return has_size ? leaf_count(view) * stride_bytes(*view.leaf) : -1;
    }
    if (!accepts_leaf(element, view, true)) {
        refuse(request, text("its elements must be ", tensor::display_name(element)));
        return -1;
    }
    const std::vector<std::int64_t> inner = reflect::element_shape(element);
    const bool fits = view.shape.size() >= inner.size() &&
                      std::equal(inner.rbegin(), inner.rend(), view.shape.rbegin());
    if (!fits) {
        refuse(request, text("its trailing dimensions must be ", core::shape_text(inner)));
        return -1;
    }
    std::int64_t unit = 1;
    for (const std::int64_t extent : inner) {
        unit *= extent;
    }
    const auto stride = static_cast<std::int64_t>(element.layout.stride);
    if (unit == 0 || stride != unit * stride_bytes(reflect::leaf(element))) {
        refuse(request, text("values of ", tensor::display_name(element),
                             " have gaps in memory on this device; take scalars, or another type"));
        return -1;
    }
    return leaf_count(view) / unit;
}

bool Matcher::match_buffer(const MatchRequest& request, const ArrayView& view, Operand& operand) {
    const reflect::TensorTraits& traits = request.type->tensor;
    const Node& node = m_arguments.nodes[request.node];
    const std::int64_t count = count_buffer_elements(request, view);
    if (count < 0) {
        return false;
    }
    if (!view.is_host && !is_contiguous(view)) {
        return refuse(request, "a buffer needs contiguous memory: pass a copy");
    }
    if (count > kMaxElements) {
        return refuse(request, "a buffer counts in 32 bits: pass a part of it, or take a Tensor");
    }
    MatchRequest access = request;
    access.mapping.clear();
    access.direction = traits.access == reflect::Access::read ? Direction::in : Direction::inout;
    if (access.direction != Direction::in && node.kind == NodeKind::host_array &&
        !node.host->write_refusal.empty()) {
        return refuse(request, text("it ", node.host->write_refusal));
    }
    ArrayView memory = view;
    if (view.is_host && !traits.is_raw) {
        memory.leaf = leaf_type(request.type->element);
    }
    set_row(*request.type, count, operand);
    set_memory(access, memory, 0, operand);
    return true;
}

/// Structures of the host, which take the layout of the device on their way.
bool Matcher::match_packed(const MatchRequest& request, Operand& operand) {
    const Type& element = *request.type->element;
    if (request.type->tensor.is_raw || element.kind != TypeKind::structure) {
        return refuse(request);
    }
    std::string why;
    const auto count =
        count_packed(m_arguments, m_arguments.nodes[request.node], element, m_call.names, why);
    if (!count) {
        return refuse(request, why);
    }
    ArrayView view;
    view.leaf = request.type->element;
    view.shape = {*count};
    view.strides = {1};
    view.is_host = true;
    set_row(*request.type, *count, operand);
    set_memory(request, view, 0, operand);
    Source& source = m_call.sources.back();
    source.kind = SourceKind::pack;
    source.dtype = request.type->element;
    source.downloads = false;
    return true;
}

} // namespace weft::dispatch
