// SPDX-License-Identifier: Apache-2.0
// The CUDA backend as the rest of Weft sees it. Start reading in device.hpp beside this file.
#pragma once

#include "device/device.hpp"
#include "device/null/null_device.hpp"

#include <memory>
#include <vector>

namespace weft::device {

/// The NVIDIA GPUs of this machine. Empty without a driver; never throws.
[[nodiscard]] std::vector<DeviceInfo> enumerate_cuda();

/// @throws DeviceError{unavailable} if there is no driver or GPU; ArgumentError for an adapter out of range.
[[nodiscard]] std::shared_ptr<Device> create_cuda_device(const DeviceDesc& desc);

/// Compiles each kernel for the architectures that Weft ships machine code of, and to PTX; the images go to the cache
/// `desc.cache_directory` (core/kernel_images.hpp). Needs no driver.
/// @throws DeviceError{unavailable}, at the first kernel, if NVRTC is not there.
[[nodiscard]] KernelSink create_image_writer(const DeviceDesc& desc);

namespace cuda {

struct Driver;

/// The same with a driver that was loaded already.
[[nodiscard]] std::vector<DeviceInfo> enumerate_devices(const Driver& driver);
[[nodiscard]] std::shared_ptr<Device> create_device(const std::shared_ptr<const Driver>& driver,
                                                    const DeviceDesc& desc);

} // namespace cuda
} // namespace weft::device
