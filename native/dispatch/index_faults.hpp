// SPDX-License-Identifier: Apache-2.0
// Indices outside tensors, of devices that look for them. shaders/weft/faults.slang is the other side: it reports the
// first such index, and lets the kernel go on with memory that is nobody's.
#pragma once

#include "codegen/kernel.hpp"
#include "dispatch/launch.hpp"

#include <memory>

namespace weft::dispatch {

/// Memory of one device that kernels report to. Reports of calls that run side by side are told apart by their tensors.
class IndexFaults {
public:
    /// @throws DeviceError if memory is short.
    explicit IndexFaults(device::Device& device);

    /// Makes the kernel look at the indices of its tensors. False if it has none.
    bool watch(codegen::Kernel& kernel) const;
    /// For the launch of such a kernel.
    [[nodiscard]] device::BufferUse use() const noexcept;
    /// After the device has run the call.
    /// @throws ArgumentError{index} naming function, parameter, index and shape if an index was outside; the next report
    ///         is then awaited.
    void require_none(const LaunchPlan& plan, const CallState& state,
                      const ArgumentList& arguments);

private:
    std::shared_ptr<device::Buffer> m_buffer;
};

} // namespace weft::dispatch
