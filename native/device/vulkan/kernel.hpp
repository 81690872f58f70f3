// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kernel.hpp"
#include "device/vulkan/context.hpp"
#include "device/vulkan/loop_watch.hpp"
#include "device/vulkan/pipeline_cache.hpp"

#include <list>
#include <memory>
#include <string>
#include <vector>

namespace weft::device::vulkan {

class VulkanDevice;

/// Everything of a kernel that the driver owns. The device keeps it, so that it can outlive the
/// Kernel until the last dispatch has finished, and die with the device.
struct Pipeline {
    std::vector<UniqueSetLayout> sets; ///< index = descriptor set number; empty without bindings
    UniquePipelineLayout layout;
    UniquePipeline handle;
    std::uint32_t report_offset =
        0; ///< bytes; where push constants hold the watch's address, 0: nowhere
    std::uint64_t last_use = 0; ///< value of the last batch; guarded by the device's lock
};

/// @param watch: of a driver that ends loops, else null.
/// @throws CompileError if the driver rejects the code, ArgumentError if it asks for more than the
///         device has.
[[nodiscard]] Pipeline create_pipeline(const Context& context, VkPipelineCache cache,
                                       const KernelDesc& desc, LoopWatch* watch);

/// The immutable facts of a KernelDesc, and where its Pipeline is.
class VulkanKernel final : public Kernel {
public:
    VulkanKernel(std::shared_ptr<VulkanDevice> device, std::list<Pipeline>::iterator pipeline,
                 const KernelDesc& desc);
    ~VulkanKernel() override;

    const VulkanDevice* device() const noexcept { return m_device.get(); }
    const std::string& label() const noexcept { return m_label; }
    std::list<Pipeline>::iterator pipeline() const noexcept { return m_pipeline; }
    std::uint32_t argument_bytes() const noexcept { return m_argument_bytes; }
    bool arguments_by_address() const noexcept { return m_arguments_by_address; }
    std::uint32_t storage_bindings() const noexcept { return m_storage_bindings; }
    const GlobalBlock& globals() const noexcept { return m_globals; }
    std::uint64_t threads_per_group() const noexcept { return m_threads_per_group; }

private:
    std::shared_ptr<VulkanDevice> m_device;
    std::list<Pipeline>::iterator m_pipeline;
    std::string m_label;
    std::uint32_t m_argument_bytes;
    bool m_arguments_by_address;
    std::uint32_t m_storage_bindings;
    GlobalBlock m_globals;
    std::uint64_t m_threads_per_group;
};

} // namespace weft::device::vulkan
