// SPDX-License-Identifier: Apache-2.0
// VK_KHR_acceleration_structure for a VulkanDevice. Structures, and what builds read, lie in a pool of their own, whose
// buffers have the usage that the extension asks for. A structure's handle outlives the last batch that can use it, as
// pipelines do. Start reading at VulkanRayQueries::build_triangles in the source.
#pragma once

#include "device/ray_queries.hpp"
#include "device/vulkan/buffer.hpp"

#include <atomic>
#include <list>

namespace weft::device::vulkan {

class VulkanDevice;

using UniqueStructure =
    Handle<VkAccelerationStructureKHR, &VolkDeviceTable::vkDestroyAccelerationStructureKHR>;

struct StructureHandle {
    UniqueStructure handle;
    std::uint64_t last_use = 0; ///< value of the last batch, once nobody has the structure
};

class VulkanRayQueries final : public RayQueries {
public:
    VulkanRayQueries(VulkanDevice& device, QueueView queue, PoolDesc pool);

    std::uint64_t max_triangles() const noexcept override { return m_limits.maxPrimitiveCount; }
    std::uint64_t max_instances() const noexcept override { return m_limits.maxInstanceCount; }
    std::shared_ptr<Buffer> create_input(const BufferDesc& desc) override;
    std::vector<AccelerationStructureRef>
    build_triangles(std::span<const TriangleBuild> builds) override;
    std::vector<AccelerationStructureRef>
    compact(std::span<const AccelerationStructureRef> structures) override;
    AccelerationStructureRef build_instances(Buffer& records, std::uint32_t count) override;
    std::uint64_t scratch_bytes() const noexcept override { return m_scratch_bytes.load(); }

    MemoryInfo statistics() const { return m_pool.statistics(); }
    /// As MemoryPool::trim().
    std::uint64_t trim() noexcept { return m_pool.trim(); }
    /// Nobody has the structure any more; its handle goes once the device has finished.
    void release(std::list<StructureHandle>::iterator handle, VulkanBuffer& memory) noexcept;
    /// Lets go of everything of Vulkan. The device's lock is held.
    void close() noexcept;

private:
    class Structure;
    struct Build;

    std::shared_ptr<VulkanBuffer> allocate(std::uint64_t size_bytes, std::string_view label);
    std::shared_ptr<Structure> create(std::uint64_t size_bytes,
                                      VkAccelerationStructureTypeKHR type);
    Build describe(const TriangleBuild& build);
    Build describe_instances(Buffer& records, std::uint32_t count);
    void prepare(std::span<Build> builds);
    void record(std::span<Build> builds);
    std::vector<std::uint64_t>
    compacted_sizes(std::span<const AccelerationStructureRef> structures);
    void drop_retired() noexcept;

    VulkanDevice& m_device;
    const Context& m_context;
    VkPhysicalDeviceAccelerationStructurePropertiesKHR m_limits{};
    BlockSource m_source;
    MemoryPool m_pool;
    std::list<StructureHandle> m_live; ///< guarded by the device's lock, as m_retired
    std::list<StructureHandle> m_retired;
    std::atomic<std::uint64_t> m_scratch_bytes{0};
};

} // namespace weft::device::vulkan
