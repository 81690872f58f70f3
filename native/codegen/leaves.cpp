// SPDX-License-Identifier: Apache-2.0
#include "codegen/leaves.hpp"

#include "core/text.hpp"

namespace weft::codegen {

using reflect::ScalarKind;
using reflect::Type;
using reflect::TypeKind;

namespace {

bool append_leaves(const Type& type, const std::string& path, std::size_t offset,
                   std::vector<ScalarLeaf>& out);

bool append_components(const Type& type, const std::string& path, std::size_t offset,
                       std::vector<ScalarLeaf>& out) {
    const bool is_matrix = type.kind == TypeKind::matrix;
    const std::int32_t rows = is_matrix ? type.rows : 1;
    const reflect::Layout& scalar = type.element->layout;
    const std::size_t pitch = type.layout.size / static_cast<std::size_t>(rows);
    for (std::int32_t row = 0; row < rows; ++row) {
        for (std::int32_t column = 0; column < type.columns; ++column) {
            const std::string prefix = is_matrix ? core::text("[", row, "]") : "";
            out.push_back({path + prefix + core::text("[", column, "]"), type.scalar,
                           offset + static_cast<std::size_t>(row) * pitch +
                               static_cast<std::size_t>(column) * scalar.stride,
                           scalar.size, ""});
        }
    }
    return true;
}

bool append_array(const Type& type, const std::string& path, std::size_t offset,
                  std::vector<ScalarLeaf>& out) {
    if (type.count <= 0 || type.count > 4096) {
        return false;
    }
    const std::size_t stride = type.element->layout.stride;
    for (std::int64_t i = 0; i < type.count; ++i) {
        if (!append_leaves(*type.element, path + core::text("[", i, "]"),
                           offset + static_cast<std::size_t>(i) * stride, out)) {
            return false;
        }
    }
    return true;
}

bool append_leaves(const Type& type, const std::string& path, std::size_t offset,
                   std::vector<ScalarLeaf>& out) {
    switch (type.kind) {
    case TypeKind::scalar:
        out.push_back({path, type.scalar, offset, type.layout.size, ""});
        return type.scalar != ScalarKind::void_;
    case TypeKind::enumeration:
        out.push_back({path, type.scalar, offset, type.layout.size, type.full_name});
        return true;
    case TypeKind::vector:
    case TypeKind::matrix: return append_components(type, path, offset, out);
    case TypeKind::array: return append_array(type, path, offset, out);
    case TypeKind::structure:
        for (const reflect::Field& field : type.fields) {
            if (!append_leaves(*field.type, path + "." + field.name, offset + field.offset, out)) {
                return false;
            }
        }
        return true;
    default: return false;
    }
}

} // namespace

std::optional<std::vector<ScalarLeaf>> scalar_leaves(const Type& type) {
    std::vector<ScalarLeaf> out;
    if (!append_leaves(type, "", 0, out)) {
        return std::nullopt;
    }
    return out;
}

std::optional<std::int64_t> word_count(const Type& type) {
    const auto leaves = scalar_leaves(type);
    if (!leaves || leaves->empty()) {
        return std::nullopt;
    }
    std::size_t expected = 0;
    for (const ScalarLeaf& leaf : *leaves) {
        if (reflect::size_bytes(leaf.kind) != 4 || leaf.offset != expected) {
            return std::nullopt;
        }
        expected += 4;
    }
    const bool is_structure = type.kind == TypeKind::structure;
    if (is_structure && type.layout.stride != expected) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(leaves->size());
}

} // namespace weft::codegen
