// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.hpp"

#include <memory>

namespace weft::device {

/// Devices whose kernels can be compiled where there is none of them.
enum class CompileFor : std::uint8_t {
    software, ///< Vulkan on a CPU, as Mesa's llvmpipe
    vulkan,   ///< a Vulkan GPU that has all that Weft knows to use
    cuda,     ///< an NVIDIA GPU from sm_80 on
};

/// A device that says that it is one of those, holds memory on the host, and runs nothing: what reads results gets zeros.
/// Kernels for CUDA are compiled by NVRTC, and their images go to `desc.cache_directory` (core/kernel_images.hpp).
/// @throws DeviceError{unavailable} for cuda if Weft was built without it, or NVRTC is not there.
[[nodiscard]] std::shared_ptr<Device> create_compile_only(CompileFor kind, const DeviceDesc& desc);

} // namespace weft::device
