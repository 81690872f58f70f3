// SPDX-License-Identifier: Apache-2.0
#include "python/numpy_values.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/host_array.hpp"
#include "tensor/array_layout.hpp"
#include "tensor/convert.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <pybind11/stl.h>
#include <string>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::shape_text;
using core::text;
using reflect::ScalarKind;
using reflect::Type;
using reflect::TypeKind;
using Shape = std::vector<std::int64_t>;

namespace {

std::int64_t product(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// Dimensions that the scalars of one vector, matrix or array of these add, with their byte strides.
void append_inner(const Type& type, Shape& shape, Shape& strides) {
    const Shape inner = reflect::element_shape(type);
    const auto leaf_bytes = static_cast<std::int64_t>(reflect::leaf(type).layout.stride);
    const Shape inner_strides = tensor::contiguous_strides(inner);
    for (std::size_t i = 0; i < inner.size(); ++i) {
        shape.push_back(inner[i]);
        strides.push_back(inner_strides[i] * leaf_bytes);
    }
}

ScalarKind leaf_kind(const Type& leaf) {
    return leaf.kind == TypeKind::pointer ? ScalarKind::uint64 : leaf.scalar;
}

/// Where values go: `shape` places with byte strides.
struct Places {
    std::byte* data;
    Shape shape;
    Shape strides;
};

/// Stores Python values of any form in host elements.
class Store {
public:
    Store(std::string_view context, bool broadcasts_numbers)
        : m_context(context), m_broadcasts_numbers(broadcasts_numbers) {}

    void store(py::handle values, const Type& type, Places places, const std::string& path) const {
        const Type& leaf = reflect::leaf(type);
        append_inner(type, places.shape, places.strides);
        if (leaf.kind != TypeKind::structure) {
            store_numbers(to_array(values, place_text(path)), leaf_kind(leaf), places, path);
        } else if (PyDict_Check(values.ptr())) {
            store_fields(values, py::reinterpret_borrow<py::dict>(values).attr("keys")(), leaf,
                         places, path);
        } else {
            store_structures(to_array(values, place_text(path)), leaf, places, path);
        }
    }

private:
    std::string place_text(const std::string& path) const {
        return path.empty() ? std::string(m_context) : text(m_context, ", field '", path, "'");
    }

    void store_numbers(const py::array& array, ScalarKind kind, const Places& places,
                       const std::string& path) const {
        const std::string context = place_text(path);
        const NumberArray numbers(array, context);
        tensor::HostSource source = numbers.source();
        Shape strides = matching_strides(numbers, places, context);
        source.shape = places.shape;
        source.strides = strides;
        tensor::convert(source, {.data = places.data, .kind = kind, .strides = places.strides},
                        context);
    }

    /// Byte strides that read `numbers` in the shape of the places.
    Shape matching_strides(const NumberArray& numbers, const Places& places,
                           const std::string& context) const {
        const std::span<const std::int64_t> strides = numbers.source().strides;
        if (numbers.shape() == places.shape) {
            return {strides.begin(), strides.end()};
        }
        if (m_broadcasts_numbers && numbers.shape().empty()) {
            return Shape(places.shape.size(), 0);
        }
        if (numbers.shape().size() == 1 && numbers.shape()[0] == product(places.shape)) {
            Shape flat = tensor::contiguous_strides(places.shape);
            for (std::int64_t& stride : flat) {
                stride *= strides[0];
            }
            return flat;
        }
        throw ArgumentError(text(context, " has shape ", shape_text(numbers.shape()),
                                 difference(numbers.shape(), places.shape), ", ",
                                 shape_text(places.shape), " is expected; reshape it (",
                                 product(places.shape),
                                 " numbers in one dimension are taken too)"));
    }

    static std::string difference(const Shape& got, const Shape& expected) {
        if (got.size() != expected.size()) {
            return "";
        }
        for (std::size_t axis = 0; axis < got.size(); ++axis) {
            if (got[axis] != expected[axis]) {
                return text(" (axis ", axis, " is ", got[axis], " instead of ", expected[axis],
                            ")");
            }
        }
        return "";
    }

    void store_structures(const py::array& array, const Type& type, Places places,
                          const std::string& path) const {
        const py::object names = array.dtype().attr("names");
        if (!names.is_none()) {
            const Shape shape(array.shape(), array.shape() + array.ndim());
            if (shape != places.shape) {
                throw ArgumentError(text(place_text(path), " has shape ", shape_text(shape),
                                         difference(shape, places.shape), ", ",
                                         shape_text(places.shape), " is expected; reshape it"));
            }
            return store_fields(array, names, type, places, path);
        }
        const auto scalars = tensor::uniform_scalars(std::make_shared<const Type>(type));
        if (!scalars) {
            throw ArgumentError(
                text(place_text(path), " is an array of ",
                     py::str(array.dtype()).cast<std::string>(), ", ", tensor::display_name(type),
                     " mixes scalar kinds; pass a dict or a numpy array with its fields ",
                     field_list(type)),
                ArgumentError::Kind::type);
        }
        places.shape.push_back(scalars->count);
        places.strides.push_back(static_cast<std::int64_t>(scalars->scalar->layout.stride));
        store_numbers(array, leaf_kind(*scalars->scalar), places, path);
    }

    /// @param container indexable by field name. @param names what it holds.
    void store_fields(py::handle container, const py::object& names, const Type& type,
                      const Places& places, const std::string& path) const {
        check_names(names, type, path);
        for (const reflect::Field& field : type.fields) {
            const Places inner{places.data + field.offset, places.shape, places.strides};
            const std::string inner_path = path.empty() ? field.name : path + "." + field.name;
            store(container[py::str(field.name)], *field.type, inner, inner_path);
        }
    }

    void check_names(const py::object& names, const Type& type, const std::string& path) const {
        const auto given = py::list(names);
        for (const reflect::Field& field : type.fields) {
            if (!given.contains(field.name)) {
                throw ArgumentError(text(place_text(path), " has no field '", field.name, "'; ",
                                         tensor::display_name(type), " has ", field_list(type)));
            }
        }
        for (const py::handle name : given) {
            const auto key = py::str(name).cast<std::string>();
            if (!has_field(type, key) && key != "_type") {
                throw ArgumentError(text(place_text(path), " has a field '", key, "'; ",
                                         tensor::display_name(type), " has ", field_list(type)));
            }
        }
    }

    static bool has_field(const Type& type, const std::string& name) {
        return std::any_of(type.fields.begin(), type.fields.end(),
                           [&](const reflect::Field& field) { return field.name == name; });
    }

    static std::string field_list(const Type& type) {
        std::vector<std::string> names;
        names.reserve(type.fields.size());
        for (const reflect::Field& field : type.fields) {
            names.push_back("'" + field.name + "'");
        }
        return core::join(names, ", ");
    }

    std::string_view m_context;
    bool m_broadcasts_numbers;
};

/// A contiguous numpy array of the very scalars and shape: its bytes are host bytes.
bool has_host_form(py::handle values, const ElementArray& elements) {
    const Type& leaf = reflect::leaf(*elements.type);
    if (!is_numpy_array(values) || leaf.kind == TypeKind::structure ||
        leaf_kind(leaf) == ScalarKind::bool_) {
        return false; // numpy's bool memory may hold other bytes than 0 and 1
    }
    const auto array = py::reinterpret_borrow<py::array>(values);
    Shape shape = elements.shape;
    const Shape inner = reflect::element_shape(*elements.type);
    shape.insert(shape.end(), inner.begin(), inner.end());
    const bool is_packed = (array.flags() & py::array::c_style) != 0;
    return is_packed && has_native_order(array.dtype()) &&
           scalar_kind(array.dtype()) == leaf_kind(leaf) &&
           std::equal(shape.begin(), shape.end(), array.shape(), array.shape() + array.ndim());
}

std::vector<std::byte> stored(py::handle values, const ElementArray& elements, const Store& store) {
    const reflect::TypeRef type = tensor::with_rules(elements.type, reflect::LayoutRules::host);
    const auto stride = static_cast<std::int64_t>(type->layout.stride);
    std::vector<std::byte> bytes(static_cast<std::size_t>(product(elements.shape) * stride));
    Shape strides = tensor::contiguous_strides(elements.shape);
    for (std::int64_t& entry : strides) {
        entry *= stride;
    }
    store.store(values, *type, {bytes.data(), elements.shape, std::move(strides)}, "");
    return bytes;
}

} // namespace

HostBytes host_bytes(py::handle values, const ElementArray& elements, std::string_view context) {
    HostBytes result;
    if (has_host_form(values, elements)) {
        auto array = py::reinterpret_borrow<py::array>(values);
        result.bytes = {static_cast<const std::byte*>(array.data()),
                        static_cast<std::size_t>(array.nbytes())};
        result.owner = std::move(array);
    } else {
        result.copy = stored(values, elements, Store(context, false));
        result.bytes = result.copy;
    }
    return result;
}

std::vector<std::byte> host_element(py::handle value, const reflect::TypeRef& type,
                                    std::string_view context) {
    return stored(value, {.type = type, .shape = {}}, Store(context, true));
}

py::dtype numpy_dtype(const Type& host_type) {
    const Type& leaf = reflect::leaf(host_type);
    if (leaf.kind != TypeKind::structure) {
        return py::dtype(std::string(reflect::numpy_name(leaf_kind(leaf))));
    }
    py::list names, formats, offsets;
    for (const reflect::Field& field : leaf.fields) {
        names.append(field.name);
        formats.append(py::make_tuple(numpy_dtype(*field.type),
                                      py::tuple(py::cast(reflect::element_shape(*field.type)))));
        offsets.append(field.offset);
    }
    py::dict spec;
    spec["names"] = names;
    spec["formats"] = formats;
    spec["offsets"] = offsets;
    spec["itemsize"] = leaf.layout.stride;
    return py::dtype::from_args(spec);
}

py::array empty_array(const ElementArray& elements) {
    Shape shape = elements.shape;
    const Shape inner = reflect::element_shape(*elements.type);
    shape.insert(shape.end(), inner.begin(), inner.end());
    return {numpy_dtype(*elements.type), shape};
}

} // namespace weft::python
