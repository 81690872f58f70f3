// SPDX-License-Identifier: Apache-2.0
// What automatic differentiation makes of a type.
#pragma once

#include "reflect/type.hpp"

namespace weft::reflect {

/// The field has a part in the differential of its structure.
[[nodiscard]] bool is_differentiable(const Field& field) noexcept;

/// Values of this type have derivatives: floats, their vectors, matrices and arrays, and structures that conform to
/// IDifferentiable.
[[nodiscard]] bool is_differentiable(const Type& type) noexcept;

/// Slang's `T.Differential`: the type itself for floats, their vectors and matrices and for structures that are
/// their own differential; else the structure of the differentials of the differentiable fields, under their
/// names. Laid out by `rules`. Null if the type has no derivatives.
[[nodiscard]] TypeRef differential_type(const TypeRef& type, LayoutRules rules);

/// T of Slang's `DifferentialPair<T>`; null for any other type.
[[nodiscard]] TypeRef pair_value_type(const Type& type) noexcept;

} // namespace weft::reflect
