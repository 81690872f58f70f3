// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/ray_queries.hpp"

#include "core/text.hpp"
#include "device/checks.hpp"
#include "device/vulkan/device.hpp"

#include <algorithm>
#include <numeric>

namespace weft::device::vulkan {
namespace {

constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
    VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;
constexpr const char* kTriangles = "build_triangles";
constexpr const char* kInstances = "build_instances";
constexpr const char* kCompact = "compact";

using UniqueQueries = Handle<VkQueryPool, &VolkDeviceTable::vkDestroyQueryPool>;

std::uint32_t structure_memory(const Context& context) {
    const std::optional<MemoryTypes> types = context.memory_types(kUsage, "ray_queries");
    if (!types) {
        throw core::DeviceError(core::text("ray_queries: ", context.adapter().info.name,
                                           " has no memory type for acceleration structures; use "
                                           "the tracer bvh, or update the driver"),
                                core::DeviceError::Kind::unavailable);
    }
    return types->device;
}

VkPhysicalDeviceAccelerationStructurePropertiesKHR read_limits(const Context& context) {
    VkPhysicalDeviceAccelerationStructurePropertiesKHR limits{};
    limits.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &limits;
    context.instance().api().get_properties(context.adapter().handle, &properties);
    return limits;
}

VkBuildAccelerationStructureFlagsKHR flags_of(const TriangleBuild& build) {
    return VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR |
           (build.is_movable ? VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR
                             : VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR);
}

VkAccelerationStructureGeometryKHR geometry_of(const TriangleInput& input) {
    VkAccelerationStructureGeometryKHR geometry{};
    geometry.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
    geometry.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
    geometry.flags = VK_GEOMETRY_OPAQUE_BIT_KHR;
    VkAccelerationStructureGeometryTrianglesDataKHR& triangles = geometry.geometry.triangles;
    triangles.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR;
    triangles.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT;
    triangles.vertexData.deviceAddress = input.positions->address();
    triangles.vertexStride = 3 * sizeof(float);
    triangles.maxVertex = input.vertex_count - 1;
    triangles.indexType = VK_INDEX_TYPE_UINT32;
    triangles.indexData.deviceAddress = input.triangles->address();
    return geometry;
}

VkAccelerationStructureGeometryKHR geometry_of(const Buffer& records) {
    VkAccelerationStructureGeometryKHR geometry{};
    geometry.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
    geometry.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
    geometry.flags = VK_GEOMETRY_OPAQUE_BIT_KHR;
    geometry.geometry.instances.sType =
        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR;
    geometry.geometry.instances.data.deviceAddress = records.address();
    return geometry;
}

std::uint64_t align_up(std::uint64_t size, std::uint64_t alignment) {
    return (size + alignment - 1) / alignment * alignment;
}

} // namespace

class VulkanRayQueries::Structure final : public AccelerationStructure {
public:
    Structure(VulkanRayQueries& queries, const std::shared_ptr<VulkanBuffer>& memory,
              std::list<StructureHandle>::iterator handle, std::uint64_t address)
        : AccelerationStructure(memory), m_queries(queries), m_handle(handle) {
        m_address = address;
    }
    ~Structure() override { m_queries.release(m_handle, buffer()); }

    VkAccelerationStructureKHR handle() const noexcept { return m_handle->handle.get(); }
    VulkanBuffer& buffer() const noexcept { return static_cast<VulkanBuffer&>(*m_memory); }
    VulkanRayQueries& queries() const noexcept { return m_queries; }

private:
    VulkanRayQueries& m_queries;
    const std::list<StructureHandle>::iterator m_handle;
};

/// One entry of vkCmdBuildAccelerationStructuresKHR, and what it touches.
struct VulkanRayQueries::Build {
    VkAccelerationStructureGeometryKHR geometry{};
    VkAccelerationStructureBuildGeometryInfoKHR info{};
    VkAccelerationStructureBuildRangeInfoKHR range{};
    std::vector<VulkanBuffer*> read{};
    std::shared_ptr<Structure> made{};
    std::shared_ptr<VulkanBuffer> scratch{}; ///< of all builds of a call
    std::uint64_t scratch_offset = 0;
    std::string_view function{};
};

VulkanRayQueries::VulkanRayQueries(VulkanDevice& device, QueueView queue, PoolDesc pool)
    : m_device(device), m_context(*device.m_context), m_limits(read_limits(m_context)),
      m_source(m_context, structure_memory(m_context), std::move(queue)),
      m_pool(m_source, std::move(pool)) {
    m_source.set_usage(kUsage);
}

std::shared_ptr<VulkanBuffer> VulkanRayQueries::allocate(std::uint64_t size_bytes,
                                                         std::string_view label) {
    if (size_bytes > m_device.info().limits.max_buffer_size) {
        throw core::DeviceError(
            core::text("create_buffer: '", label, "' asks for ", size_bytes, " bytes, device '",
                       m_device.info().name, "' allows at most ",
                       m_device.info().limits.max_buffer_size, " in one buffer; split the mesh"),
            core::DeviceError::Kind::out_of_memory);
    }
    const Allocation allocation = m_pool.allocate(size_bytes, label);
    auto buffer =
        std::make_shared<VulkanBuffer>(m_device.shared_from_this(), m_pool, allocation, false);
    if (!m_device.m_queue->is_finished(allocation.ready)) {
        // As in VulkanDevice::create_buffer: whoever had the range before may use it still.
        buffer->marks().read_epoch = buffer->marks().write_epoch = m_device.m_queue->epoch();
    }
    return buffer;
}

std::shared_ptr<Buffer> VulkanRayQueries::create_input(const BufferDesc& desc) {
    const UseGate::Use use(m_device.m_gate);
    m_device.require_open("create_input");
    return allocate(std::max<std::uint64_t>(desc.size_bytes, 1), desc.label);
}

std::shared_ptr<VulkanRayQueries::Structure>
VulkanRayQueries::create(std::uint64_t size_bytes, VkAccelerationStructureTypeKHR type) {
    const VolkDeviceTable& api = m_context.api();
    const auto memory = allocate(size_bytes, "acceleration structures");
    const VkAccelerationStructureCreateInfoKHR info{
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .pNext = nullptr,
        .createFlags = 0,
        .buffer = memory->handle(),
        .offset = memory->offset(),
        .size = size_bytes,
        .type = type,
        .deviceAddress = 0};
    VkAccelerationStructureKHR handle = VK_NULL_HANDLE;
    m_context.check(
        api.vkCreateAccelerationStructureKHR(m_context.handle(), &info, nullptr, &handle),
        "vkCreateAccelerationStructureKHR", kTriangles);
    UniqueStructure owner(m_context, handle);
    const VkAccelerationStructureDeviceAddressInfoKHR place{
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .pNext = nullptr,
        .accelerationStructure = handle};
    const VkDeviceAddress address =
        api.vkGetAccelerationStructureDeviceAddressKHR(m_context.handle(), &place);
    std::list<StructureHandle> one;
    one.push_back({.handle = std::move(owner)});
    const auto slot = one.begin();
    {
        const std::lock_guard lock(m_device.m_mutex);
        drop_retired();
        m_live.splice(m_live.end(), one);
    }
    return std::make_shared<Structure>(*this, memory, slot, address);
}

VulkanRayQueries::Build VulkanRayQueries::describe(const TriangleBuild& build) {
    require_build(build);
    Build out;
    out.function = kTriangles;
    out.geometry = geometry_of(build.input);
    out.info.type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR;
    out.info.flags = flags_of(build);
    out.info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR;
    out.range.primitiveCount = build.input.triangle_count;
    out.read = {&m_device.own(*build.input.positions, kTriangles),
                &m_device.own(*build.input.triangles, kTriangles)};
    if (build.from != nullptr) {
        const auto& from = static_cast<const Structure&>(*build.from);
        out.info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
        out.info.srcAccelerationStructure = from.handle();
        out.read.push_back(&m_device.own(*from.memory(), kTriangles));
    }
    return out;
}

VulkanRayQueries::Build VulkanRayQueries::describe_instances(Buffer& records, std::uint32_t count) {
    require_instances(records, count);
    Build out;
    out.function = kInstances;
    out.geometry = geometry_of(records);
    out.info.type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR;
    out.info.flags = VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR;
    out.info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR;
    out.range.primitiveCount = count;
    out.read = {&m_device.own(records, kInstances)};
    return out;
}

/// Makes the structures, empty as yet, and room for all builds to work in side by side.
void VulkanRayQueries::prepare(std::span<Build> builds) {
    const std::uint64_t alignment =
        std::max<std::uint64_t>(m_limits.minAccelerationStructureScratchOffsetAlignment, 1);
    std::uint64_t scratch_size = 0;
    for (Build& build : builds) {
        build.info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR;
        build.info.geometryCount = 1;
        build.info.pGeometries = &build.geometry;
        VkAccelerationStructureBuildSizesInfoKHR sizes{};
        sizes.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR;
        m_context.api().vkGetAccelerationStructureBuildSizesKHR(
            m_context.handle(), VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &build.info,
            &build.range.primitiveCount, &sizes);
        build.made = create(sizes.accelerationStructureSize, build.info.type);
        build.info.dstAccelerationStructure = build.made->handle();
        const bool is_update = build.info.mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
        build.scratch_offset = scratch_size;
        scratch_size +=
            align_up(is_update ? sizes.updateScratchSize : sizes.buildScratchSize, alignment);
    }
    const auto scratch = allocate(scratch_size + alignment, "scratch of acceleration structures");
    for (Build& build : builds) {
        build.scratch = scratch;
        build.info.scratchData.deviceAddress =
            align_up(scratch->address(), alignment) + build.scratch_offset;
    }
    std::uint64_t most = m_scratch_bytes.load();
    while (most < scratch->size_bytes() &&
           !m_scratch_bytes.compare_exchange_weak(most, scratch->size_bytes())) {
    }
}

void VulkanRayQueries::record(std::span<Build> builds) {
    std::unique_lock lock(m_device.m_mutex);
    m_device.require_open(builds.front().function);
    m_device.wait_for_room(lock, 0, builds.front().function);
    CommandQueue& queue = *m_device.m_queue;
    const VkCommandBuffer commands = queue.open();
    // A top level reads structures that nothing here names.
    queue.barrier();
    std::vector<VkAccelerationStructureBuildGeometryInfoKHR> infos;
    std::vector<const VkAccelerationStructureBuildRangeInfoKHR*> ranges;
    std::uint64_t primitives = 0;
    for (Build& build : builds) {
        infos.push_back(build.info);
        ranges.push_back(&build.range);
        primitives += build.range.primitiveCount;
        for (VulkanBuffer* const buffer : build.read) {
            queue.mark(buffer->marks(), BufferAccess::read);
        }
        queue.mark(build.scratch->marks(), BufferAccess::read_write);
        queue.mark(build.made->buffer().marks(), BufferAccess::write);
    }
    m_context.api().vkCmdBuildAccelerationStructuresKHR(
        commands, static_cast<std::uint32_t>(infos.size()), infos.data(), ranges.data());
    queue.finish_command(primitives);
}

std::vector<AccelerationStructureRef>
VulkanRayQueries::build_triangles(std::span<const TriangleBuild> builds) {
    const UseGate::Use use(m_device.m_gate);
    m_device.require_open(kTriangles);
    std::vector<Build> all;
    for (const TriangleBuild& build : builds) {
        all.push_back(describe(build));
    }
    std::vector<AccelerationStructureRef> made;
    if (all.empty()) {
        return made;
    }
    prepare(all);
    record(all);
    std::ranges::transform(all, std::back_inserter(made),
                           [](const Build& build) { return build.made; });
    return made;
}

AccelerationStructureRef VulkanRayQueries::build_instances(Buffer& records, std::uint32_t count) {
    const UseGate::Use use(m_device.m_gate);
    m_device.require_open(kInstances);
    Build build = describe_instances(records, count);
    prepare({&build, 1});
    record({&build, 1});
    return build.made;
}

std::vector<std::uint64_t>
VulkanRayQueries::compacted_sizes(std::span<const AccelerationStructureRef> structures) {
    const auto count = static_cast<std::uint32_t>(structures.size());
    const VolkDeviceTable& api = m_context.api();
    const VkQueryPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                     .pNext = nullptr,
                                     .flags = 0,
                                     .queryType =
                                         VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
                                     .queryCount = count,
                                     .pipelineStatistics = 0};
    VkQueryPool pool = VK_NULL_HANDLE;
    m_context.check(api.vkCreateQueryPool(m_context.handle(), &info, nullptr, &pool),
                    "vkCreateQueryPool", kCompact);
    const UniqueQueries owner(m_context, pool);
    std::vector<VkAccelerationStructureKHR> handles;
    for (const AccelerationStructureRef& structure : structures) {
        handles.push_back(static_cast<const Structure&>(*structure).handle());
    }
    {
        std::unique_lock lock(m_device.m_mutex);
        m_device.wait_for_room(lock, 0, kCompact);
        const VkCommandBuffer commands = m_device.m_queue->open();
        m_device.m_queue->barrier();
        api.vkCmdResetQueryPool(commands, pool, 0, count);
        api.vkCmdWriteAccelerationStructuresPropertiesKHR(
            commands, count, handles.data(),
            VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR, pool, 0);
        m_device.m_queue->submit();
    }
    m_device.m_queue->wait_for(m_device.m_queue->submitted(), m_device.m_poll, kCompact);
    std::vector<std::uint64_t> sizes(count);
    m_context.check(api.vkGetQueryPoolResults(m_context.handle(), pool, 0, count,
                                              sizes.size() * sizeof(std::uint64_t), sizes.data(),
                                              sizeof(std::uint64_t),
                                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                    "vkGetQueryPoolResults", kCompact);
    return sizes;
}

std::vector<AccelerationStructureRef>
VulkanRayQueries::compact(std::span<const AccelerationStructureRef> structures) {
    const UseGate::Use use(m_device.m_gate);
    m_device.require_open(kCompact);
    std::vector<AccelerationStructureRef> copies(structures.size());
    if (structures.empty()) {
        return copies;
    }
    const std::vector<std::uint64_t> sizes = compacted_sizes(structures);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        auto& from = static_cast<Structure&>(*structures[i]);
        if (sizes[i] > from.memory()->size_bytes() / 10 * 9) {
            continue;
        }
        const auto copy = create(sizes[i], VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR);
        const VkCopyAccelerationStructureInfoKHR info{
            .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
            .pNext = nullptr,
            .src = from.handle(),
            .dst = copy->handle(),
            .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR};
        std::unique_lock lock(m_device.m_mutex);
        m_device.wait_for_room(lock, 0, kCompact);
        const VkCommandBuffer commands = m_device.m_queue->open();
        m_device.order(from.buffer(), BufferAccess::read);
        m_device.order(copy->buffer(), BufferAccess::write);
        m_context.api().vkCmdCopyAccelerationStructureKHR(commands, &info);
        m_device.m_queue->finish_command(0);
        copies[i] = copy;
    }
    return copies;
}

void VulkanRayQueries::drop_retired() noexcept {
    const std::uint64_t completed = m_device.m_queue->completed();
    m_retired.remove_if(
        [&](const StructureHandle& structure) { return structure.last_use <= completed; });
}

void VulkanRayQueries::release(std::list<StructureHandle>::iterator handle,
                               VulkanBuffer& memory) noexcept {
    const std::lock_guard lock(m_device.m_mutex);
    if (m_device.is_closed()) {
        return;
    }
    // Rays reach bottom levels through the top level: no mark says when the last of them does.
    handle->last_use = m_device.m_queue->last_value();
    memory.marks().last_use = std::max(memory.marks().last_use, handle->last_use);
    m_retired.splice(m_retired.end(), m_live, handle);
    drop_retired();
}

void VulkanRayQueries::close() noexcept {
    m_retired.clear();
    m_live.clear();
    m_pool.close();
}

} // namespace weft::device::vulkan
