// SPDX-License-Identifier: Apache-2.0
#include "python/kernel_call.hpp"

#include "core/error.hpp"
#include "python/call_function.hpp"
#include "python/interpreter_lock.hpp"
#include "python/torch_bridge.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace weft::python {

namespace py = pybind11;

namespace {

PyTypeObject* tensor_class() {
    static auto* const found =
        reinterpret_cast<PyTypeObject*>(py::type::of<tensor::Tensor>().ptr());
    return found;
}

/// The members of DiffTensorView's structure in Slang, and of the class of Python.
struct PairNames {
    py::str primal{"primal"};
    py::str diff{"diff"};
    py::str number{"number"};
    py::str value{"value"};
    py::str grad{"grad"};
    py::int_ zero{0};

    static const PairNames& get() {
        static const auto* const names = new PairNames; // at exit the interpreter ends first
        return *names;
    }
};

void set_item(py::dict& dict, const py::object& key, py::handle value) {
    if (PyDict_SetItem(dict.ptr(), key.ptr(), value.ptr()) != 0) {
        throw py::error_already_set();
    }
}

/// Null if there is none.
PyObject* item(PyObject* dict, const py::object& key) {
    PyObject* const found = PyDict_GetItemWithError(dict, key.ptr());
    if (found == nullptr && PyErr_Occurred() != nullptr) {
        throw py::error_already_set();
    }
    return found;
}

/// Turns arguments into those of the launcher. Where take() is false they go the long way.
class Taker {
public:
    explicit Taker(const ShortWay& way) : m_way(way) {}

    bool take(const ArgumentReader& reader, PyObject* given, py::object& value) {
        switch (reader.kind) {
        case ArgumentReader::Kind::plain:
            value = py::reinterpret_borrow<py::object>(given);
            return true;
        case ArgumentReader::Kind::view:
            value = py::reinterpret_borrow<py::object>(given);
            return is_on_device(given);
        case ArgumentReader::Kind::pair: return take_pair(reader, given, value);
        case ArgumentReader::Kind::structure: return take_structure(reader, given, value);
        }
        return false;
    }

    /// Of tensors of torch that were taken.
    bool is_transformed() const { return m_torch != nullptr && m_torch->is_transformed(); }

private:
    /// A Tensor, or a tensor of torch in the device's memory, without gradients.
    bool is_on_device(PyObject* given) {
        if (Py_TYPE(given) == tensor_class()) {
            return true;
        }
        if (!m_way.is_cuda || !is_torch_tensor(given)) {
            return false;
        }
        m_torch = &TorchBridge::get();
        return m_torch->is_plain(given) && m_torch->is_on_gpu(given) &&
               !m_torch->requires_gradient(given);
    }

    bool take_pair(const ArgumentReader& reader, PyObject* given, py::object& pair) {
        py::object value = py::reinterpret_borrow<py::object>(given);
        py::object gradient = py::none();
        const PairNames& names = PairNames::get();
        if (PyTuple_CheckExact(given) && PyTuple_GET_SIZE(given) == 2) {
            value = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(given, 0));
            gradient = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(given, 1));
        } else if (reinterpret_cast<PyObject*>(Py_TYPE(given)) == m_way.pair_class.ptr()) {
            value = value.attr(names.value);
            gradient = py::handle(given).attr(names.grad);
        }
        if (!is_on_device(value.ptr())) {
            return false;
        }
        if (gradient.is_none()) {
            gradient = reader.nothing;
            if (m_way.is_derivative || gradient.is_none()) {
                return false;
            }
        } else if (!is_on_device(gradient.ptr()) || !have_one_shape(value, gradient)) {
            return false;
        }
        py::dict inner;
        py::dict outer;
        set_item(inner, names.diff, gradient);
        set_item(outer, names.primal, value);
        set_item(outer, names.number, names.zero);
        set_item(outer, names.diff, inner);
        pair = std::move(outer);
        return true;
    }

    bool have_one_shape(const py::object& value, const py::object& gradient) const {
        if (Py_TYPE(value.ptr()) != Py_TYPE(gradient.ptr())) {
            return false;
        }
        if (Py_TYPE(value.ptr()) == tensor_class()) {
            return std::ranges::equal(native_value<tensor::Tensor>(value.ptr()).shape(),
                                      native_value<tensor::Tensor>(gradient.ptr()).shape());
        }
        tensor::dlpack::Array first;
        tensor::dlpack::Array second;
        return m_torch->view(value, first) && m_torch->view(gradient, second) &&
               std::ranges::equal(std::span(first.shape, static_cast<std::size_t>(first.rank)),
                                  std::span(second.shape, static_cast<std::size_t>(second.rank)));
    }

    bool take_structure(const ArgumentReader& reader, PyObject* given, py::object& value) {
        const auto count = static_cast<Py_ssize_t>(reader.parts.size());
        const bool is_dict = PyDict_Check(given);
        const bool is_sequence = PyTuple_Check(given) || PyList_Check(given);
        if (is_dict ? PyDict_GET_SIZE(given) != count
                    : (!is_sequence || PySequence_Fast_GET_SIZE(given) != count)) {
            return false;
        }
        py::dict members;
        for (Py_ssize_t i = 0; i < count; ++i) {
            const ArgumentReader& part = reader.parts[static_cast<std::size_t>(i)];
            PyObject* const found =
                is_dict ? item(given, part.name) : PySequence_Fast_GET_ITEM(given, i);
            py::object member;
            if (found == nullptr || !take(part, found, member)) {
                return false;
            }
            set_item(members, part.name, member);
        }
        value = std::move(members);
        return true;
    }

    const ShortWay& m_way;
    const TorchBridge* m_torch = nullptr; ///< once a tensor of torch came
};

} // namespace

BoundObject::~BoundObject() {
    if (m_was_launched || !m_kernel || is_ending()) {
        return;
    }
    const py::error_scope scope;
    // The frame that lets it go is the second one.
    PyObject* const done = PyObject_CallMethod(m_kernel.ptr(), "_warn", "i", 2);
    if (done == nullptr) {
        PyErr_WriteUnraisable(m_kernel.ptr());
    }
    Py_XDECREF(done);
}

bool BoundObject::read(PyObject* named) {
    const std::size_t count = m_way->readers.size();
    m_was_launched = true; // until all is read: else the long way warns
    if (static_cast<std::size_t>(PyDict_GET_SIZE(named)) != count) {
        return false;
    }
    m_given.reserve(count);
    m_values.resize(count);
    Taker taker(*m_way);
    for (std::size_t i = 0; i < count; ++i) {
        PyObject* const given = item(named, m_way->readers[i].name);
        if (given == nullptr) {
            return false;
        }
        m_given.push_back(py::reinterpret_borrow<py::object>(given));
        if (!taker.take(m_way->readers[i], given, m_values[i])) {
            return false;
        }
    }
    m_was_launched = taker.is_transformed();
    return !m_was_launched;
}

py::dict BoundObject::named() const {
    py::dict named;
    for (std::size_t i = 0; i < m_given.size(); ++i) {
        set_item(named, m_way->readers[i].name, m_given[i]);
    }
    return named;
}

py::object BoundObject::in_python() {
    m_was_launched = true;
    return m_kernel.attr("_bound")(named());
}

bool BoundObject::launch_known(PyObject* sizes) const {
    PyObject* const known = PyDict_GetItemWithError(m_way->launches.ptr(), sizes);
    if (known == nullptr) {
        PyErr_Clear(); // lists have no hash
        return false;
    }
    const auto launch = py::reinterpret_borrow<py::tuple>(known);
    constexpr std::size_t kFew = 16;
    std::array<PyObject*, kFew> few{};
    std::vector<PyObject*> many;
    const std::size_t count = 1 + m_values.size();
    if (count > kFew) {
        many.resize(count);
    }
    PyObject** const values = count > kFew ? many.data() : few.data();
    values[0] = PyTuple_GET_ITEM(launch.ptr(), 1);
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        values[i + 1] = m_values[i].ptr();
    }
    PyObject* const launcher = PyTuple_GET_ITEM(launch.ptr(), 0);
    static_cast<void>(call(native_value<FunctionObject>(launcher), {values, 0, m_way->names.ptr()},
                           launcher, nullptr));
    return true;
}

void BoundObject::launch(PyObject* block_size, PyObject* grid_size) {
    m_was_launched = true;
    const auto sizes = py::reinterpret_steal<py::object>(PyTuple_Pack(2, block_size, grid_size));
    if (!sizes) {
        throw py::error_already_set();
    }
    try {
        if (launch_known(sizes.ptr())) {
            return;
        }
    } catch (const core::ArgumentError&) {
        m_kernel.attr("bind")(named()).attr("launchRaw")(py::handle(block_size),
                                                         py::handle(grid_size));
        return;
    }
    in_python().attr("launchRaw")(py::handle(block_size), py::handle(grid_size));
}

} // namespace weft::python
