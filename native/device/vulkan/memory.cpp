// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/memory.hpp"

#include "device/vulkan/host_blocks.hpp"

namespace weft::device::vulkan {
namespace {

constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
    VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
constexpr const char* kFunction = "create_buffer";

/// VkBuffer is a pointer or a 64-bit integer, by platform.
static_assert(sizeof(VkBuffer) <= sizeof(void*), "MemoryBlock::native must hold a VkBuffer");

bool is_out_of_memory(VkResult result) noexcept {
    return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
           result == VK_ERROR_TOO_MANY_OBJECTS || result == VK_ERROR_MEMORY_MAP_FAILED;
}

/// True on success, false if out of memory. @throws DeviceError otherwise.
bool succeeded(const Context& context, VkResult result, const char* call) {
    if (is_out_of_memory(result)) {
        return false;
    }
    context.check(result, call, kFunction);
    return true;
}

VkResult create_buffer(const Context& context, std::uint64_t size_bytes, const BlockUse& use,
                       VkBuffer& buffer) {
    const VkExternalMemoryBufferCreateInfo external{
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .pNext = nullptr,
        .handleTypes = kExportedMemory};
    VkBufferCreateInfo info = buffer_info(size_bytes);
    info.pNext = use.is_exported ? &external : nullptr;
    info.usage |= use.more_usage;
    return context.api().vkCreateBuffer(context.handle(), &info, nullptr, &buffer);
}

VkResult allocate_memory(const Context& context, VkBuffer buffer, std::uint32_t memory_type,
                         bool is_exported, BlockMemory& block) {
    VkMemoryRequirements requirements{};
    context.api().vkGetBufferMemoryRequirements(context.handle(), buffer, &requirements);
    const VkMemoryDedicatedAllocateInfo dedicated{
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .pNext = nullptr,
        .image = VK_NULL_HANDLE,
        .buffer = buffer};
    const VkExportMemoryAllocateInfo external{.sType =
                                                  VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                              .pNext = &dedicated,
                                              .handleTypes = kExportedMemory};
    const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                          .pNext = is_exported ? &external : nullptr,
                                          .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
                                          .deviceMask = 0};
    const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                    .pNext = &flags,
                                    .allocationSize = requirements.size,
                                    .memoryTypeIndex = memory_type};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    const VkResult result =
        context.api().vkAllocateMemory(context.handle(), &info, nullptr, &memory);
    if (result == VK_SUCCESS) {
        block.memory = UniqueMemory(context, memory);
        block.allocated_bytes = requirements.size;
    }
    return result;
}

/// Host memory of a discrete GPU stays mapped; its device memory is not mapped even where it could
/// be, because host reads across the bus are slow.
bool should_map(const Context& context, std::uint32_t memory_type) {
    const Adapter& adapter = context.adapter();
    const bool is_host = memory_type != adapter.memory.device || adapter.memory.is_unified;
    const VkMemoryPropertyFlags flags =
        adapter.memory_properties.memoryTypes[memory_type].propertyFlags;
    return is_host && (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
}

} // namespace

VkBufferCreateInfo buffer_info(std::uint64_t size_bytes) noexcept {
    return {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
            .pNext = nullptr,
            .flags = 0,
            .size = size_bytes,
            .usage = kUsage,
            .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
            .queueFamilyIndexCount = 0,
            .pQueueFamilyIndices = nullptr};
}

std::optional<BlockMemory> try_allocate(const Context& context, std::uint64_t size_bytes,
                                        std::uint32_t memory_type, const BlockUse& use) {
    if (size_bytes > context.adapter().info.limits.max_buffer_size) {
        return std::nullopt;
    }
    const VolkDeviceTable& api = context.api();
    BlockMemory block;
    VkBuffer buffer = VK_NULL_HANDLE;
    if (!succeeded(context, create_buffer(context, size_bytes, use, buffer), "vkCreateBuffer")) {
        return std::nullopt;
    }
    block.buffer = UniqueBuffer(context, buffer);
    if (!succeeded(context, allocate_memory(context, buffer, memory_type, use.is_exported, block),
                   "vkAllocateMemory")) {
        return std::nullopt;
    }
    const VkDeviceMemory memory = block.memory.get();
    if (!succeeded(context, api.vkBindBufferMemory(context.handle(), buffer, memory, 0),
                   "vkBindBufferMemory")) {
        return std::nullopt;
    }
    if (should_map(context, memory_type)) {
        void* mapped = nullptr;
        if (!succeeded(context,
                       api.vkMapMemory(context.handle(), memory, 0, VK_WHOLE_SIZE, 0, &mapped),
                       "vkMapMemory")) {
            return std::nullopt;
        }
        block.mapped = static_cast<std::byte*>(mapped);
    }
    const VkBufferDeviceAddressInfo address{
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .pNext = nullptr, .buffer = buffer};
    block.address = api.vkGetBufferDeviceAddress(context.handle(), &address);
    return block;
}

std::optional<MemoryBlock> BlockSource::allocate_block(std::uint64_t size_bytes) {
    std::unique_lock<std::mutex> promises;
    if (m_is_software) {
        promises = HostBlocks::of_process().lock();
        if (!HostBlocks::of_process().fits(size_bytes)) {
            return std::nullopt;
        }
    }
    std::optional<BlockMemory> block =
        try_allocate(m_context, size_bytes, m_memory_type,
                     {.is_exported = static_cast<bool>(m_share.share), .more_usage = m_more_usage});
    const std::uint64_t shared = block && m_share.share ? m_share.share(*block) : 0;
    if (!block || (m_share.share && shared == 0)) {
        return std::nullopt;
    }
    if (promises && block->mapped != nullptr) {
        HostBlocks::of_process().add({block->mapped, static_cast<std::size_t>(size_bytes)});
    }
    const MemoryBlock result{.native = reinterpret_cast<void*>(block->buffer.get()),
                             .address = block->address,
                             .mapped = block->mapped,
                             .size_bytes = size_bytes,
                             .cuda_address = shared};
    m_blocks.emplace(result.native, std::move(*block));
    return result;
}

void BlockSource::release_block(const MemoryBlock& block) noexcept {
    if (m_is_software) {
        HostBlocks::of_process().remove(block.mapped);
    }
    if (m_share.unshare) {
        m_share.unshare(block.cuda_address);
    }
    m_blocks.erase(block.native);
}

MemorySource::Budget BlockSource::budget() const noexcept {
    const Adapter& adapter = m_context.adapter();
    if (m_is_software) {
        if (const auto memory = HostBlocks::of_process().budget()) {
            return {.total = memory->total, .available = memory->available};
        }
    }
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
    budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
    VkPhysicalDeviceMemoryProperties2 memory{};
    memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    memory.pNext = adapter.has_memory_budget ? &budget : nullptr;
    m_context.instance().api().get_memory_properties(adapter.handle, &memory);
    const std::uint32_t heap = memory.memoryProperties.memoryTypes[m_memory_type].heapIndex;
    const std::uint64_t usable = budget.heapBudget[heap];
    const std::uint64_t used = budget.heapUsage[heap];
    return {.total = memory.memoryProperties.memoryHeaps[heap].size,
            .available = usable > used ? usable - used : 0};
}

VkBuffer buffer_of(const MemoryBlock& block) noexcept {
    return reinterpret_cast<VkBuffer>(block.native);
}

} // namespace weft::device::vulkan
