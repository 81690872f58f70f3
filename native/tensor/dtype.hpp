// SPDX-License-Identifier: Apache-2.0
// Element types: their names, their layout on a device, what they are made of.
#pragma once

#include "core/hash.hpp"
#include "device/device.hpp"
#include "reflect/type.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace weft::tensor {

/// `type` laid out by `rules`, fields included; the same object if that changes nothing.
[[nodiscard]] reflect::TypeRef with_rules(const reflect::TypeRef& type, reflect::LayoutRules rules);

/// How a tensor's elements lie in memory: scalars, vectors, matrices and arrays of them are packed scalars
/// on every device (bool takes 1 byte), structures follow `rules`, Device::layout_rules().
[[nodiscard]] reflect::TypeRef storage_type(const reflect::TypeRef& type,
                                            reflect::LayoutRules rules);

/// As a user writes it: "float3", "half2x2", "float[4]", "Pixel".
[[nodiscard]] std::string display_name(const reflect::Type& type);

/// The type that a Slang or numpy spelling names: "float", "float32", "uint8_t", "float3", "int32x2",
/// "half4x4", "vector<float,3>", "matrix<float,2,3>", and arrays of these, "float3[2]"; in SPIR-V
/// rules. Null for any other text.
[[nodiscard]] reflect::TypeRef parse_dtype(std::string_view name);

/// The spellings that parse_dtype knows for scalars, for suggestions.
[[nodiscard]] std::vector<std::string> scalar_names();

/// Equal for two types only if kinds, names, fields and layouts are.
[[nodiscard]] core::Hash128 dtype_hash(const reflect::Type& type);

/// @throws ArgumentError{type} if `type` is null or values of it cannot lie in memory: void, an
///         interface, a resource, an unsized array, an unbound generic.
void require_storable(const reflect::Type* type);

/// An element that is nothing but `count` scalars of one kind, `stride` scalars from element to element.
struct UniformScalars {
    reflect::TypeRef scalar;
    std::int64_t count = 1;
    std::int64_t stride = 1;
};

/// nullopt if the scalars differ in kind, have gaps between them or are bools of more than one byte.
[[nodiscard]] std::optional<UniformScalars> uniform_scalars(const reflect::TypeRef& type);

} // namespace weft::tensor
