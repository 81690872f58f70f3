// SPDX-License-Identifier: Apache-2.0
#include "tensor/dtype.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "reflect/layout.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>
#include <string>
#include <utility>

namespace weft::tensor {

namespace {

using core::text;
using reflect::Layout;
using reflect::LayoutRules;
using reflect::ScalarKind;
using reflect::Type;
using reflect::TypeKind;
using reflect::TypeRef;

constexpr std::array kStorableScalars = {
    ScalarKind::bool_,  ScalarKind::int8,    ScalarKind::int16,   ScalarKind::int32,
    ScalarKind::int64,  ScalarKind::uint8,   ScalarKind::uint16,  ScalarKind::uint32,
    ScalarKind::uint64, ScalarKind::float16, ScalarKind::float32, ScalarKind::float64};

bool same_layout(const Layout& a, const Layout& b) noexcept {
    return a.size == b.size && a.alignment == b.alignment && a.stride == b.stride;
}

Type replace_fields(const Type& type, LayoutRules rules) {
    Type result = type;
    for (reflect::Field& field : result.fields) {
        field.type = with_rules(field.type, rules);
    }
    result.layout = reflect::place_fields(result.fields, rules);
    return result;
}

bool same_fields(const Type& a, const Type& b) {
    return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                      [](const reflect::Field& x, const reflect::Field& y) {
                          return x.type == y.type && x.offset == y.offset;
                      });
}

Type relaid(const Type& type, LayoutRules rules) {
    Type result = type;
    if (type.element) {
        result.element = with_rules(type.element, rules);
    }
    switch (type.kind) {
    case TypeKind::scalar:
    case TypeKind::enumeration: result.layout = reflect::scalar_layout(type.scalar, rules); break;
    case TypeKind::vector:
        result.layout = reflect::vector_layout(type.scalar, type.columns, rules);
        break;
    case TypeKind::matrix:
        result.layout = reflect::matrix_layout(type.scalar, type.rows, type.columns, rules);
        break;
    case TypeKind::array:
        result.layout = reflect::array_layout(result.element->layout, type.count);
        break;
    default: break;
    }
    return result;
}

/// Reads an integer that is all of `digits`; 0 if it is none.
std::int32_t whole_number(std::string_view digits) {
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size() ? value : 0;
}

std::optional<ScalarKind> scalar_of(std::string_view name) {
    for (const ScalarKind kind : kStorableScalars) {
        if (name == reflect::slang_name(kind) || name == reflect::numpy_name(kind)) {
            return kind;
        }
    }
    return std::nullopt;
}

TypeRef vector_or_null(ScalarKind kind, std::int32_t length) {
    return length >= 1 && length <= 4 ? reflect::vector_type(kind, length) : nullptr;
}

TypeRef matrix_or_null(ScalarKind kind, std::int32_t rows, std::int32_t columns) {
    const bool is_valid = rows >= 1 && rows <= 4 && columns >= 1 && columns <= 4;
    return is_valid ? reflect::matrix_type(kind, rows, columns) : nullptr;
}

/// "3" of "float3", "x3" of "int32x3", "4x4" of "float4x4", "x4x4" of "float32x4x4".
TypeRef parse_suffix(ScalarKind kind, std::string_view suffix) {
    if (suffix.starts_with('x')) {
        suffix.remove_prefix(1);
    }
    const std::size_t cross = suffix.find('x');
    if (cross == std::string_view::npos) {
        return vector_or_null(kind, whole_number(suffix));
    }
    return matrix_or_null(kind, whole_number(suffix.substr(0, cross)),
                          whole_number(suffix.substr(cross + 1)));
}

/// "vector<float,3>" and "matrix<float,2,3>".
TypeRef parse_template(std::string_view name) {
    const std::size_t open = name.find('<');
    if (open == std::string_view::npos || !name.ends_with('>')) {
        return nullptr;
    }
    const std::string_view head = name.substr(0, open);
    const std::string_view inside = name.substr(open + 1, name.size() - open - 2);
    const std::size_t first = inside.find(',');
    const std::size_t last = inside.rfind(',');
    const std::optional<ScalarKind> kind = scalar_of(inside.substr(0, first));
    if (!kind || first == std::string_view::npos) {
        return nullptr;
    }
    const std::int32_t columns = whole_number(inside.substr(last + 1));
    if (head == "vector" && first == last) {
        return vector_or_null(*kind, columns);
    }
    const std::int32_t rows =
        first == last ? 0 : whole_number(inside.substr(first + 1, last - first - 1));
    return head == "matrix" ? matrix_or_null(*kind, rows, columns) : nullptr;
}

/// The longest scalar name that starts `name`, then its suffix: "uint8_t4" is uint8_t, not uint with "8_t4".
TypeRef parse_builtin(std::string_view name) {
    if (const std::optional<ScalarKind> kind = scalar_of(name)) {
        return reflect::scalar_type(*kind);
    }
    for (std::size_t length = name.size(); length-- > 1;) {
        if (const std::optional<ScalarKind> kind = scalar_of(name.substr(0, length))) {
            return parse_suffix(*kind, name.substr(length));
        }
    }
    return nullptr;
}

TypeRef parse_array(std::string_view name) {
    // "float[2][3]" is two times float[3], so the first brackets are the outermost dimension.
    const std::size_t open = name.find('[');
    const std::size_t close = name.find(']', open);
    if (close == std::string_view::npos) {
        return nullptr;
    }
    const std::int32_t count = whole_number(name.substr(open + 1, close - open - 1));
    const TypeRef element =
        parse_dtype(std::string(name.substr(0, open)) + std::string(name.substr(close + 1)));
    return element && count > 0 ? reflect::array_type(element, count) : nullptr;
}

bool is_storable(const Type& type) {
    switch (type.kind) {
    case TypeKind::scalar:
    case TypeKind::enumeration: return type.scalar != ScalarKind::void_;
    case TypeKind::vector: return type.columns > 0;
    case TypeKind::matrix: return type.rows > 0 && type.columns > 0;
    case TypeKind::array: return type.count > 0 && type.element && is_storable(*type.element);
    case TypeKind::structure:
        return type.layout.stride > 0 &&
               std::all_of(type.fields.begin(), type.fields.end(),
                           [](const reflect::Field& field) { return is_storable(*field.type); });
    case TypeKind::pointer: return true;
    default: return false;
    }
}

void add_to(core::Hasher& hasher, const Type& type) {
    hasher.add(type.kind).add(type.scalar).add(type.rows).add(type.columns).add(type.count);
    hasher.add(type.full_name).add(type.layout.size).add(type.layout.stride);
    if (type.element && type.kind != TypeKind::pointer) {
        add_to(hasher, *type.element);
    }
    hasher.add(type.fields.size());
    for (const reflect::Field& field : type.fields) {
        hasher.add(field.name).add(field.offset);
        add_to(hasher, *field.type);
    }
}

/// Collects scalars that follow each other without a gap.
struct ScalarCollector {
    TypeRef scalar;
    std::int64_t count = 0;
    std::size_t end = 0; ///< bytes after the last scalar
    bool is_uniform = true;

    void add(const TypeRef& type, std::size_t offset) {
        switch (type->kind) {
        case TypeKind::vector:
            repeat(type->element, type->columns, offset, type->element->layout.stride);
            break;
        case TypeKind::matrix:
            for (std::int32_t row = 0; row < type->rows; ++row) {
                const std::size_t pitch = type->layout.size / static_cast<std::size_t>(type->rows);
                repeat(type->element, type->columns, offset + static_cast<std::size_t>(row) * pitch,
                       type->element->layout.stride);
            }
            break;
        case TypeKind::array:
            repeat(type->element, type->count, offset, type->element->layout.stride);
            break;
        case TypeKind::structure:
            for (const reflect::Field& field : type->fields) {
                add(field.type, offset + field.offset);
            }
            break;
        default: add_scalar(type, offset);
        }
    }

private:
    void repeat(const TypeRef& element, std::int64_t times, std::size_t offset, std::size_t pitch) {
        for (std::int64_t i = 0; i < times && is_uniform; ++i) {
            add(element, offset + static_cast<std::size_t>(i) * pitch);
        }
    }
    void add_scalar(const TypeRef& type, std::size_t offset) {
        scalar = scalar ? scalar : type;
        is_uniform = is_uniform && type->kind != TypeKind::pointer &&
                     type->scalar == scalar->scalar && offset == end &&
                     type->layout.stride == reflect::size_bytes(type->scalar);
        end = offset + type->layout.stride;
        ++count;
    }
};

} // namespace

TypeRef with_rules(const TypeRef& type, LayoutRules rules) {
    if (type->kind == TypeKind::pointer) {
        return type;
    }
    Type result =
        type->kind == TypeKind::structure ? replace_fields(*type, rules) : relaid(*type, rules);
    const bool is_same = same_layout(result.layout, type->layout) &&
                         result.element == type->element && same_fields(result, *type);
    return is_same ? type : std::make_shared<const Type>(std::move(result));
}

TypeRef storage_type(const TypeRef& type, LayoutRules rules) {
    const bool is_packed = reflect::leaf(*type).kind != TypeKind::structure;
    return with_rules(type, is_packed ? LayoutRules::host : rules);
}

namespace {

/// "vector<float,3>" within a longer name as users write it: "float3".
std::string short_name(const std::string& full_name) {
    static const std::regex vectors(
        R"((vector|matrix)<(bool|half|float|double|u?int(?:(?:8|16|64)_t)?), ?(\d)(?:, ?(\d))?>)");
    std::string result;
    auto rest = full_name.cbegin();
    for (std::sregex_iterator it(full_name.cbegin(), full_name.cend(), vectors), end; it != end;
         ++it) {
        const std::smatch& match = *it;
        result.append(rest, match[0].first);
        result += match[2].str() + match[3].str();
        result += match[4].matched ? "x" + match[4].str() : "";
        rest = match[0].second;
    }
    return result.append(rest, full_name.cend());
}

bool is_generic(const Type& type) {
    return !type.count_parameter.empty() || !type.row_parameter.empty() ||
           (type.kind == TypeKind::vector && type.columns <= 0);
}

} // namespace

std::string display_name(const Type& type) {
    if (is_generic(type)) {
        return short_name(type.full_name);
    }
    switch (type.kind) {
    case TypeKind::scalar: return std::string(reflect::slang_name(type.scalar));
    case TypeKind::vector: return text(reflect::slang_name(type.scalar), type.columns);
    case TypeKind::matrix:
        return text(reflect::slang_name(type.scalar), type.rows, 'x', type.columns);
    case TypeKind::array: {
        std::string dimensions;
        const Type* current = &type;
        for (; current->kind == TypeKind::array; current = current->element.get()) {
            dimensions += current->count == 0 ? "[]" : text('[', current->count, ']');
        }
        return display_name(*current) + dimensions;
    }
    default: return short_name(type.full_name.empty() ? type.name : type.full_name);
    }
}

TypeRef parse_dtype(std::string_view name) {
    std::string compact(name);
    compact.erase(std::remove(compact.begin(), compact.end(), ' '), compact.end());
    if (compact.find('[') != std::string::npos) {
        return parse_array(compact);
    }
    return compact.find('<') != std::string::npos ? parse_template(compact)
                                                  : parse_builtin(compact);
}

std::vector<std::string> scalar_names() {
    std::vector<std::string> names;
    for (const ScalarKind kind : kStorableScalars) {
        names.emplace_back(reflect::slang_name(kind));
        names.emplace_back(reflect::numpy_name(kind));
    }
    return names;
}

core::Hash128 dtype_hash(const Type& type) {
    core::Hasher hasher;
    add_to(hasher, type);
    return hasher.finish();
}

void require_storable(const Type* type) {
    if (type == nullptr || !is_storable(*type)) {
        throw core::ArgumentError(
            text("Tensor: dtype must be a type whose values can lie in memory, got ",
                 type == nullptr ? "none" : display_name(*type),
                 "; pass for example float32, float3 or a structure without resources"),
            core::ArgumentError::Kind::type);
    }
}

std::optional<UniformScalars> uniform_scalars(const TypeRef& type) {
    ScalarCollector collector;
    collector.add(type, 0);
    if (!collector.is_uniform || !collector.scalar) {
        return std::nullopt;
    }
    const std::size_t scalar_bytes = collector.scalar->layout.stride;
    if (type->layout.stride % scalar_bytes != 0) {
        return std::nullopt;
    }
    return UniformScalars{.scalar = collector.scalar,
                          .count = collector.count,
                          .stride = static_cast<std::int64_t>(type->layout.stride / scalar_bytes)};
}

} // namespace weft::tensor
