// SPDX-License-Identifier: Apache-2.0
#include "reflect/differential.hpp"

#include "reflect/layout.hpp"

namespace weft::reflect {

bool is_differentiable(const Field& field) noexcept {
    return !field.is_no_diff && is_differentiable(*field.type);
}

bool is_differentiable(const Type& type) noexcept {
    switch (type.kind) {
    case TypeKind::scalar:
    case TypeKind::vector:
    case TypeKind::matrix: return is_float(type.scalar);
    case TypeKind::array: return type.element && is_differentiable(*type.element);
    case TypeKind::structure: return type.is_differentiable;
    default: return false;
    }
}

TypeRef differential_type(const TypeRef& type, LayoutRules rules) {
    if (!is_differentiable(*type)) {
        return nullptr;
    }
    if (type->kind == TypeKind::array) {
        return array_type(differential_type(type->element, rules), type->count);
    }
    if (type->kind != TypeKind::structure || type->differential == type->full_name) {
        return type;
    }
    auto result = std::make_shared<Type>();
    result->kind = TypeKind::structure;
    result->name = result->full_name = result->differential = type->differential;
    result->is_differentiable = true;
    for (const Field& field : type->fields) {
        if (is_differentiable(field)) {
            result->fields.push_back({.name = field.name,
                                      .type = differential_type(field.type, rules),
                                      .offset = 0,
                                      .attributes = {},
                                      .documentation = {}});
        }
    }
    result->layout = place_fields(result->fields, rules);
    return result;
}

TypeRef pair_value_type(const Type& type) noexcept {
    const bool is_pair = type.kind == TypeKind::structure && type.name == "DifferentialPair" &&
                         type.generic_arguments.size() == 1;
    return is_pair ? type.generic_arguments.front() : nullptr;
}

} // namespace weft::reflect
