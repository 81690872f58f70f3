// SPDX-License-Identifier: Apache-2.0
#include "python/call_arguments.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_storage.hpp"
#include "python/diff_pair.hpp"
#include "python/generators.hpp"
#include "python/host_array.hpp"
#include "python/sequence_reader.hpp"
#include "python/torch_bridge.hpp"
#include "python/value_ref.hpp"

namespace weft::python {

namespace py = pybind11;
using core::text;
using dispatch::Node;
using dispatch::NodeKind;
using reflect::ScalarKind;

namespace {

template <typename T>
PyTypeObject* type_of() {
    return reinterpret_cast<PyTypeObject*>(py::type::of<T>().ptr());
}

bool is_dataclass(PyObject* value) {
    return PyType_Check(value) == 0 && has_attribute(value, "__dataclass_fields__");
}

/// True for a list of dicts or dataclasses: the first entry decides.
bool starts_with_structure(PyObject* value) {
    if (PyRange_Check(value) || PySequence_Fast_GET_SIZE(value) == 0) {
        return false;
    }
    PyObject* const first = PySequence_Fast_GET_ITEM(value, 0);
    const bool is_plain =
        PyFloat_Check(first) || PyLong_Check(first) || PyList_Check(first) || PyTuple_Check(first);
    if (is_plain) {
        return false;
    }
    const auto kept = py::reinterpret_borrow<py::object>(first); // looking may empty the list
    return PyDict_Check(first) || is_dataclass(first);
}

// A dict may hold itself.
constexpr int kDeepest = 64;

/// Counts how deep the value being read lies.
class DepthGuard {
public:
    explicit DepthGuard(int& depth) : m_depth(depth) { ++m_depth; }
    ~DepthGuard() { --m_depth; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

private:
    int& m_depth;
};

} // namespace

std::string_view utf8(PyObject* text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text, &size);
    if (data == nullptr) {
        throw py::error_already_set();
    }
    return {data, static_cast<std::size_t>(size)};
}

KnownTypes KnownTypes::find() {
    return {.tensor = type_of<tensor::Tensor>(),
            .grid = type_of<Grid>(),
            .call_id = type_of<CallId>(),
            .thread_id = type_of<ThreadId>(),
            .rand_float = type_of<RandFloat>(),
            .wang_hash = type_of<WangHash>(),
            .value_ref = type_of<ValueRef>(),
            .diff_pair = type_of<DiffPair>(),
            .storage = type_of<Storage>()};
}

void CallArguments::clear() noexcept {
    m_list.clear();
    m_arrays.clear();
    m_kept.clear();
    m_shared.clear();
    m_locked.clear();
    m_instances.clear();
    m_value_refs.clear();
    TorchArguments none;
    none.tensors = std::move(m_torch.tensors); // with the memory that they have
    none.tensors.clear();
    none.lent = std::move(m_torch.lent);
    none.lent.clear();
    m_torch = std::move(none);
}

py::handle CallArguments::value_ref(std::uint32_t node) const noexcept {
    for (const auto& [index, object] : m_value_refs) {
        if (index == node) {
            return object;
        }
    }
    return {};
}

Node& CallArguments::push(NodeKind kind, std::string_view name) {
    Node& node = m_list.nodes.emplace_back();
    node.kind = kind;
    node.name = name;
    return node;
}

std::string CallArguments::label(std::string_view name) const {
    std::string made(m_function); // of each array of a call: without a stream
    return name.empty() ? made.append(": argument ").append(std::to_string(m_list.roots.size()))
                        : made.append(": argument '").append(name).append("'");
}

void CallArguments::add(dispatch::Role role, PyObject* value, std::string_view name) {
    m_list.roots.push_back({.node = static_cast<std::uint32_t>(m_list.nodes.size()), .role = role});
    m_torch.role = role;
    add_value(value, name);
}

PyObject* CallArguments::keep(PyObject* value) {
    m_kept.push_back(py::reinterpret_borrow<py::object>(value));
    return value;
}

void CallArguments::require_depth(std::string_view name) const {
    if (m_depth >= kDeepest) {
        throw core::ArgumentError(
            text(label(name), " nests more than ", kDeepest, " structures; it may hold itself"));
    }
}

void CallArguments::add_value(PyObject* value, std::string_view name) {
    if (add_native(value, name) || add_number(value, name)) {
        return;
    }
    require_depth(name);
    const DepthGuard guard(m_depth);
    if (value == Py_None) {
        push(NodeKind::none, name);
    } else if (PyUnicode_Check(value)) {
        add_name(value, name);
    } else if (PyDict_Check(value)) {
        add_mapping(value, name);
    } else if ((PyList_Check(value) || PyTuple_Check(value) || PyRange_Check(value)) &&
               !has_attribute(value, "_fields")) {
        if (starts_with_structure(value)) {
            add_structures(value, name);
        } else {
            add_sequence(value, name);
        }
    } else {
        add_object(value, name);
    }
}

bool CallArguments::add_number(PyObject* value, std::string_view name) {
    if (PyFloat_Check(value)) {
        push(NodeKind::real, name).real = PyFloat_AS_DOUBLE(value);
    } else if (PyBool_Check(value)) {
        push(NodeKind::boolean, name).boolean = value == Py_True;
    } else if (PyLong_Check(value)) {
        const std::optional<Integer> integer = integer_value(value);
        if (!integer) {
            throw core::ArgumentError(
                text(label(name), " does not fit 64 bits; pass a smaller integer"));
        }
        Node& node = push(NodeKind::integer, name);
        node.integer = integer->bits;
        node.scalar = integer->is_unsigned ? ScalarKind::uint64 : ScalarKind::void_;
    } else {
        return false;
    }
    return true;
}

bool CallArguments::add_native(PyObject* value, std::string_view name) {
    PyTypeObject* type = Py_TYPE(value);
    if (type == m_types.tensor || PyType_IsSubtype(type, m_types.tensor) != 0) {
        tensor::Tensor& tensor = native_value<tensor::Tensor>(value);
        if (tensor.buffer().is_lent() && m_torch.runs_at_once) {
            find_stream(); // a tensor of torch in the hands of weft.torch
        }
        push(NodeKind::tensor, name).tensor = &tensor;
    } else if (const TorchBridge* const torch = TorchBridge::if_loaded();
               torch != nullptr && torch->is_plain(value)) {
        add_torch(value, name);
    } else if (type == m_types.value_ref) {
        m_value_refs.emplace_back(static_cast<std::uint32_t>(m_list.nodes.size()), value);
        require_depth(name);
        const DepthGuard guard(m_depth);
        add_value(keep(native_value<ValueRef>(value).value.ptr()), name);
    } else if (type == m_types.diff_pair) {
        add_pair(value, name);
    } else if (type == m_types.storage) {
        add_storage(value, name);
    } else {
        return add_generator(value, name);
    }
    return true;
}

void CallArguments::add_pair(PyObject* value, std::string_view name) {
    const DiffPair& pair = native_value<DiffPair>(value);
    if (pair.form == DiffPair::Form::tensor) {
        const py::object plain = pair.needs_gradient ? pair.value : pair.value.attr("detach")();
        add_value(keep(plain.ptr()), name);
        return;
    }
    if (!pair.needs_gradient) {
        add_array(keep(pair.value.ptr()), name);
        return;
    }
    const std::size_t index = m_list.nodes.size();
    push(NodeKind::pair, name).children = 2;
    for (const py::object* half : {&pair.value, &pair.gradient}) {
        m_kept.push_back(*half);
        add_array(half->ptr(), {});
    }
    m_list.nodes[index].subtree = static_cast<std::uint32_t>(m_list.nodes.size() - index);
}

void CallArguments::add_name(PyObject* value, std::string_view name) {
    Node& node = push(NodeKind::name, name);
    node.names_begin = static_cast<std::uint32_t>(m_list.names.size());
    node.names_count = 1;
    m_list.names.push_back(utf8(keep(value)));
}

void CallArguments::add_sequence(PyObject* value, std::string_view name) {
    SequenceReader reader;
    try {
        reader.read(value, 0);
    } catch (const SequenceReader::Problem& problem) {
        throw core::ArgumentError(text(label(name), ": ", problem.what),
                                  core::ArgumentError::Kind::type);
    } catch (const SequenceReader::HoldsArrays&) {
        if (holds_torch_tensors(value)) {
            add_torch_list(value, name);
            return;
        }
        m_kept.push_back(to_array(value, label(name)));
        add_array(m_kept.back().ptr(), name);
        return;
    }
    Node& node = push(NodeKind::list, name);
    node.scalar = reader.kind;
    node.shape_begin = static_cast<std::uint32_t>(m_list.words.size());
    node.rank = static_cast<std::uint32_t>(reader.shape.size());
    for (const std::int64_t extent : reader.shape) {
        m_list.words.push_back(static_cast<std::uint64_t>(extent));
    }
    node.data_begin = static_cast<std::uint32_t>(m_list.words.size());
    node.data_count = static_cast<std::uint32_t>(reader.reals.size());
    reader.append_to(m_list.words);
    node.names_begin = static_cast<std::uint32_t>(m_list.names.size());
    node.names_count = static_cast<std::uint32_t>(reader.names.size());
    for (const py::object& entry : reader.names) {
        m_list.names.push_back(utf8(keep(entry.ptr())));
    }
}

void CallArguments::add_structures(PyObject* value, std::string_view name) {
    const std::size_t index = m_list.nodes.size();
    push(NodeKind::structures, name);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) { // which may change
        PyObject* const entry = keep(PySequence_Fast_GET_ITEM(value, i));
        if (!PyDict_Check(entry) && !is_dataclass(entry)) {
            throw core::ArgumentError(text(label(name), " is a list of structures that holds a ",
                                           Py_TYPE(entry)->tp_name,
                                           "; its entries must all be dicts or dataclasses"),
                                      core::ArgumentError::Kind::type);
        }
        add_value(entry, {});
        ++m_list.nodes[index].children;
    }
    m_list.nodes[index].subtree = static_cast<std::uint32_t>(m_list.nodes.size() - index);
}

void CallArguments::add_mapping(PyObject* value, std::string_view name) {
    const std::size_t index = m_list.nodes.size();
    push(NodeKind::structure, name);
    PyObject* key = nullptr;
    PyObject* entry = nullptr;
    Py_ssize_t position = 0;
    const Py_ssize_t count = PyDict_GET_SIZE(value);
    while (PyDict_Next(value, &position, &key, &entry) != 0) {
        keep(key);
        keep(entry);
        if (!PyUnicode_Check(key)) {
            throw core::ArgumentError(text(label(name), " is a dict with a key of type ",
                                           Py_TYPE(key)->tp_name,
                                           "; keys are the names of the fields"),
                                      core::ArgumentError::Kind::type);
        }
        const std::string_view field = utf8(key);
        if (field == "_type" && PyUnicode_Check(entry)) {
            m_list.nodes[index].type_name = utf8(entry);
            continue;
        }
        add_value(entry, field);
        ++m_list.nodes[index].children;
        if (PyDict_GET_SIZE(value) != count) {
            throw core::ArgumentError(
                text(label(name), " is a dict that changed while it was read; pass a copy"));
        }
    }
    m_list.nodes[index].subtree = static_cast<std::uint32_t>(m_list.nodes.size() - index);
}

bool CallArguments::add_record(PyObject* value, std::string_view name) {
    const py::handle object(value);
    py::object names;
    if (is_dataclass(value)) {
        names = object.attr("__dataclass_fields__").attr("keys")();
    } else if (PyTuple_Check(value) && has_attribute(object, "_fields")) {
        names = object.attr("_fields");
    } else {
        return false;
    }
    const std::size_t index = m_list.nodes.size();
    push(NodeKind::structure, name);
    for (const py::handle field : names) {
        m_kept.push_back(py::reinterpret_borrow<py::object>(field));
        m_kept.push_back(object.attr(field));
        add_value(m_kept.back().ptr(), utf8(field.ptr()));
        ++m_list.nodes[index].children;
    }
    m_list.nodes[index].subtree = static_cast<std::uint32_t>(m_list.nodes.size() - index);
    return true;
}

bool CallArguments::add_array(PyObject* value, std::string_view name) {
    if (!is_numpy_array(value)) {
        return false;
    }
    const std::string where = label(name);
    require_unmasked(value, where);
    const auto array = py::reinterpret_borrow<py::array>(value);
    if (array.dtype().kind() == 'V' && !array.dtype().attr("names").is_none()) {
        add_structured(array, name);
        return true;
    }
    m_arrays.push_back(std::make_unique<HostArrayView>(array, where));
    push(NodeKind::host_array, name).host = m_arrays.back().get();
    return true;
}

/// One array a field, each a view: what a call writes to them lands in the array itself.
void CallArguments::add_structured(const py::array& array, std::string_view name) {
    const std::size_t index = m_list.nodes.size();
    push(NodeKind::structure, name);
    for (const py::handle field : array.dtype().attr("names")) {
        m_kept.push_back(py::reinterpret_borrow<py::object>(field));
        m_kept.push_back(array[field]);
        add_value(m_kept.back().ptr(), utf8(field.ptr()));
        ++m_list.nodes[index].children;
    }
    m_list.nodes[index].subtree = static_cast<std::uint32_t>(m_list.nodes.size() - index);
}

/// The integer that __index__ gives. @throws what __index__ raises.
void CallArguments::add_index(PyObject* value, std::string_view name) {
    py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value));
    if (!index) {
        throw py::error_already_set();
    }
    m_kept.push_back(std::move(index));
    add_number(m_kept.back().ptr(), name);
}

/// Scalars of numpy; those that are subclasses of Python's numbers do not get here.
bool CallArguments::add_numpy_scalar(PyObject* value, std::string_view name) {
    if (!has_base(value, "numpy.generic")) {
        return false;
    }
    if (has_base(value, "numpy.bool") || has_base(value, "numpy.bool_")) {
        const int truth = PyObject_IsTrue(value);
        if (truth < 0) {
            throw py::error_already_set();
        }
        push(NodeKind::boolean, name).boolean = truth == 1;
    } else if (has_base(value, "numpy.floating")) {
        const double number = PyFloat_AsDouble(value);
        if (PyErr_Occurred() != nullptr) {
            throw py::error_already_set();
        }
        push(NodeKind::real, name).real = number;
    } else if (has_base(value, "numpy.integer")) {
        add_index(value, name);
    } else {
        m_kept.push_back(to_array(value, label(name)));
        add_array(m_kept.back().ptr(), name);
    }
    return true;
}

void CallArguments::add_object(PyObject* value, std::string_view name) {
    const py::handle object(value);
    if (add_array(value, name)) {
        return;
    }
    if (is_torch_tensor(object)) {
        add_torch(value, name);
        return;
    }
    if (add_record(value, name) || add_numpy_scalar(value, name)) {
        return;
    }
    if (has_attribute(object, "get_this")) {
        m_instances.push_back(py::reinterpret_borrow<py::object>(object));
        m_kept.push_back(object.attr("get_this")());
        add_value(m_kept.back().ptr(), name);
        return;
    }
    if (has_attribute(object, "__dlpack__")) {
        add_foreign(object, name);
        return;
    }
    if (PyObject_CheckBuffer(value) != 0 && !PyBytes_Check(value) && !PyByteArray_Check(value)) {
        m_kept.push_back(to_array(value, label(name)));
        add_array(m_kept.back().ptr(), name);
        return;
    }
    if (has_attribute(object, "__array__")) {
        throw core::ArgumentError(text(label(name), " has type ", Py_TYPE(value)->tp_name,
                                       ", whose values lie elsewhere; pass numpy.asarray(",
                                       name.empty() ? "..." : name, ")"),
                                  core::ArgumentError::Kind::type);
    }
    if (PyIndex_Check(value) != 0) {
        add_index(value, name);
        return;
    }
    if (Py_TYPE(value)->tp_as_number != nullptr &&
        Py_TYPE(value)->tp_as_number->nb_float != nullptr) {
        const double number = PyFloat_AsDouble(value);
        if (PyErr_Occurred() != nullptr) {
            throw py::error_already_set();
        }
        push(NodeKind::real, name).real = number;
        return;
    }
    throw core::ArgumentError(
        text(label(name), " has type ", Py_TYPE(value)->tp_name,
             "; pass a number, list, dict, numpy array, Tensor or generator such as grid()",
             expectation(name)),
        core::ArgumentError::Kind::type);
}

} // namespace weft::python
