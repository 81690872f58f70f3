// SPDX-License-Identifier: Apache-2.0
// Values of any element type between Python and host bytes (see tensor/host_format.hpp).
#pragma once

#include "reflect/type.hpp"

#include <cstddef>
#include <cstdint>
#include <pybind11/numpy.h>
#include <span>
#include <string_view>
#include <vector>

namespace weft::python {

/// Row-major elements, `shape` of them.
struct ElementArray {
    reflect::TypeRef type;
    std::vector<std::int64_t> shape;
};

/// Host bytes of values: their own memory where that has the right form, else a converted copy.
struct HostBytes {
    std::span<const std::byte> bytes;
    std::vector<std::byte> copy;
    pybind11::object owner; ///< of memory that is not copied; released under the interpreter lock
};

/// Host bytes of `values`:
/// - scalars, vectors, matrices, arrays: an array of the shape, the element's own dimensions appended,
///   or a one-dimensional array of as many numbers;
/// - structures: a dict of such values by field, a numpy array with these fields, or, if all scalars are
///   of one kind, an array of them as for vectors.
/// @param context begins messages: "from_numpy: argument 'array'".
/// @throws ArgumentError with the axis, field or element at fault.
[[nodiscard]] HostBytes host_bytes(pybind11::handle values, const ElementArray& elements,
                                   std::string_view context);

/// The same for one element; a single number stands for all scalars of a vector, matrix or array.
[[nodiscard]] std::vector<std::byte>
host_element(pybind11::handle value, const reflect::TypeRef& type, std::string_view context);

/// The numpy dtype of the leaves of a host type: "f4" for float3, a structured dtype for structures.
[[nodiscard]] pybind11::dtype numpy_dtype(const reflect::Type& host_type);

/// An uninitialised numpy array that holds such elements: shape, then the element's own dimensions.
[[nodiscard]] pybind11::array empty_array(const ElementArray& elements);

} // namespace weft::python
