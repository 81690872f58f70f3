// SPDX-License-Identifier: Apache-2.0
#include "python/host_array.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/foreign_array.hpp"
#include "python/interpreter_lock.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;
using reflect::ScalarKind;

namespace {

ScalarKind kind_of(char kind, py::ssize_t size) {
    switch (kind) {
    case 'b': return ScalarKind::bool_;
    case 'f':
        return size == 2   ? ScalarKind::float16
               : size == 4 ? ScalarKind::float32
               : size == 8 ? ScalarKind::float64
                           : ScalarKind::void_;
    case 'i':
        return size == 1   ? ScalarKind::int8
               : size == 2 ? ScalarKind::int16
               : size == 4 ? ScalarKind::int32
                           : ScalarKind::int64;
    case 'u':
        return size == 1   ? ScalarKind::uint8
               : size == 2 ? ScalarKind::uint16
               : size == 4 ? ScalarKind::uint32
                           : ScalarKind::uint64;
    default: return ScalarKind::void_;
    }
}

py::array in_native_order(py::array array) {
    if (has_native_order(array.dtype())) {
        return array;
    }
    return array.attr("astype")(array.dtype().attr("newbyteorder")("="));
}

// More than an array can have dimensions: a list may hold itself, which numpy then says.
constexpr int kDeepest = 64;

/// Lists as they are now: numpy does not survive entries that change the list that it reads.
py::object snapshot(py::handle values, int depth) {
    if (depth == kDeepest || (!PyList_Check(values.ptr()) && !PyTuple_Check(values.ptr()))) {
        return py::reinterpret_borrow<py::object>(values);
    }
    py::list copy = py::reinterpret_steal<py::list>(
        PyList_Check(values.ptr()) ? PyList_GetSlice(values.ptr(), 0, PY_SSIZE_T_MAX)
                                   : PySequence_List(values.ptr()));
    if (!copy) {
        throw py::error_already_set();
    }
    for (std::size_t i = 0; i < copy.size(); ++i) {
        const py::handle entry(PyList_GET_ITEM(copy.ptr(), static_cast<Py_ssize_t>(i)));
        if (PyList_Check(entry.ptr()) || PyTuple_Check(entry.ptr())) {
            copy[i] = snapshot(entry, depth + 1);
        }
    }
    return copy;
}

/// numpy.ma is written in Python: its class has no qualified name as those of extensions do.
bool is_masked(py::handle value) {
    const PyObject* const bases = Py_TYPE(value.ptr())->tp_mro;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
        const auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i));
        if (std::string_view(base->tp_name) == "MaskedArray") {
            return true;
        }
    }
    return false;
}

} // namespace

bool has_attribute(py::handle value, const char* name) noexcept {
    // PyObject_HasAttr reports errors of the object from 3.13 on, as if they had been lost.
    PyObject* const found = PyObject_GetAttrString(value.ptr(), name);
    if (found == nullptr) {
        PyErr_Clear();
        return false;
    }
    Py_DECREF(found);
    return true;
}

bool has_base(py::handle value, std::string_view name) noexcept {
    const PyObject* const bases = Py_TYPE(value.ptr())->tp_mro;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
        const auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i));
        const bool is_of_an_extension = (base->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0;
        if (is_of_an_extension && std::string_view(base->tp_name) == name) {
            return true;
        }
    }
    return false;
}

bool is_numpy_array(py::handle value) noexcept {
    return has_base(value, "numpy.ndarray");
}

void require_unmasked(py::handle value, std::string_view context) {
    if (is_numpy_array(value) && is_masked(value)) {
        throw ArgumentError(text(context, " is a masked array, whose mask would be lost; pass "
                                          "array.filled(value), or array.data for all elements"),
                            ArgumentError::Kind::type);
    }
    if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
        for (const py::handle entry : value) {
            if (PyFloat_Check(entry.ptr()) == 0 && PyLong_Check(entry.ptr()) == 0) {
                require_unmasked(entry, context);
            }
        }
    }
}

ScalarKind scalar_kind(const py::dtype& dtype) {
    return kind_of(dtype.kind(), dtype.itemsize());
}

bool has_native_order(const py::dtype& dtype) {
    return dtype.byteorder() != (std::endian::native == std::endian::little ? '>' : '<');
}

bool shares_elements(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                     std::int64_t item_bytes) {
    std::vector<std::pair<std::int64_t, std::int64_t>> axes; // stride, extent
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0) {
            return false;
        }
        if (shape[i] > 1) {
            axes.emplace_back(std::abs(strides[i]), shape[i]);
        }
    }
    std::ranges::sort(axes);
    std::int64_t span = item_bytes;
    for (const auto& [stride, extent] : axes) {
        if (stride < span) {
            return true;
        }
        span += (extent - 1) * stride;
    }
    return false;
}

std::span<std::byte> extent_of(std::byte* data, std::span<const std::int64_t> shape,
                               std::span<const std::int64_t> strides,
                               std::int64_t item_bytes) noexcept {
    std::int64_t low = 0;
    std::int64_t high = item_bytes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0) {
            return {};
        }
        const std::int64_t offset = (shape[i] - 1) * strides[i];
        (offset < 0 ? low : high) += offset;
    }
    return {data + low, static_cast<std::size_t>(high - low)};
}

bool is_row_major(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                  std::int64_t item_bytes) noexcept {
    std::int64_t expected = item_bytes;
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] != 1 && strides[i] != expected) {
            return false;
        }
        expected *= shape[i];
    }
    return true;
}

NumberArray::NumberArray(py::array array, std::string_view context)
    : m_array(in_native_order(std::move(array))), m_kind(scalar_kind(m_array.dtype())),
      m_shape(m_array.shape(), m_array.shape() + m_array.ndim()),
      m_strides(m_array.strides(), m_array.strides() + m_array.ndim()) {
    if (m_kind == ScalarKind::void_) {
        throw ArgumentError(text(context, " is an array of ",
                                 py::str(m_array.dtype()).cast<std::string>(),
                                 "; pass bools, integers or floats of at most 64 bits"),
                            ArgumentError::Kind::type);
    }
}

tensor::HostSource NumberArray::source() const noexcept {
    return {.data = static_cast<const std::byte*>(m_array.data()),
            .kind = m_kind,
            .shape = m_shape,
            .strides = m_strides};
}

tensor::HostTarget NumberArray::target() {
    return {.data = static_cast<std::byte*>(m_array.mutable_data()),
            .kind = m_kind,
            .strides = m_strides};
}

py::array to_array(py::handle values, std::string_view context) {
    if (is_numpy_array(values)) {
        require_unmasked(values, context);
        return py::reinterpret_borrow<py::array>(values);
    }
    try {
        const py::array array =
            py::module_::import("numpy").attr("asarray")(snapshot(plain_array(values).value, 0));
        require_unmasked(values, context); // not before: a list may hold itself
        return array;
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) {
            throw;
        }
        throw ArgumentError(text(context, " cannot become an array (",
                                 py::str(error.value()).cast<std::string>(),
                                 "); pass numbers, rectangular lists or numpy arrays"),
                            ArgumentError::Kind::type);
    }
}

HostArrayView::HostArrayView(py::array array, std::string_view parameter, std::string refusal)
    : m_original(array), m_numbers(std::move(array), std::string(parameter)) {
    scalar = m_numbers.kind();
    shape = m_numbers.shape();
    write_refusal = std::move(refusal);
    if (write_refusal.empty() && !m_original.writeable()) {
        write_refusal = "is a read-only array, results are written to it; pass a copy";
    } else if (write_refusal.empty() &&
               shares_elements(shape,
                               {m_original.strides(), static_cast<std::size_t>(m_original.ndim())},
                               m_original.itemsize())) {
        write_refusal = "has elements that share memory, results are written to each; pass a copy";
    }
}

void HostArrayView::read_as(ScalarKind kind, std::span<std::byte> out,
                            std::string_view parameter) const {
    tensor::convert(m_numbers.source(), kind, out, std::string(parameter));
}

std::span<std::byte> HostArrayView::memory() const noexcept {
    auto* const first = static_cast<std::byte*>(const_cast<void*>(m_original.data()));
    return extent_of(first, shape,
                     {m_original.strides(), static_cast<std::size_t>(m_original.ndim())},
                     m_original.itemsize()); // written only where write_refusal allows it
}

bool HostArrayView::is_packed() const noexcept {
    const tensor::HostSource source = m_numbers.source();
    return m_numbers.array().is(m_original) &&
           is_row_major(source.shape, source.strides, m_original.itemsize());
}

std::shared_ptr<void> HostArrayView::keep_alive() const {
    return python::keep_alive(m_original.ptr());
}

void HostArrayView::write_from(ScalarKind kind, std::span<const std::byte> bytes,
                               std::string_view parameter) {
    const std::vector<std::int64_t> packed = tensor::packed_byte_strides(shape, kind);
    const tensor::HostSource source{
        .data = bytes.data(), .kind = kind, .shape = shape, .strides = packed};
    tensor::convert(source, m_numbers.target(), std::string(parameter));
    if (!m_numbers.array().is(m_original)) {
        const py::gil_scoped_acquire locked;
        m_original[py::ellipsis()] = m_numbers.array();
    }
}

} // namespace weft::python
