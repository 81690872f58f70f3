// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/result_memory.hpp"
#include "tensor/dlpack.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <span>
#include <utility>
#include <vector>

namespace weft::python {

/// Results of a call in memory of torch's own allocator on the device's GPU, in the order of torch's current stream.
/// Lives as long as the call. Under the interpreter lock.
class TorchCallMemory final : public ResultMemory {
public:
    /// Tensors of the call, which results may be like.
    using Prototypes = std::span<const std::pair<const tensor::ArrayLayout*, PyObject*>>;

    /// @param lends_results false: only what the call needs meanwhile.
    TorchCallMemory(device::Device& device, Prototypes prototypes, bool lends_results) noexcept
        : m_device(device), m_prototypes(prototypes), m_lends_results(lends_results) {}

    /// Null for structures, which leave as dicts, and for vectors with gaps between them.
    tensor::TensorRef result(const tensor::ArrayLayoutRef& layout) override;
    std::shared_ptr<device::Buffer> scratch(std::uint64_t size_bytes) override;

private:
    /// A tensor of torch without values.
    pybind11::object allocate(std::span<const std::int64_t> shape, reflect::ScalarKind kind) const;
    std::shared_ptr<device::Buffer> lend(const pybind11::object& owner, std::uint64_t size_bytes);

    device::Device& m_device;
    Prototypes m_prototypes;
    bool m_lends_results;
    std::vector<pybind11::object> m_scratch;
};

/// Fills `array` with the memory of a tensor of torch on the GPU that `device` is, or that it shares memory with; its
/// scalar type. Nothing for all that lies elsewhere, for freed storage, and for what torch does not show by C functions.
[[nodiscard]] std::optional<reflect::ScalarKind>
view_on_gpu(const device::Device& device, pybind11::handle tensor, tensor::dlpack::Array& array);

/// An array on the GPU of a CUDA device, as it lies.
/// @param keep_alive held with the memory; null if somebody else keeps it.
[[nodiscard]] tensor::TensorRef wrap_lent(device::Device& device,
                                          const tensor::dlpack::Array& array,
                                          const tensor::ArrayLayoutRef& layout,
                                          std::shared_ptr<void> keep_alive);

/// The memory of a tensor of torch on the GPU of `device`, as it lies, which follows torch's current stream as the tensor
/// itself does (Device::lend). Null for all that lies elsewhere, or that torch does not show by C functions. What calls
/// write there is not told to torch.
[[nodiscard]] tensor::TensorRef lend_torch_tensor(device::Device& device, pybind11::handle tensor);

} // namespace weft::python
