// SPDX-License-Identifier: Apache-2.0
// Memory of numpy and torch that a software device works on where it is: new arrays for results, and tensors lent for
// calls that are waited for.
#pragma once

#include "dispatch/options.hpp"
#include "python/result_memory.hpp"

namespace weft::python {

/// Large results of the kinds `numpy` and `torch`, the latter on the CPU.
class HostCallMemory final : public ResultMemory {
public:
    HostCallMemory(device::Device& device, dispatch::ReturnKind kind) noexcept
        : m_device(device), m_kind(kind) {}

    /// Null for small ones, and for those that look different on the host.
    tensor::TensorRef result(const tensor::ArrayLayoutRef& layout) override;
    std::shared_ptr<device::Buffer> scratch(std::uint64_t) override { return nullptr; }
    [[nodiscard]] bool is_of_host() const noexcept override {
        return m_kind == dispatch::ReturnKind::numpy || m_kind == dispatch::ReturnKind::torch;
    }

private:
    device::Device& m_device;
    dispatch::ReturnKind m_kind;
};

/// A tensor of torch as one of the device, in its own memory: the caller waits for the device before it lets anybody
/// else have that. Null where that takes a copy (a GPU, gaps, odd places, small ones).
[[nodiscard]] tensor::TensorRef lend_host_tensor(device::Device& device, pybind11::handle tensor);

} // namespace weft::python
