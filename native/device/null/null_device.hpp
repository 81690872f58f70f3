// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.hpp"
#include "device/null/null_ray_queries.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace weft::device {

/// A device that keeps memory on the host and runs nothing: for tests of threads and for measuring
/// what the host side of a call costs. Checks calls as a real device does; copies, fills and
/// uploads are carried out.
class NullDevice : public Device {
public:
    virtual std::uint64_t dispatch_count() const noexcept = 0;
    virtual std::uint64_t flush_count() const noexcept = 0;
    NullRayQueries* ray_queries() override = 0;

protected:
    using Device::Device;
};

/// @param features: what it says that it can do; everything a GPU can unless given.
[[nodiscard]] std::shared_ptr<NullDevice> create_null_device();
[[nodiscard]] std::shared_ptr<NullDevice> create_null_device(const DeviceFeatures& features);

/// Sees what create_kernel() gets, in the thread that calls it.
using KernelSink = std::function<void(const KernelDesc&)>;
/// One whose buffers hold zeros until they are written to.
/// @param info: what it says of itself. @param sink: empty: nobody looks at its kernels.
[[nodiscard]] std::shared_ptr<NullDevice> create_null_device(const DeviceInfo& info,
                                                             KernelSink sink);

} // namespace weft::device
