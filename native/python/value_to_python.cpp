// SPDX-License-Identifier: Apache-2.0
#include "python/value_to_python.hpp"

#include "core/error.hpp"
#include "python/vector_values.hpp"
#include "reflect/lowered.hpp"
#include "tensor/half.hpp"

#include <cstring>

namespace weft::python {

namespace py = pybind11;
using reflect::ScalarKind;
using reflect::Type;
using reflect::TypeKind;

namespace {

template <typename T>
T get(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

py::object scalar(ScalarKind kind, const std::byte* at) {
    switch (kind) {
    case ScalarKind::bool_: return py::bool_(get<std::uint8_t>(at) != 0);
    case ScalarKind::int8: return py::int_(get<std::int8_t>(at));
    case ScalarKind::int16: return py::int_(get<std::int16_t>(at));
    case ScalarKind::int32: return py::int_(get<std::int32_t>(at));
    case ScalarKind::int64: return py::int_(get<std::int64_t>(at));
    case ScalarKind::uint8: return py::int_(get<std::uint8_t>(at));
    case ScalarKind::uint16: return py::int_(get<std::uint16_t>(at));
    case ScalarKind::uint32: return py::int_(get<std::uint32_t>(at));
    case ScalarKind::uint64: return py::int_(get<std::uint64_t>(at));
    case ScalarKind::float16: return py::float_(tensor::float_from_half(get<std::uint16_t>(at)));
    case ScalarKind::float32: return py::float_(double{get<float>(at)});
    case ScalarKind::float64: return py::float_(get<double>(at));
    case ScalarKind::void_: break;
    }
    return py::none();
}

/// @param step bytes from one component to the next.
py::tuple components(const Type& type, std::size_t step, const std::byte* at) {
    py::tuple out(type.columns);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = scalar(type.scalar, at + i * step);
    }
    return out;
}

/// Bytes from one array element to the next: values outside structures are packed.
std::size_t packed_size(const Type& type) {
    switch (type.kind) {
    case TypeKind::scalar:
    case TypeKind::enumeration: return size_bytes(type.scalar);
    case TypeKind::vector: return size_bytes(type.scalar) * static_cast<std::size_t>(type.columns);
    case TypeKind::matrix:
        return size_bytes(type.scalar) * static_cast<std::size_t>(type.rows * type.columns);
    case TypeKind::array: return packed_size(*type.element) * static_cast<std::size_t>(type.count);
    default: return type.layout.stride;
    }
}

py::object convert(const Type& type, const std::byte* at, bool in_structure);

/// None or the value of an Optional, a tuple for a Tuple, a dict for any other structure.
py::object convert_structure(const Type& type, const std::byte* at) {
    const auto field_value = [&](const reflect::Field& field) {
        return convert(*field.type, at + field.offset, true);
    };
    if (reflect::is_optional(type)) {
        const bool has_value = get<std::uint8_t>(at + type.fields[1].offset) != 0;
        return has_value ? field_value(type.fields[0]) : py::none();
    }
    if (reflect::is_tuple(type)) {
        py::tuple out(type.fields.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = field_value(type.fields[i]);
        }
        return out;
    }
    py::dict out;
    for (const reflect::Field& field : type.fields) {
        out[py::str(field.name)] = field_value(field);
    }
    return out;
}

py::object convert(const Type& type, const std::byte* at, bool in_structure) {
    const std::size_t scalar_step =
        in_structure && type.element ? type.element->layout.stride : size_bytes(type.scalar);
    switch (type.kind) {
    case TypeKind::scalar:
    case TypeKind::enumeration: return scalar(type.scalar, at);
    case TypeKind::vector: return vector_value(type, components(type, scalar_step, at));
    case TypeKind::matrix: {
        const std::size_t row = in_structure
                                    ? type.layout.size / static_cast<std::size_t>(type.rows)
                                    : scalar_step * static_cast<std::size_t>(type.columns);
        py::tuple out(type.rows);
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = components(type, scalar_step, at + i * row);
        }
        return out;
    }
    case TypeKind::array: {
        const std::size_t step =
            in_structure ? type.element->layout.stride : packed_size(*type.element);
        py::list out;
        for (std::int64_t i = 0; i < type.count; ++i) {
            out.append(
                convert(*type.element, at + static_cast<std::size_t>(i) * step, in_structure));
        }
        return out;
    }
    case TypeKind::structure: return convert_structure(type, at);
    default:
        throw core::InternalError("value_to_python: a value of type '" + type.full_name +
                                  "' was returned");
    }
}

} // namespace

py::object value_to_python(const Type& type, std::span<const std::byte> bytes) {
    return convert(type, bytes.data(), false);
}

} // namespace weft::python
