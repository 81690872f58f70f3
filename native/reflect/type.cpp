// SPDX-License-Identifier: Apache-2.0
#include "reflect/type.hpp"

#include "core/text.hpp"
#include "reflect/layout.hpp"

#include <algorithm>
#include <utility>

namespace weft::reflect {

namespace {

bool same_generic_arguments(const Type& a, const Type& b) {
    return std::equal(a.generic_arguments.begin(), a.generic_arguments.end(),
                      b.generic_arguments.begin(), b.generic_arguments.end(),
                      [](const TypeRef& x, const TypeRef& y) { return same_type(*x, *y); });
}

bool same_element(const Type& a, const Type& b) {
    return a.element == b.element || (a.element && b.element && same_type(*a.element, *b.element));
}

/// Of vectors and matrices.
bool same_components(const Type& a, const Type& b) {
    return a.scalar == b.scalar && a.rows == b.rows && a.columns == b.columns &&
           a.row_parameter == b.row_parameter && a.count_parameter == b.count_parameter;
}

bool same_count(const Type& a, const Type& b) {
    return a.count == b.count && a.count_parameter == b.count_parameter;
}

} // namespace

TypeRef scalar_type(ScalarKind kind, LayoutRules rules) {
    Type type;
    type.kind = TypeKind::scalar;
    type.scalar = kind;
    type.name = slang_name(kind);
    type.full_name = type.name;
    type.layout = scalar_layout(kind, rules);
    type.is_differentiable = is_float(kind);
    type.differential = type.is_differentiable ? type.full_name : "";
    return std::make_shared<const Type>(std::move(type));
}

TypeRef vector_type(ScalarKind kind, std::int32_t length, LayoutRules rules) {
    Type type;
    type.kind = TypeKind::vector;
    type.scalar = kind;
    type.columns = length;
    type.element = scalar_type(kind, rules);
    type.name = "vector";
    type.full_name = core::text("vector<", slang_name(kind), ",", length, ">");
    type.layout = vector_layout(kind, length, rules);
    type.is_differentiable = is_float(kind);
    type.differential = type.is_differentiable ? type.full_name : "";
    return std::make_shared<const Type>(std::move(type));
}

TypeRef matrix_type(ScalarKind kind, std::int32_t rows, std::int32_t columns, LayoutRules rules) {
    Type type;
    type.kind = TypeKind::matrix;
    type.scalar = kind;
    type.rows = rows;
    type.columns = columns;
    type.element = scalar_type(kind, rules);
    type.name = "matrix";
    type.full_name = core::text("matrix<", slang_name(kind), ",", rows, ",", columns, ">");
    type.layout = matrix_layout(kind, rows, columns, rules);
    type.is_differentiable = is_float(kind);
    type.differential = type.is_differentiable ? type.full_name : "";
    return std::make_shared<const Type>(std::move(type));
}

TypeRef array_type(TypeRef element, std::int64_t count) {
    Type type;
    type.kind = TypeKind::array;
    type.scalar = element->scalar;
    type.count = count;
    type.name = "Array";
    type.full_name = core::text("Array<", element->full_name, ",", count, ">");
    type.layout = array_layout(element->layout, count);
    type.is_differentiable = element->is_differentiable;
    type.differential = element->differential.empty()
                            ? ""
                            : core::text("Array<", element->differential, ",", count, ">");
    type.element = std::move(element);
    return std::make_shared<const Type>(std::move(type));
}

std::vector<std::int64_t> element_shape(const Type& type) {
    switch (type.kind) {
    case TypeKind::vector: return {type.columns};
    case TypeKind::matrix: return {type.rows, type.columns};
    case TypeKind::array: {
        std::vector<std::int64_t> shape = element_shape(*type.element);
        shape.insert(shape.begin(), type.count);
        return shape;
    }
    default: return {};
    }
}

const Type& leaf(const Type& type) {
    const Type* current = &type;
    while (current->element &&
           (current->kind == TypeKind::vector || current->kind == TypeKind::matrix ||
            current->kind == TypeKind::array)) {
        current = current->element.get();
    }
    return *current;
}

bool same_type(const Type& a, const Type& b) {
    if (&a == &b) {
        return true;
    }
    if (a.kind != b.kind) {
        return false;
    }
    switch (a.kind) {
    case TypeKind::scalar: return a.scalar == b.scalar;
    case TypeKind::vector:
    case TypeKind::matrix: return same_components(a, b);
    case TypeKind::array: return same_count(a, b) && same_element(a, b);
    case TypeKind::pointer: return same_element(a, b);
    default: return a.full_name == b.full_name && same_generic_arguments(a, b);
    }
}

} // namespace weft::reflect
