// SPDX-License-Identifier: Apache-2.0
#include "codegen/names.hpp"

#include "core/text.hpp"

namespace weft::codegen {

using core::text;
using reflect::ScalarKind;

std::string address_field(const Operand& operand) {
    return operand.name + "_address";
}

std::string call_stride_field(const Operand& operand, std::size_t dimension) {
    return text(operand.name, "_step", dimension);
}

std::string component_stride_field(const Operand& operand, std::size_t dimension) {
    return text(operand.name, "_inner", dimension);
}

std::string extent_field(const Operand& operand, std::size_t dimension) {
    return text(operand.name, "_extent", dimension);
}

std::string tensor_stride_field(const Operand& operand, std::size_t dimension) {
    return text(operand.name, "_stride", dimension);
}

std::string scalar_field(const Operand& operand, std::size_t component) {
    return text(operand.name, "_", component);
}

std::string dimension_field(std::size_t dimension) {
    return text("weft_dimension", dimension);
}

std::string memory_type(const reflect::Type& leaf) {
    if (leaf.kind != reflect::TypeKind::scalar && leaf.kind != reflect::TypeKind::enumeration) {
        return leaf.full_name;
    }
    return leaf.scalar == ScalarKind::bool_ ? "uint8_t" : std::string(slang_name(leaf.scalar));
}

ScalarKind stored_kind(ScalarKind kind) {
    switch (kind) {
    case ScalarKind::bool_:
    case ScalarKind::uint8:
    case ScalarKind::uint16: return ScalarKind::uint32;
    case ScalarKind::int8:
    case ScalarKind::int16: return ScalarKind::int32;
    case ScalarKind::float16: return ScalarKind::float32;
    default: return kind;
    }
}

} // namespace weft::codegen
