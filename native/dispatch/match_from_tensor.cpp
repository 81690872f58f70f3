// SPDX-License-Identifier: Apache-2.0
// Structures with [FromTensor]: one value for all calls, made of pointers into one tensor (shaders/mlp/from_tensor.slang).
#include "dispatch/match.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>
#include <array>

namespace weft::dispatch {

using codegen::Operand;
using codegen::OperandKind;
using core::text;
using reflect::Direction;
using reflect::Type;
using reflect::TypeKind;

namespace {

// Values, gradient, tangent; a gradient in float where values are half.
constexpr std::array kParts{SourcePart::primal, SourcePart::gradient_out, SourcePart::gradient_in,
                            SourcePart::gradient_out};
constexpr std::size_t kMinFields = 3;
// Behind them, of what collects in a group: null, and a table as large as the memory that it could use for that.
constexpr std::size_t kMaxFields = kParts.size() + 1;

/// The tensor shapes that fit: (R, C) if there are several rows, and (R * C,).
bool is_shape_of(const std::vector<std::int64_t>& wanted, const std::vector<std::int64_t>& given) {
    std::int64_t count = 1;
    for (const std::int64_t extent : wanted) {
        count *= extent;
    }
    const bool is_flat = given.size() == 1 && given[0] == count;
    return is_flat || (wanted.front() > 1 && given == wanted);
}

/// The rows that a field points to: the only member of Table<T, R, C>.
const reflect::TypeRef& table_of(const reflect::Field& field) {
    return field.type->element->fields.front().type;
}

bool has_attribute(const Type& type, std::string_view name) {
    return std::any_of(type.attributes.begin(), type.attributes.end(),
                       [&](const reflect::Attribute& each) { return each.name == name; });
}

std::int64_t memory_of(const Type& table) {
    std::int64_t bytes = sizeof(float);
    for (const std::int64_t extent : reflect::element_shape(table)) {
        bytes *= extent;
    }
    return bytes;
}

std::string shapes_text(const std::vector<std::int64_t>& wanted) {
    std::int64_t count = 1;
    for (const std::int64_t extent : wanted) {
        count *= extent;
    }
    const std::string flat = text("(", count, ",)");
    return wanted.front() > 1 ? text(core::shape_text(wanted), " or ", flat) : flat;
}

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

} // namespace

bool is_from_tensor(const Type& type) {
    const bool is_marked = type.kind == TypeKind::structure && has_attribute(type, "FromTensor");
    return is_marked && type.fields.size() >= kMinFields && type.fields.size() <= kMaxFields &&
           std::all_of(type.fields.begin(), type.fields.end(), [](const reflect::Field& field) {
               const Type* const table = field.type->element.get();
               return field.type->kind == TypeKind::pointer && table != nullptr &&
                      table->name == "Table" && table->fields.size() == 1;
           });
}

/// One of the pointers, into the argument itself or one of its gradients.
bool Matcher::match_part(const MatchRequest& request, const ArrayView& view,
                         const PointerPart& part, Operand& operand) {
    const Type& element = *table_of(*part.field);
    const std::vector<std::int64_t> wanted = reflect::element_shape(element);
    if (!accepts_leaf(element, view, true)) {
        return refuse(request,
                      text("its elements must be ", tensor::display_name(reflect::leaf(element))));
    }
    if (!is_shape_of(wanted, view.shape)) {
        return refuse(request, text("it is made from a tensor of shape ", shapes_text(wanted)));
    }
    if (!is_contiguous(view)) {
        return refuse(request, "it needs contiguous memory: pass a copy");
    }
    operand.kind = OperandKind::pointer;
    MatchRequest access = request;
    access.direction = part.source == SourcePart::gradient_out ? Direction::inout : Direction::in;
    ArrayView memory = view;
    if (view.is_host) {
        memory.leaf = leaf_type(table_of(*part.field));
    }
    set_memory(access, memory, 0, operand);
    m_call.sources.back().part = part.source;
    return true;
}

/// A null pointer where there is no gradient or tangent.
bool Matcher::match_gradient_part(const MatchRequest& request, const PointerPart& part,
                                  Operand& operand) {
    // Float values: both fields fit, the first has it.
    const bool is_taken =
        request.type->fields.size() > kMinFields &&
        part.field == &request.type->fields[kMinFields] &&
        reflect::same_type(*table_of(*part.field), *table_of(request.type->fields[1]));
    Node node = m_arguments.nodes[request.node];
    const bool is_given = part.source == SourcePart::gradient_in;
    const bool is_wanted =
        derivative() == (is_given ? codegen::Derivative::forward : codegen::Derivative::backward);
    tensor::Tensor* const gradient = node.kind != NodeKind::tensor || !is_wanted ? nullptr
                                     : is_given ? node.tensor->grad_in().get()
                                                : node.tensor->grad_out().get();
    const bool is_other =
        gradient != nullptr && request.type->fields.size() > kMinFields && !is_given &&
        reflect::leaf(*gradient->dtype()).scalar != reflect::leaf(*table_of(*part.field)).scalar;
    if (gradient == nullptr || is_other || is_taken) {
        operand.kind = OperandKind::literal;
        operand.literal = text(operand.type->full_name, "(nullptr)");
        return true;
    }
    node.tensor = gradient;
    operand.accumulation = is_given ? codegen::Accumulation::none : codegen::Accumulation::callee;
    return match_part(request, view_of(m_arguments, node), part, operand);
}

bool Matcher::match_from_tensor(const MatchRequest& request, const ArrayView& view,
                                Operand& operand) {
    if (request.direction != Direction::in) {
        return refuse(request, "it is read only: declare the parameter without out");
    }
    m_call.kernel.has_team = true;
    m_call.kernel.group_size = {codegen::kTeamGroup, 1, 1};
    operand.kind = OperandKind::composite;
    const bool collects = has_attribute(*request.type, "CollectsInGroup");
    operand.mapping.clear();
    for (std::size_t i = 0; i < request.type->fields.size(); ++i) {
        const reflect::Field& field = request.type->fields[i];
        Operand& pointer = operand.fields.emplace_back();
        operand.field_names.push_back(field.name);
        pointer.type = field.type;
        pointer.name = request.name + field.name;
        if (i == kParts.size()) {
            pointer.kind = OperandKind::literal;
            pointer.literal = text(field.type->full_name, "(nullptr)");
            // A single float stands for none.
            const std::int64_t bytes = memory_of(*table_of(field));
            operand.collected_bytes = bytes > std::int64_t{sizeof(float)} ? bytes : 0;
            m_call.kernel.keeps_group_size |= operand.collected_bytes == 0;
            continue;
        }
        const PointerPart part{.source = kParts[i], .field = &field};
        const bool is_matched = part.source == SourcePart::primal
                                    ? match_part(request, view, part, pointer)
                                    : match_gradient_part(request, part, pointer);
        if (!is_matched) {
            return false;
        }
        operand.can_collect = operand.can_collect ||
                              (collects && pointer.accumulation == codegen::Accumulation::callee);
    }
    return true;
}

} // namespace weft::dispatch
