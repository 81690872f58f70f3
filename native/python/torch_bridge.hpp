// SPDX-License-Identifier: Apache-2.0
// What the bindings know of torch, without linking to it: its class of tensors, DLPack's table of C functions for it,
// and the functions of weft.torch.bridge. Everything under the interpreter lock.
#pragma once

#include "dispatch/argument.hpp"
#include "tensor/dlpack_abi.hpp"
#include "tensor/tensor.hpp"

#include <map>
#include <memory>
#include <pybind11/pybind11.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weft::python {

/// True for torch.Tensor and its subclasses. Imports nothing, never raises.
[[nodiscard]] bool is_torch_tensor(pybind11::handle value) noexcept;

/// True for the class torch.Tensor and its subclasses.
[[nodiscard]] bool is_torch_class(pybind11::handle value) noexcept;

/// True for nested lists and tuples with a tensor of torch among their entries.
[[nodiscard]] bool holds_torch_tensors(pybind11::handle sequence, int depth = 0) noexcept;

/// Where the numbers of a tensor of torch lie.
struct TorchMemory {
    tensor::dlpack::Device device;
    tensor::dlpack::DataType dtype;
    void* data = nullptr;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides; ///< elements
};

class TorchBridge {
public:
    /// Imports torch the first time. @throws ArgumentError if it is not installed, or too old.
    [[nodiscard]] static const TorchBridge& get();
    /// Null before the first get().
    [[nodiscard]] static const TorchBridge* if_loaded() noexcept { return slot(); }

    /// Whether torch.func or forward mode follows what happens.
    [[nodiscard]] bool is_transformed() const;
    /// Whether one of them or a trace does.
    [[nodiscard]] bool is_followed() const;
    /// Its attribute requires_grad.
    [[nodiscard]] bool requires_gradient(pybind11::handle tensor) const;
    /// Its attribute is_cuda.
    [[nodiscard]] bool is_on_gpu(pybind11::handle tensor) const;
    /// Whether torch records what is computed from the tensor.
    [[nodiscard]] bool is_tracked(pybind11::handle tensor) const;

    /// Whether torch shows its tensors by C functions.
    [[nodiscard]] bool has_table() const noexcept { return m_table != nullptr; }
    /// Whether it stands for another tensor, while torch traces what becomes of that.
    [[nodiscard]] bool is_stand_in(pybind11::handle tensor) const;
    /// Whether torch negates the values when it reads them.
    [[nodiscard]] bool is_negated(pybind11::handle tensor) const;
    /// Whether its class is torch's own, which does what it seems to do.
    [[nodiscard]] bool is_plain(pybind11::handle tensor) const noexcept;
    /// A tensor whose memory holds the values as they are: no negative view. None if there is no such memory.
    [[nodiscard]] pybind11::object resolved(pybind11::handle tensor) const;
    /// What a tensor is, in memory of its own that lives as long as the tensor is left as it is. False, with no Python
    /// error set, if torch does not show it, or only by way of Python. Precondition: resolved().
    [[nodiscard]] bool view(pybind11::handle tensor, tensor::dlpack::Array& array) const;
    /// False, with no Python error set, if torch does not show the memory.
    [[nodiscard]] bool read_memory(pybind11::handle tensor, TorchMemory& memory) const;
    /// Precondition: resolved().
    /// @throws ArgumentError{type}, which begins with label(), for a tensor without such memory.
    template <typename Label>
    [[nodiscard]] TorchMemory memory_of(pybind11::handle tensor, Label&& label) const {
        TorchMemory memory;
        if (!read_memory(tensor, memory)) {
            refuse(tensor, label());
        }
        return memory;
    }

    /// The memory of a tensor on a GPU as one of `device`, which keeps it; nothing is ordered between streams. Null
    /// before torch 2.10, and where torch does not give it: its own __dlpack__() then says why.
    /// Precondition: resolved().
    /// @throws ArgumentError for a scalar type or memory that `device` cannot use.
    [[nodiscard]] tensor::TensorRef share(pybind11::handle tensor,
                                          const std::shared_ptr<device::Device>& device) const;

    /// The memory of a tensor of a device that shares it with CUDA, as a tensor of torch on the GPU; torch's current
    /// stream waits for the device. A tensor made before the sharing began is copied on the device.
    /// @throws ArgumentError before torch 2.10.
    [[nodiscard]] pybind11::object lend(const tensor::TensorRef& tensor) const;
    /// Copies the values, on torch's current stream; what `from` repeats, `to` holds once.
    void copy_stored(pybind11::handle to, pybind11::handle from) const;

    /// torch's current CUstream of a CUDA device; 0 is the default one.
    [[nodiscard]] std::uint64_t current_stream(const tensor::dlpack::Device& device) const;

    /// A new tensor without values on a GPU, by torch's allocator, in the order of its current stream.
    [[nodiscard]] pybind11::object empty_on_gpu(std::int32_t index,
                                                std::span<const std::int64_t> shape,
                                                reflect::ScalarKind kind) const;
    /// The same, like a contiguous tensor.
    [[nodiscard]] pybind11::object empty_like(PyObject* tensor) const;
    [[nodiscard]] pybind11::object zeros_like(PyObject* tensor) const;
    /// Of element 0; 0 if there is none.
    [[nodiscard]] std::uint64_t address_of(const pybind11::object& tensor) const;

    /// "f: argument 'x' is a meta tensor, ...". @throws ArgumentError{type} always.
    [[noreturn]] void refuse(pybind11::handle tensor, const std::string& label) const;
    /// The elements of a tensor as a new one of torch, a structure as a dict of them.
    /// @param on_device in memory of the tensor's GPU, if torch can use that; else on the CPU.
    [[nodiscard]] pybind11::object to_torch(const tensor::TensorRef& tensor, bool on_device) const;
    /// A new tensor of the CPU, and where its elements are. Its dtype's scalars are the last dimensions.
    [[nodiscard]] std::pair<pybind11::object, std::byte*>
    make_tensor(const reflect::Type& dtype, std::span<const std::int64_t> shape) const;
    /// Tells torch that these tensors were written.
    void note_writes(const pybind11::list& tensors) const;
    /// One tensor of a list that holds some.
    [[nodiscard]] pybind11::object stack(pybind11::handle list, const std::string& label) const;
    /// Warns once a process: a GradientWarning.
    void warn(const std::string& text) const;
    /// Calls a function that torch has to know of; see weft/torch/tracking.py.
    [[nodiscard]] pybind11::object track(const pybind11::object& function,
                                         const pybind11::object& this_value,
                                         const pybind11::tuple& arguments,
                                         const pybind11::dict& keywords) const;

private:
    TorchBridge();
    static const TorchBridge*& slot() noexcept;
    [[nodiscard]] pybind11::object allocate(tensor::dlpack::Array& prototype, void*& data) const;
    /// Takes the array over.
    [[nodiscard]] pybind11::object adopt(tensor::dlpack::VersionedArray* array) const;
    [[nodiscard]] pybind11::object share_with_torch(const tensor::TensorRef& tensor) const;

    pybind11::object m_bridge; ///< the module weft.torch.bridge
    pybind11::object m_is_grad_enabled;
    pybind11::object m_is_functional;
    pybind11::object m_is_forward_enabled;
    pybind11::object m_forward_mode; ///< the module torch.autograd.forward_ad
    pybind11::str m_current_level;
    pybind11::object m_mode_count;
    pybind11::object m_is_recorded;
    pybind11::object m_increment;
    pybind11::object m_plain_classes; ///< tuple
    pybind11::str m_requires_grad;
    pybind11::str m_is_cuda;
    pybind11::str m_is_neg;
    pybind11::object m_empty; ///< torch.empty
    pybind11::object m_empty_like;
    pybind11::object m_zeros_like;
    pybind11::tuple m_empty_names; ///< of its arguments after the shape
    mutable std::map<reflect::ScalarKind, pybind11::object>
        m_dtypes;                                            ///< of torch, made when asked for
    mutable std::map<std::int32_t, pybind11::object> m_gpus; ///< torch.device
    mutable pybind11::object m_track; ///< track() that torch.compile does not read; null without it
    const tensor::dlpack::ExchangeTable* m_table = nullptr; ///< null before torch 2.10
};

/// A tensor of torch on the CPU as an argument of a call. The caller keeps the tensor.
class TorchArray final : public dispatch::HostArray {
public:
    TorchArray(TorchMemory memory, reflect::ScalarKind kind, pybind11::handle tensor);

    void read_as(reflect::ScalarKind kind, std::span<std::byte> out,
                 std::string_view parameter) const override;
    void write_from(reflect::ScalarKind kind, std::span<const std::byte> bytes,
                    std::string_view parameter) override;
    [[nodiscard]] std::span<std::byte> memory() const noexcept override;
    [[nodiscard]] bool is_packed() const noexcept override;
    [[nodiscard]] std::shared_ptr<void> keep_alive() const override;

private:
    std::byte* m_data;
    pybind11::handle m_tensor;
    std::vector<std::int64_t> m_strides; ///< bytes
};

} // namespace weft::python
