// SPDX-License-Identifier: Apache-2.0
// Structures with [PointsIntoTensor]: pointer, sizes, strides and rank of one tensor, the same for all calls
// (shaders/compat/slangtorch/tensor_view.slang).
#include "dispatch/match.hpp"

#include "core/text.hpp"
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

constexpr std::size_t kMaxDimensions = 5;
constexpr std::int64_t kMaxElements = std::numeric_limits<std::uint32_t>::max();

} // namespace

bool is_tensor_view(const Type& type) {
    return type.kind == TypeKind::structure &&
           std::ranges::any_of(
               type.attributes,
               [](const reflect::Attribute& each) { return each.name == "PointsIntoTensor"; }) &&
           !type.fields.empty() && type.fields.front().type->kind == TypeKind::pointer;
}

bool Matcher::match_view(const MatchRequest& request, const ArrayView& view, Operand& operand) {
    const reflect::Field& data = request.type->fields.front();
    const Type& element = *data.type->element;
    const std::vector<std::int64_t> inner = reflect::element_shape(element);
    if (view.is_host || request.direction != Direction::in) {
        return refuse(request, "pass a Tensor of this device");
    }
    if (!accepts_leaf(element, view, true)) {
        return refuse(request,
                      text("its elements must be ", tensor::display_name(reflect::leaf(element))));
    }
    const bool fits = view.shape.size() > inner.size() && view.shape.size() <= kMaxDimensions &&
                      std::equal(inner.rbegin(), inner.rend(), view.shape.rbegin());
    if (!fits) {
        return refuse(request, text("it must have 1 to ", kMaxDimensions, " dimensions, the last ",
                                    core::shape_text(inner)));
    }
    operand.kind = OperandKind::composite;
    std::int64_t unit = 1;
    for (const std::int64_t extent : inner) {
        unit *= extent;
    }
    std::int64_t last = 0;
    for (std::size_t i = 0; i < view.shape.size(); ++i) {
        const bool is_outer = i + inner.size() < view.shape.size();
        const std::int64_t extent = view.shape[i];
        const std::int64_t stride = is_outer || extent > 1 ? view.strides[i] : unit;
        if (extent > 1 && (stride <= 0 || (is_outer && stride % unit != 0))) {
            return refuse(request, "its strides do not step over whole elements: pass a copy");
        }
        last += (std::max<std::int64_t>(extent, 1) - 1) * stride;
        operand.tensor_shape.push_back(extent);
        operand.tensor_strides.push_back(is_outer ? view.strides[i] / unit : 0);
    }
    if (last >= kMaxElements) {
        return refuse(request, text("it reaches over more than ", kMaxElements, " elements"));
    }
    Operand& pointer = operand.fields.emplace_back();
    operand.field_names.push_back(data.name);
    pointer.kind = OperandKind::pointer;
    pointer.type = data.type;
    pointer.name = request.name + data.name;
    MatchRequest access = request;
    access.direction = Direction::inout;
    set_memory(access, view, 0, pointer);
    return true;
}

} // namespace weft::dispatch
