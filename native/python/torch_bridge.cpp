// SPDX-License-Identifier: Apache-2.0
#include "python/torch_bridge.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/foreign_array.hpp"
#include "python/host_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/session.hpp"
#include "tensor/convert.hpp"
#include "tensor/dlpack.hpp"
#include "tensor/host_format.hpp"
#include "tensor/view.hpp"

namespace weft::python {

namespace py = pybind11;
namespace dlpack = tensor::dlpack;
using core::text;
using reflect::ScalarKind;

namespace {

/// The table of the version that we know, null if there is none.
const dlpack::ExchangeTable* find_table(py::handle tensor_class) {
    const py::object capsule = py::getattr(tensor_class, "__dlpack_c_exchange_api__", py::none());
    if (PyCapsule_IsValid(capsule.ptr(), dlpack::kExchangeName) == 0) {
        return nullptr;
    }
    const auto* table = static_cast<const dlpack::ExchangeTable*>(
        PyCapsule_GetPointer(capsule.ptr(), dlpack::kExchangeName));
    while (table != nullptr && table->version.major > dlpack::kMajorVersion) {
        table = table->previous;
    }
    return table != nullptr && table->view_of_object != nullptr ? table : nullptr;
}

void copy_layout(const dlpack::Array& array, TorchMemory& memory) {
    memory.device = array.device;
    memory.dtype = array.dtype;
    memory.data = static_cast<std::byte*>(array.data) + array.byte_offset;
    memory.shape.assign(array.shape, array.shape + array.rank);
    memory.strides = tensor::dlpack_strides(array);
}

bool is_true(const py::object& answer) {
    return answer.is(py::bool_(true));
}

/// For DLPack's allocator, whose errors become Python's.
void set_error(void* /*context*/, const char* /*kind*/, const char* message) {
    const py::gil_scoped_acquire locked;
    PyErr_SetString(PyExc_MemoryError, message);
}

py::str interned(const char* name) {
    return py::reinterpret_steal<py::str>(PyUnicode_InternFromString(name));
}

/// @throws what Python raises.
py::object require(PyObject* answer) {
    if (answer == nullptr) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::object>(answer);
}

bool holds_structures(const reflect::Type& type) {
    return type.kind == reflect::TypeKind::structure ||
           (type.kind == reflect::TypeKind::array && holds_structures(*type.element));
}

} // namespace

bool is_torch_tensor(py::handle value) noexcept {
    return has_base(value, "torch._C.TensorBase") || has_base(value, "torch._C._TensorBase");
}

bool is_torch_class(py::handle value) noexcept {
    if (PyType_Check(value.ptr()) == 0) {
        return false;
    }
    const PyObject* const bases = reinterpret_cast<PyTypeObject*>(value.ptr())->tp_mro;
    for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
        const auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i));
        const std::string_view name = base->tp_name;
        if (name == "torch._C.TensorBase" || name == "torch._C._TensorBase") {
            return true;
        }
    }
    return false;
}

bool holds_torch_tensors(py::handle sequence, int depth) noexcept {
    constexpr int kDeepest = 16; // a list may hold itself
    if (is_torch_tensor(sequence)) {
        return true;
    }
    if (depth > kDeepest || (!PyList_Check(sequence.ptr()) && !PyTuple_Check(sequence.ptr()))) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.ptr()); ++i) {
        if (holds_torch_tensors(PySequence_Fast_GET_ITEM(sequence.ptr(), i), depth + 1)) {
            return true;
        }
    }
    return false;
}

TorchBridge::TorchBridge() {
    try {
        m_bridge = py::module_::import("weft.torch.bridge");
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_ImportError)) {
            throw;
        }
        throw core::ArgumentError(
            text("torch cannot be imported (", py::str(error.value()).cast<std::string>(),
                 "); install it with 'pip install torch', or ask for 'numpy' or 'tensor'"));
    }
    m_is_grad_enabled = m_bridge.attr("is_grad_enabled");
    m_is_functional = m_bridge.attr("is_functional");
    m_is_forward_enabled = m_bridge.attr("is_forward_enabled");
    m_forward_mode = m_bridge.attr("forward_ad");
    m_mode_count = m_bridge.attr("mode_count");
    m_is_recorded = m_bridge.attr("is_recorded");
    m_increment = m_bridge.attr("increment_versions");
    m_plain_classes = m_bridge.attr("PLAIN_CLASSES");
    m_requires_grad = interned("requires_grad");
    m_is_cuda = interned("is_cuda");
    m_is_neg = interned("is_neg");
    m_current_level = interned("_current_level");
    m_empty = m_bridge.attr("empty_tensor");
    m_empty_like = m_bridge.attr("empty_like");
    m_zeros_like = m_bridge.attr("zeros_like");
    m_empty_names = py::make_tuple(interned("dtype"), interned("device"));
    m_table = find_table(m_bridge.attr("Tensor"));
}

const TorchBridge*& TorchBridge::slot() noexcept {
    static const TorchBridge* bridge = nullptr;
    return bridge;
}

const TorchBridge& TorchBridge::get() {
    // Never destroyed: at exit the interpreter ends first. No guard of C++: an import may let other threads run.
    const TorchBridge*& bridge = slot();
    if (bridge == nullptr) {
        bridge = std::unique_ptr<const TorchBridge>(new TorchBridge).release();
    }
    return *bridge;
}

bool TorchBridge::is_transformed() const {
    if (is_true(require(PyObject_CallNoArgs(m_is_functional.ptr())))) {
        return true;
    }
    const py::object level = require(PyObject_GetAttr(m_forward_mode.ptr(), m_current_level.ptr()));
    return PyLong_AsLong(level.ptr()) >= 0 &&
           is_true(require(PyObject_CallNoArgs(m_is_forward_enabled.ptr())));
}

bool TorchBridge::is_followed() const {
    if (is_transformed()) {
        return true;
    }
    const py::object modes = require(PyObject_CallNoArgs(m_mode_count.ptr()));
    return PyLong_AsLong(modes.ptr()) > 0 && is_true(m_is_recorded());
}

bool TorchBridge::requires_gradient(py::handle tensor) const {
    return is_true(require(PyObject_GetAttr(tensor.ptr(), m_requires_grad.ptr())));
}

bool TorchBridge::is_on_gpu(py::handle tensor) const {
    return is_true(require(PyObject_GetAttr(tensor.ptr(), m_is_cuda.ptr())));
}

bool TorchBridge::is_tracked(py::handle tensor) const {
    return requires_gradient(tensor) && is_true(m_is_grad_enabled());
}

bool TorchBridge::is_stand_in(py::handle tensor) const {
    return !is_plain(tensor) && is_true(m_bridge.attr("is_stand_in")(tensor));
}

bool TorchBridge::is_negated(py::handle tensor) const {
    return is_true(require(PyObject_CallMethodNoArgs(tensor.ptr(), m_is_neg.ptr())));
}

bool TorchBridge::is_plain(py::handle tensor) const noexcept {
    const py::handle type(reinterpret_cast<PyObject*>(Py_TYPE(tensor.ptr())));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(m_plain_classes.ptr()); ++i) {
        if (type.ptr() == PyTuple_GET_ITEM(m_plain_classes.ptr(), i)) {
            return true;
        }
    }
    return false;
}

py::object TorchBridge::resolved(py::handle tensor) const {
    if (is_plain(tensor) && !is_negated(tensor)) {
        return py::reinterpret_borrow<py::object>(tensor);
    }
    return m_bridge.attr("resolved")(tensor);
}

bool TorchBridge::view(py::handle tensor, dlpack::Array& array) const {
    if (m_table == nullptr) {
        return false;
    }
    if (m_table->view_of_object(tensor.ptr(), &array) != 0) {
        PyErr_Clear();
        return false;
    }
    return true;
}

bool TorchBridge::read_memory(py::handle tensor, TorchMemory& memory) const {
    if (m_table != nullptr) {
        dlpack::Array array;
        if (!view(tensor, array)) {
            return false;
        }
        copy_layout(array, memory);
        return true;
    }
    const py::object capsule = m_bridge.attr("capsule")(tensor);
    if (PyCapsule_IsValid(capsule.ptr(), dlpack::kPlainName) == 0) {
        return false;
    }
    // The tensor keeps the memory; the capsule releases what it made.
    copy_layout(static_cast<const dlpack::ManagedArray*>(
                    PyCapsule_GetPointer(capsule.ptr(), dlpack::kPlainName))
                    ->array,
                memory);
    return true;
}

tensor::TensorRef TorchBridge::share(py::handle tensor,
                                     const std::shared_ptr<device::Device>& device) const {
    if (m_table == nullptr || m_table->own_from_object == nullptr) {
        return nullptr;
    }
    const py::object plain = requires_gradient(tensor) ? tensor.attr("detach")()
                                                       : py::reinterpret_borrow<py::object>(tensor);
    dlpack::VersionedArray* owned = nullptr;
    if (m_table->own_from_object(plain.ptr(), &owned) != 0) {
        PyErr_Clear();
        return nullptr;
    }
    const std::shared_ptr<dlpack::VersionedArray> owner(owned, [](dlpack::VersionedArray* array) {
        if (array->release != nullptr) {
            array->release(array);
        }
    });
    return tensor::import_dlpack(device, owned->array, owner);
}

std::uint64_t TorchBridge::current_stream(const dlpack::Device& device) const {
    if (m_table == nullptr || m_table->current_stream == nullptr) {
        return m_bridge.attr("current_stream")(device.index).cast<std::uint64_t>();
    }
    void* stream = nullptr;
    if (m_table->current_stream(static_cast<std::int32_t>(device.code), device.index, &stream) !=
        0) {
        throw py::error_already_set();
    }
    return reinterpret_cast<std::uintptr_t>(stream);
}

py::object TorchBridge::empty_on_gpu(std::int32_t index, std::span<const std::int64_t> shape,
                                     ScalarKind kind) const {
    py::object& dtype = m_dtypes[kind];
    if (!dtype) {
        dtype = m_bridge.attr("dtype_of")(std::string(reflect::numpy_name(kind)));
    }
    py::object& gpu = m_gpus[index];
    if (!gpu) {
        gpu = m_bridge.attr("gpu")(index);
    }
    py::tuple extents(shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i) {
        PyTuple_SET_ITEM(extents.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
    }
    PyObject* const values[] = {nullptr, extents.ptr(), dtype.ptr(), gpu.ptr()};
    return require(PyObject_Vectorcall(m_empty.ptr(), values + 1,
                                       1 | PY_VECTORCALL_ARGUMENTS_OFFSET, m_empty_names.ptr()));
}

py::object TorchBridge::empty_like(PyObject* tensor) const {
    return require(PyObject_CallOneArg(m_empty_like.ptr(), tensor));
}

py::object TorchBridge::zeros_like(PyObject* tensor) const {
    return require(PyObject_CallOneArg(m_zeros_like.ptr(), tensor));
}

std::uint64_t TorchBridge::address_of(const py::object& tensor) const {
    dlpack::Array array;
    if (view(tensor, array)) {
        return reinterpret_cast<std::uintptr_t>(array.data) + array.byte_offset;
    }
    return tensor.attr("data_ptr")().cast<std::uint64_t>();
}

void TorchBridge::refuse(py::handle tensor, const std::string& label) const {
    throw core::ArgumentError(
        text(label, " ", m_bridge.attr("complaint")(tensor).cast<std::string>()),
        core::ArgumentError::Kind::type);
}

py::object TorchBridge::allocate(dlpack::Array& prototype, void*& data) const {
    if (m_table == nullptr) {
        const std::vector<std::int64_t> shape(prototype.shape, prototype.shape + prototype.rank);
        py::tuple extents(shape.size());
        for (std::size_t i = 0; i < shape.size(); ++i) {
            extents[i] = shape[i];
        }
        py::object made = m_bridge.attr("empty")(
            extents, static_cast<std::uint8_t>(prototype.dtype.code), prototype.dtype.bits);
        data = PyLong_AsVoidPtr(made.attr("data_ptr")().ptr());
        return made;
    }
    dlpack::VersionedArray* owned = nullptr;
    if (m_table->allocate(&prototype, &owned, nullptr, &set_error) != 0) {
        throw py::error_already_set();
    }
    data = static_cast<std::byte*>(owned->array.data) + owned->array.byte_offset;
    void* made = nullptr;
    if (m_table->object_from_owned(owned, &made) != 0) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::object>(static_cast<PyObject*>(made));
}

/// On torch's default stream the memory itself, elsewhere a copy: see from_dlpack() of weft/torch/bridge.py.
py::object TorchBridge::share_with_torch(const tensor::TensorRef& tensor) const {
    if (m_table == nullptr || current_stream(tensor::dlpack_device(*tensor)) != 0) {
        return m_bridge.attr("from_dlpack")(py::cast(tensor));
    }
    {
        const Unlocked unlocked;
        tensor->device().flush();
    }
    return adopt(tensor::export_versioned_dlpack(tensor));
}

py::object TorchBridge::adopt(dlpack::VersionedArray* array) const {
    void* made = nullptr;
    if (m_table->object_from_owned(array, &made) != 0) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::object>(static_cast<PyObject*>(made));
}

py::object TorchBridge::lend(const tensor::TensorRef& tensor) const {
    if (m_table == nullptr) {
        throw core::ArgumentError(
            "tensors of torch on a GPU beside a Vulkan device need torch 2.10 or later; update "
            "torch, move the tensors with .cpu(), or use a CUDA device");
    }
    device::Device& device = tensor->device();
    const device::Buffer& buffer = tensor->buffer();
    tensor::TensorRef known = tensor;
    if (buffer.cuda_address() == 0 && buffer.size_bytes() > 0) {
        const Unlocked unlocked;
        known = copy_tensor(*tensor, *session_of(device)->copier);
    }
    const std::uint64_t stream =
        current_stream({.code = dlpack::DeviceCode::cuda, .index = device.cuda_ordinal()});
    device.make_stream_wait(stream);
    return adopt(tensor::lend_dlpack(known, stream));
}

void TorchBridge::copy_stored(py::handle to, py::handle from) const {
    m_bridge.attr("copy_stored")(to, from);
}

py::object TorchBridge::to_torch(const tensor::TensorRef& tensor, bool on_device) const {
    const bool is_cuda = tensor::is_shared_by_dlpack(*tensor);
    const std::int32_t ordinal = tensor->device().cuda_ordinal();
    if (holds_structures(*tensor->dtype())) {
        return m_bridge.attr("from_structures")(
            py::cast(tensor), on_device && ordinal >= 0 ? text("cuda:", ordinal) : "cpu");
    }
    if (on_device && ordinal >= 0) {
        return is_cuda ? share_with_torch(tensor) : lend(tensor);
    }
    const tensor::TensorRef flat = tensor::flatten_dtype(tensor);
    std::vector<std::int64_t> shape(flat->shape().begin(), flat->shape().end());
    dlpack::Array prototype;
    prototype.rank = static_cast<std::int32_t>(shape.size());
    prototype.shape = shape.data();
    prototype.dtype = tensor::dlpack_dtype(flat->dtype()->scalar);
    void* data = nullptr;
    py::object made = allocate(prototype, data);
    const tensor::HostFormat format(flat->dtype());
    const auto bytes = static_cast<std::size_t>(flat->element_count()) * format.host_stride();
    const std::shared_ptr<Session> session = session_of(flat->device());
    const Unlocked unlocked;
    session->copier->download(*flat, {static_cast<std::byte*>(data), bytes}, interrupt_poll());
    return made;
}

std::pair<py::object, std::byte*>
TorchBridge::make_tensor(const reflect::Type& dtype, std::span<const std::int64_t> shape) const {
    std::vector<std::int64_t> extents(shape.begin(), shape.end());
    const std::vector<std::int64_t> inner = reflect::element_shape(dtype);
    extents.insert(extents.end(), inner.begin(), inner.end());
    dlpack::Array prototype;
    prototype.rank = static_cast<std::int32_t>(extents.size());
    prototype.shape = extents.data();
    prototype.dtype = tensor::dlpack_dtype(reflect::leaf(dtype).scalar);
    void* data = nullptr;
    py::object made = allocate(prototype, data);
    return {std::move(made), static_cast<std::byte*>(data)};
}

void TorchBridge::note_writes(const py::list& tensors) const {
    const auto done =
        py::reinterpret_steal<py::object>(PyObject_CallOneArg(m_increment.ptr(), tensors.ptr()));
    if (done) {
        return;
    }
    if (PyErr_ExceptionMatches(PyExc_RuntimeError) == 0 &&
        PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
        throw py::error_already_set();
    }
    PyErr_Clear();
    m_bridge.attr("note_writes")(
        tensors); // one by one: an older torch, or tensors of inference mode
}

py::object TorchBridge::stack(py::handle list, const std::string& label) const {
    return m_bridge.attr("stack")(list, label);
}

void TorchBridge::warn(const std::string& text) const {
    m_bridge.attr("warn")(text);
}

py::object TorchBridge::track(const py::object& function, const py::object& this_value,
                              const py::tuple& arguments, const py::dict& keywords) const {
    if (!m_track && PyDict_GetItemString(PyImport_GetModuleDict(), "torch._dynamo") != nullptr) {
        m_track = py::module_::import("torch.compiler").attr("disable")(m_bridge.attr("track"));
    }
    return (m_track ? m_track : m_bridge.attr("track"))(function, this_value, arguments, keywords);
}

TorchArray::TorchArray(TorchMemory memory, ScalarKind kind, py::handle tensor)
    : m_data(static_cast<std::byte*>(memory.data)), m_tensor(tensor),
      m_strides(std::move(memory.strides)) {
    scalar = kind;
    is_precise = true;
    shape = std::move(memory.shape);
    const auto item_bytes = static_cast<std::int64_t>(reflect::size_bytes(kind));
    for (std::int64_t& stride : m_strides) {
        stride *= item_bytes;
    }
    if (shares_elements(shape, m_strides, item_bytes)) {
        write_refusal = "has elements that share memory, results are written to each; pass "
                        "tensor.contiguous()";
    }
}

void TorchArray::read_as(ScalarKind kind, std::span<std::byte> out,
                         std::string_view parameter) const {
    tensor::convert({.data = m_data, .kind = scalar, .shape = shape, .strides = m_strides}, kind,
                    out, parameter);
}

std::span<std::byte> TorchArray::memory() const noexcept {
    return extent_of(m_data, shape, m_strides,
                     static_cast<std::int64_t>(reflect::size_bytes(scalar)));
}

bool TorchArray::is_packed() const noexcept {
    return is_row_major(shape, m_strides, static_cast<std::int64_t>(reflect::size_bytes(scalar)));
}

std::shared_ptr<void> TorchArray::keep_alive() const {
    return python::keep_alive(m_tensor.ptr());
}

void TorchArray::write_from(ScalarKind kind, std::span<const std::byte> bytes,
                            std::string_view parameter) {
    const std::vector<std::int64_t> packed = tensor::packed_byte_strides(shape, kind);
    tensor::convert({.data = bytes.data(), .kind = kind, .shape = shape, .strides = packed},
                    {.data = m_data, .kind = scalar, .strides = m_strides}, parameter);
}

} // namespace weft::python
