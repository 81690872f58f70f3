// SPDX-License-Identifier: Apache-2.0
#include "python/sequence_reader.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/host_array.hpp"
#include "python/torch_bridge.hpp"

#include <algorithm>
#include <bit>

namespace weft::python {

namespace py = pybind11;
using core::text;
using reflect::ScalarKind;

namespace {

// More than a tensor can have, and few enough for the stack: a list may hold itself.
constexpr std::size_t kDeepest = 64;

[[noreturn]] void fail(const std::string& what) {
    throw SequenceReader::Problem{what};
}

} // namespace

std::optional<Integer> integer_value(PyObject* value) {
    int overflow = 0;
    const long long integer = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) {
        return Integer{integer, false};
    }
    if (overflow > 0) {
        const unsigned long long large = PyLong_AsUnsignedLongLong(value);
        if (PyErr_Occurred() == nullptr) {
            return Integer{std::bit_cast<std::int64_t>(std::uint64_t{large}), true};
        }
        PyErr_Clear();
    }
    return std::nullopt;
}

std::int64_t require_int64(py::handle value, std::string_view what) {
    if (PyIndex_Check(value.ptr()) == 0 || PyBool_Check(value.ptr())) {
        throw core::ArgumentError(
            text(what, " must be an integer, got ", Py_TYPE(value.ptr())->tp_name),
            core::ArgumentError::Kind::type);
    }
    const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!index) {
        throw py::error_already_set();
    }
    const std::optional<Integer> integer = integer_value(index.ptr());
    if (!integer || integer->is_unsigned) {
        throw core::ArgumentError(
            text(what, " does not fit 64 bits with a sign; pass a smaller integer"));
    }
    return integer->bits;
}

void SequenceReader::read(PyObject* value, std::size_t depth) {
    if (depth >= kDeepest) {
        fail(text("it nests more than ", kDeepest, " lists; it may hold itself"));
    }
    const py::object fast =
        py::reinterpret_steal<py::object>(PySequence_Fast(value, "a sequence is expected"));
    if (!fast) {
        throw py::error_already_set();
    }
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(fast.ptr());
    note_extent(depth, count);
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (PySequence_Fast_GET_SIZE(fast.ptr()) != count) { // a number's own code may change it
            fail("it changed while it was read; pass a copy");
        }
        const auto item =
            py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(fast.ptr(), i));
        if (PyList_Check(item.ptr()) || PyTuple_Check(item.ptr())) {
            read(item.ptr(), depth + 1);
        } else {
            read_scalar(item.ptr(), depth);
        }
    }
    if (depth == 0) {
        sort_names();
    }
}

void SequenceReader::append_to(std::vector<std::uint64_t>& words) const {
    for (std::size_t i = 0; i < reals.size(); ++i) {
        words.push_back(kind == ScalarKind::float64 ? std::bit_cast<std::uint64_t>(reals[i])
                                                    : std::bit_cast<std::uint64_t>(m_integers[i]));
    }
}

void SequenceReader::note_extent(std::size_t depth, Py_ssize_t count) {
    if (depth == shape.size() && !m_has_leaf) {
        shape.push_back(count);
    } else if (depth >= shape.size() || shape[depth] != count) {
        fail("its rows have different lengths; pass a rectangular list");
    }
}

void SequenceReader::read_scalar(PyObject* item, std::size_t depth) {
    const bool is_number = PyFloat_Check(item) || PyLong_Check(item);
    if (!is_number && (is_numpy_array(item) || is_torch_tensor(item))) {
        throw HoldsArrays{};
    }
    m_has_leaf = true;
    if (depth + 1 != shape.size()) {
        fail("it mixes numbers and lists; pass a rectangular list");
    }
    const bool is_first = m_integers.empty();
    if (!is_first && names.empty() == static_cast<bool>(PyUnicode_Check(item))) {
        fail("it mixes names and numbers; pass one kind");
    }
    if (PyUnicode_Check(item)) {
        read_name(item);
    } else if (PyBool_Check(item)) {
        push({item == Py_True ? 1 : 0, false}, item == Py_True ? 1.0 : 0.0, ScalarKind::bool_);
    } else if (PyIndex_Check(item) != 0) {
        const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(item));
        if (!number) {
            throw py::error_already_set();
        }
        const std::optional<Integer> value = integer_value(number.ptr());
        if (!value) {
            fail("it holds an integer of more than 64 bits; pass smaller integers");
        }
        push(*value, value->as_double(),
             value->is_unsigned ? ScalarKind::uint64 : ScalarKind::int64);
    } else {
        const double value = PyFloat_AsDouble(item);
        if (PyErr_Occurred() != nullptr) {
            if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
                throw py::error_already_set(); // of the object itself
            }
            PyErr_Clear();
            fail(text("it holds a ", Py_TYPE(item)->tp_name, "; lists may hold numbers only"));
        }
        push({}, value, ScalarKind::float64);
    }
}

void SequenceReader::read_name(PyObject* item) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(item, &size);
    if (text == nullptr) {
        throw py::error_already_set();
    }
    const auto [entry, is_new] = m_name_indices.try_emplace(
        std::string(text, static_cast<std::size_t>(size)), static_cast<std::int64_t>(names.size()));
    if (is_new) {
        names.push_back(py::reinterpret_borrow<py::object>(item));
    }
    push({entry->second, false}, 0.0, ScalarKind::int64);
}

void SequenceReader::sort_names() {
    std::vector<std::int64_t> places(names.size());
    std::vector<py::object> sorted;
    for (const auto& [name, index] : m_name_indices) {
        const auto from = static_cast<std::size_t>(index);
        places[from] = static_cast<std::int64_t>(sorted.size());
        sorted.push_back(names[from]);
    }
    if (!names.empty()) {
        std::ranges::for_each(m_integers, [&](std::int64_t& index) {
            index = places[static_cast<std::size_t>(index)];
        });
    }
    names = std::move(sorted);
}

void SequenceReader::push(const Integer& integer, double real, ScalarKind item_kind) {
    m_integers.push_back(integer.bits);
    reals.push_back(real);
    m_has_negative = m_has_negative || (!integer.is_unsigned && integer.bits < 0);
    kind = std::max(kind, item_kind);
    if (kind == ScalarKind::uint64 && m_has_negative) {
        fail("it holds negative integers and others from 2^63 on; no integer type holds both");
    }
}

} // namespace weft::python
