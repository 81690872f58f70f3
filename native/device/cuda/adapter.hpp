// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/driver.hpp"
#include "device/device.hpp"

#include <vector>

namespace weft::device::cuda {

/// Compute capability: {9, 0} is an H100 or H200.
struct Architecture {
    int major = 0;
    int minor = 0;

    /// 90, as NVRTC counts.
    int number() const noexcept { return major * 10 + minor; }
};

/// One GPU as the driver describes it.
struct Adapter {
    CUdevice device = 0;
    Architecture architecture;
    DeviceInfo info;
};

/// All GPUs in the driver's order, which CUDA_VISIBLE_DEVICES changes. Creates no context.
[[nodiscard]] std::vector<Adapter> list_adapters(const Driver& driver);

} // namespace weft::device::cuda
