// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/context.hpp"
#include "device/kernel.hpp"

#include <array>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace weft::device::cuda {

class CudaDevice;

/// What the driver holds of a kernel. The device keeps it, so that it can outlive the Kernel until the last launch
/// has finished, and die with the device.
struct Module {
    CUmodule handle = nullptr;
    CUfunction function = nullptr;
    CUdeviceptr globals_address = 0; ///< of the GlobalBlock, 0 without one
    std::uint32_t parameter_bytes =
        0; ///< what a launch reads of the arguments, or more: their tail padding
    std::uint32_t shared_bytes = 0; ///< what a launch gives of KernelDesc::shared_bytes
    std::uint64_t last_use = 0;     ///< submission of the last launch; guarded by the device's lock
    /// It ran in a stream of somebody else, where its end is not known and a graph may hold it: it stays.
    bool is_used_elsewhere = false;
};

/// Loads machine code. Needs the context current.
/// @return nullopt if the driver refuses the image as such (not made for this GPU or driver, or damaged), with
///         its code in `reason`.
/// @throws ArgumentError if the kernel needs smaller groups on this GPU; DeviceError if the driver fails.
[[nodiscard]] std::optional<Module> try_load_module(const Context& context,
                                                    std::span<const std::byte> image,
                                                    const KernelDesc& desc, CUresult& reason);

/// The immutable facts of a KernelDesc, and where its Module is.
class CudaKernel final : public Kernel {
public:
    CudaKernel(std::shared_ptr<CudaDevice> device, std::list<Module>::iterator module,
               const KernelDesc& desc);
    ~CudaKernel() override;

    const CudaDevice* device() const noexcept { return m_device.get(); }
    Module& module() const noexcept { return *m_module; }
    const std::string& label() const noexcept { return m_label; }
    const std::array<std::uint32_t, 3>& group_size() const noexcept { return m_group_size; }
    std::uint32_t argument_bytes() const noexcept { return m_argument_bytes; }
    bool arguments_by_address() const noexcept { return m_arguments_by_address; }
    std::uint32_t global_bytes() const noexcept { return m_global_bytes; }

private:
    std::shared_ptr<CudaDevice> m_device;
    std::list<Module>::iterator m_module;
    std::string m_label;
    std::array<std::uint32_t, 3> m_group_size;
    std::uint32_t m_argument_bytes;
    bool m_arguments_by_address;
    std::uint32_t m_global_bytes;
};

} // namespace weft::device::cuda
