// SPDX-License-Identifier: Apache-2.0
// Arrays of other libraries as arguments of a call.
#include "core/error.hpp"
#include "core/text.hpp"
#include "python/call_arguments.hpp"
#include "python/foreign_array.hpp"
#include "python/host_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/torch_bridge.hpp"
#include "python/torch_memory.hpp"
#include "python/torch_sharing.hpp"
#include "tensor/dlpack.hpp"

#include <algorithm>

namespace weft::python {

namespace py = pybind11;
namespace dlpack = tensor::dlpack;
using core::text;
using dispatch::NodeKind;

namespace {

/// Whether the plan writes what a node stands for.
bool writes_node(const dispatch::LaunchPlan& plan, std::uint32_t node) {
    const auto is_written = [&](const dispatch::Source& source) {
        return source.node == node && source.downloads;
    };
    const auto is_stored = [&](const dispatch::BufferStep& step) {
        const dispatch::Source& source = plan.sources[step.source];
        return source.kind == dispatch::SourceKind::node && source.node == node &&
               step.access != device::BufferAccess::read;
    };
    return std::ranges::any_of(plan.sources, is_written) ||
           std::ranges::any_of(plan.buffers, is_stored);
}

bool is_expanded(const TorchMemory& memory) {
    for (std::size_t i = 0; i < memory.shape.size(); ++i) {
        if (memory.strides[i] == 0 && memory.shape[i] > 1) {
            return true;
        }
    }
    return false;
}

bool is_host(const dlpack::Device& device) {
    return device.code == dlpack::DeviceCode::cpu || device.code == dlpack::DeviceCode::cuda_host;
}

bool is_cuda(const dlpack::Device& device) {
    return device.code == dlpack::DeviceCode::cuda ||
           device.code == dlpack::DeviceCode::cuda_managed;
}

} // namespace

/// Memory of the device is a tensor, that of the host an array over it: results reach both.
void CallArguments::add_foreign(py::handle object, std::string_view name) {
    ForeignArray array = share_from_dlpack(object, m_session->device, label(name));
    if (is_numpy_array(array.value)) {
        m_arrays.push_back(
            std::make_unique<HostArrayView>(py::reinterpret_steal<py::array>(array.value.release()),
                                            label(name), std::move(array.write_refusal)));
        push(NodeKind::host_array, name).host = m_arrays.back().get();
        return;
    }
    m_kept.push_back(std::move(array.value));
    if (!array.write_refusal.empty()) {
        m_locked.emplace_back(static_cast<std::uint32_t>(m_list.nodes.size()),
                              std::move(array.write_refusal));
    }
    add_value(m_kept.back().ptr(), name);
}

void CallArguments::add_torch(PyObject* value, std::string_view name) {
    const TorchBridge& torch = TorchBridge::get();
    const bool is_uniform = m_torch.role == dispatch::Role::uniform;
    if (!m_torch.is_followed) {
        m_torch.is_followed = torch.is_followed();
    }
    const bool is_followed = *m_torch.is_followed;
    std::string refusal;
    const bool is_stand_in = m_torch.may_track && !is_uniform && torch.is_stand_in(value);
    if (is_followed || is_stand_in || torch.is_tracked(value)) {
        if (m_torch.may_track && !is_uniform) {
            m_torch.is_tracked = true;
            push(NodeKind::none, name);
            return;
        }
        if (is_followed) {
            throw core::ArgumentError(text(
                label(name), " is followed by torch.func or forward mode, which cannot follow ",
                is_uniform ? "uniforms" : "this kind of call", "; pass tensor.detach()"));
        }
        torch.warn(text(m_function, ": gradients of torch do not pass through ",
                        is_uniform ? "uniforms" : "this kind of call",
                        ": the tensor enters as its values; pass tensor.detach()"));
        refusal = "is tracked by torch (requires_grad), which would not see the results written to "
                  "it; pass tensor.detach()";
    }
    m_torch.tensors.emplace_back(static_cast<std::uint32_t>(m_list.nodes.size()), keep(value));
    if (!refusal.empty() || !add_torch_in_place(value, name)) {
        add_torch_memory(value, name, std::move(refusal));
    }
}

bool CallArguments::add_torch_in_place(PyObject* value, std::string_view name) {
    const TorchBridge& torch = TorchBridge::get();
    return m_torch.runs_at_once && m_session->device->cuda_ordinal() >= 0 &&
           torch.is_plain(value) && !torch.is_negated(value) && add_lent(value, name);
}

/// On CUDA the tensor keeps the memory, and lives until clear(): torch frees in the order of the stream, and so does the
/// launch run. A Vulkan device finds memory of its own that it lent to torch.
bool CallArguments::add_lent(PyObject* value, std::string_view name) {
    device::Device& device = *m_session->device;
    dlpack::Array array;
    if (!m_torch.runs_at_once) {
        return false;
    }
    const std::optional<reflect::ScalarKind> kind = view_on_gpu(device, value, array);
    if (!kind) {
        return false;
    }
    const tensor::ArrayLayoutRef& layout = m_layouts.find(array, *kind);
    tensor::TensorRef tensor = device.info().type == device::DeviceType::cuda
                                   ? wrap_lent(device, array, layout, nullptr)
                                   : tensor::find_lent(device, array, layout);
    if (!tensor) {
        return false;
    }
    require_one_place(value, false, name);
    find_stream();
    m_torch.lent.emplace_back(tensor->layout().get(), value);
    m_shared.push_back(std::move(tensor));
    push(NodeKind::tensor, name).tensor = m_shared.back().get();
    return true;
}

void CallArguments::add_torch_memory(PyObject* value, std::string_view name, std::string refusal) {
    const TorchBridge& torch = TorchBridge::get();
    const auto label_of = [&] { return label(name); };
    m_kept.push_back(torch.resolved(value));
    py::object tensor = m_kept.back();
    const auto node = static_cast<std::uint32_t>(m_list.nodes.size());
    if (tensor.is_none()) {
        torch.refuse(value, label(name));
    }
    if (refusal.empty() && torch.is_negated(value)) {
        refusal = "is a view that torch negates when it is read, results are written to it; pass "
                  "tensor.resolve_neg()";
    }
    TorchMemory memory = torch.memory_of(tensor, label_of);
    if (memory.dtype.code == dlpack::TypeCode::brain_floating && memory.dtype.lanes == 1) {
        tensor = tensor.attr("detach")().attr("float")();
        m_kept.push_back(tensor);
        if (refusal.empty() && is_expanded(memory)) {
            refusal = "has elements that share memory, results are written to each; pass "
                      "tensor.contiguous()";
        }
        memory = torch.memory_of(tensor, label_of);
        m_torch.widened.emplace_back(node, tensor.ptr());
    }
    const std::optional<reflect::ScalarKind> kind = tensor::dlpack_kind(memory.dtype);
    const bool has_elements = std::ranges::find(memory.shape, 0) == memory.shape.end();
    if (!kind || (memory.data == nullptr && has_elements) ||
        (!is_host(memory.device) && !is_cuda(memory.device))) {
        torch.refuse(value, label(name));
    }
    if (memory.shape.empty() && is_host(memory.device)) {
        m_torch.has_number = true; // such a one may go beside tensors of a GPU, as in torch
    } else {
        require_one_place(value, is_host(memory.device), name);
    }
    if (!is_host(memory.device)) {
        if (refusal.empty() && m_torch.wide(node) != nullptr && !m_torch.may_track) {
            refusal = "is a tensor of bfloat16, which this kind of call can only read; pass one of "
                      "float32"; // it may run later than the copy back
        }
        if (m_session->device->info().type == device::DeviceType::cuda) {
            add_torch_device_memory(tensor, memory.device, name, std::move(refusal));
        } else {
            add_torch_beside_vulkan(tensor, memory, name, std::move(refusal));
        }
        return;
    }
    m_arrays.push_back(std::make_unique<TorchArray>(std::move(memory), *kind, tensor));
    if (!refusal.empty()) {
        m_arrays.back()->write_refusal = std::move(refusal);
    }
    push(NodeKind::host_array, name).host = m_arrays.back().get();
}

/// torch's current one of the device's GPU: CUDA launches name it, a Vulkan device is ordered with it.
void CallArguments::find_stream() {
    if (!m_torch.knows_stream) {
        m_torch.stream = TorchBridge::get().current_stream(
            {.code = dlpack::DeviceCode::cuda, .index = m_session->device->cuda_ordinal()});
        m_torch.knows_stream = true;
    }
}

void CallArguments::require_own_gpu(const dlpack::Device& place, std::string_view name) const {
    const device::DeviceInfo& info = m_session->device->info();
    if (info.type != device::DeviceType::cuda || place.index == info.adapter) {
        return;
    }
    throw core::ArgumentError(text(
        label(name), " lies on cuda:", place.index, ", the function's device is cuda:",
        info.adapter, " (", info.name, "); move it with tensor.to('cuda:", info.adapter,
        "'), or load the module on create_torch_device(torch_device='cuda:", place.index, "')"));
}

void CallArguments::add_torch_device_memory(py::handle tensor, const dlpack::Device& place,
                                            std::string_view name, std::string write_refusal) {
    const TorchBridge& torch = TorchBridge::get();
    require_own_gpu(place, name);
    if (!add_lent(tensor.ptr(), name)) {
        find_stream();
        m_session->device->wait_for_stream(m_torch.stream);
        if (tensor::TensorRef shared = torch.share(tensor, m_session->device)) {
            push(NodeKind::tensor, name).tensor = shared.get();
            m_shared.push_back(std::move(shared));
        } else {
            add_foreign(tensor.attr("detach")(), name);
        }
    }
    if (!write_refusal.empty()) {
        m_locked.emplace_back(static_cast<std::uint32_t>(m_list.nodes.size() - 1),
                              std::move(write_refusal));
    }
}

/// A copy that the call writes is copied back by note_torch_writes().
void CallArguments::add_torch_beside_vulkan(py::handle tensor, const TorchMemory& memory,
                                            std::string_view name, std::string write_refusal) {
    const auto node = static_cast<std::uint32_t>(m_list.nodes.size());
    m_session->device->share_with_cuda(memory.device.index, label(name));
    SharedTensor shared =
        share_with_vulkan(m_session->device, tensor, memory, *tensor::dlpack_kind(memory.dtype));
    find_stream();
    if (!shared.twin.is_none()) {
        const auto widened =
            std::ranges::find(m_torch.widened, node, &std::pair<std::uint32_t, PyObject*>::first);
        if (widened != m_torch.widened.end()) {
            widened->second = shared.twin.ptr();
        } else {
            m_torch.widened.emplace_back(node, shared.twin.ptr());
        }
        if (write_refusal.empty() && !m_torch.runs_at_once) {
            write_refusal = "lies in memory that the Vulkan device does not know, which this kind "
                            "of call can only read; pass a weft.Tensor";
        }
        m_kept.push_back(std::move(shared.twin));
    }
    push(NodeKind::tensor, name).tensor = shared.tensor.get();
    m_shared.push_back(std::move(shared.tensor));
    if (!write_refusal.empty()) {
        m_locked.emplace_back(node, std::move(write_refusal));
    }
}

void CallArguments::require_one_place(PyObject* tensor, bool is_on_host, std::string_view name) {
    PyObject*& seen = is_on_host ? m_torch.on_host : m_torch.on_device;
    seen = seen == nullptr ? tensor : seen;
    if (m_torch.on_host == nullptr || m_torch.on_device == nullptr) {
        return;
    }
    const auto place = [](PyObject* of) {
        return py::str(py::handle(of).attr("device")).cast<std::string>();
    };
    throw core::ArgumentError(text(label(name), " lies on ", place(tensor),
                                   ", another tensor of the call on ",
                                   place(is_on_host ? m_torch.on_device : m_torch.on_host),
                                   "; move all to one device with tensor.to()"));
}

void CallArguments::add_torch_list(PyObject* value, std::string_view name) {
    m_kept.push_back(TorchBridge::get().stack(value, label(name)));
    add_torch(m_kept.back().ptr(), name);
    for (auto& array : m_arrays) { // the one just added: results would reach the copy
        if (m_list.nodes.back().kind == NodeKind::host_array &&
            array.get() == m_list.nodes.back().host) {
            array->write_refusal = "is a list, results are written to it; pass one tensor";
        }
    }
}

void CallArguments::note_torch_writes(const dispatch::LaunchPlan& plan) const {
    py::list written;
    for (const auto& [node, tensor] : m_torch.tensors) {
        if (!writes_node(plan, node)) {
            continue;
        }
        if (PyObject* const wide = m_torch.wide(node); wide != nullptr) {
            py::handle(tensor).attr("copy_")(py::handle(wide)); // rounds to nearest even
        } else {
            written.append(py::handle(tensor));
        }
    }
    if (!written.empty()) {
        TorchBridge::get().note_writes(written);
    }
}

void CallArguments::require_writable(const dispatch::LaunchPlan& plan) const {
    for (const auto& [node, refusal] : m_locked) {
        for (const dispatch::BufferStep& step : plan.buffers) {
            const dispatch::Source& source = plan.sources[step.source];
            if (source.kind == dispatch::SourceKind::node && source.node == node &&
                step.access != device::BufferAccess::read) {
                throw core::ArgumentError(
                    text(plan.function, ": parameter '", source.name, "' ", refusal));
            }
        }
    }
}

} // namespace weft::python
