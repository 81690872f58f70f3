// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/host_memory.hpp"

#include <cstdint>

namespace weft::device::vulkan {
namespace {

constexpr VkExternalMemoryHandleTypeFlagBits kHostMemory =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

UniqueBuffer create_buffer(const Context& context, std::uint64_t size_bytes) {
    const VkExternalMemoryBufferCreateInfo external{
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .pNext = nullptr,
        .handleTypes = kHostMemory};
    VkBufferCreateInfo info = buffer_info(size_bytes);
    info.pNext = &external;
    VkBuffer buffer = VK_NULL_HANDLE;
    const VkResult result = context.api().vkCreateBuffer(context.handle(), &info, nullptr, &buffer);
    return result == VK_SUCCESS ? UniqueBuffer(context, buffer) : UniqueBuffer();
}

/// Whether the pages may be imported for `buffer` as memory of a type that needs no flush.
bool takes_pages(const Context& context, VkBuffer buffer, std::byte* pages,
                 std::uint64_t size_bytes) {
    VkMemoryHostPointerPropertiesEXT allowed{
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
        .pNext = nullptr,
        .memoryTypeBits = 0};
    VkMemoryRequirements wanted{};
    context.api().vkGetBufferMemoryRequirements(context.handle(), buffer, &wanted);
    const VkResult result = context.api().vkGetMemoryHostPointerPropertiesEXT(
        context.handle(), kHostMemory, pages, &allowed);
    const std::uint32_t types = allowed.memoryTypeBits & wanted.memoryTypeBits;
    return result == VK_SUCCESS && wanted.size <= size_bytes &&
           reinterpret_cast<std::uintptr_t>(pages) % wanted.alignment == 0 &&
           (types >> context.adapter().memory.readback & 1U) != 0;
}

UniqueMemory import_pages(const Context& context, std::byte* pages, std::uint64_t size_bytes) {
    const VkImportMemoryHostPointerInfoEXT import{
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .pNext = nullptr,
        .handleType = kHostMemory,
        .pHostPointer = pages};
    const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                          .pNext = &import,
                                          .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
                                          .deviceMask = 0};
    const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                    .pNext = &flags,
                                    .allocationSize = size_bytes,
                                    .memoryTypeIndex = context.adapter().memory.readback};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    const VkResult result =
        context.api().vkAllocateMemory(context.handle(), &info, nullptr, &memory);
    return result == VK_SUCCESS ? UniqueMemory(context, memory) : UniqueMemory();
}

std::optional<BlockMemory> try_block(const Context& context, std::byte* pages,
                                     std::uint64_t size_bytes) {
    BlockMemory block;
    block.buffer = create_buffer(context, size_bytes);
    if (!block.buffer || !takes_pages(context, block.buffer.get(), pages, size_bytes)) {
        return std::nullopt;
    }
    block.memory = import_pages(context, pages, size_bytes);
    if (!block.memory || context.api().vkBindBufferMemory(context.handle(), block.buffer.get(),
                                                          block.memory.get(), 0) != VK_SUCCESS) {
        return std::nullopt;
    }
    const VkBufferDeviceAddressInfo address{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                            .pNext = nullptr,
                                            .buffer = block.buffer.get()};
    block.address = context.api().vkGetBufferDeviceAddress(context.handle(), &address);
    block.mapped = pages;
    return block;
}

} // namespace

std::optional<HostImports::Place> HostImports::try_import(std::span<std::byte> range,
                                                          std::shared_ptr<void> keep_alive) {
    drop_finished();
    const std::uint64_t page = m_context.adapter().host_import_alignment;
    if (page == 0 || range.empty()) {
        return std::nullopt;
    }
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(range.data()) % page;
    const std::uint64_t size = (offset + range.size() + page - 1) / page * page;
    if (size > m_context.adapter().info.limits.max_buffer_size) {
        return std::nullopt;
    }
    std::optional<BlockMemory> block = try_block(m_context, range.data() - offset, size);
    if (!block) {
        return std::nullopt;
    }
    const std::lock_guard lock(m_mutex);
    return m_used.insert(m_used.end(), {.block = std::move(*block),
                                        .size_bytes = size,
                                        .offset = offset,
                                        .keep_alive = std::move(keep_alive),
                                        .last_use = 0});
}

void HostImports::release(Place place, std::uint64_t last_use) noexcept {
    std::shared_ptr<void> owner; // let go of without the lock
    const std::lock_guard lock(m_mutex);
    if (m_is_closed) {
        return;
    }
    if (m_completed() >= last_use) {
        owner = std::move(place->keep_alive);
        m_used.erase(place);
        return;
    }
    place->last_use = last_use;
    m_released.splice(m_released.end(), m_used, place);
}

void HostImports::drop_finished() {
    std::vector<std::shared_ptr<void>> owners; // let go of without the lock
    const std::lock_guard lock(m_mutex);
    if (m_released.empty()) {
        return;
    }
    const std::uint64_t completed = m_completed();
    std::erase_if(m_released, [&](HostPages& pages) {
        const bool is_finished = pages.last_use <= completed;
        if (is_finished) {
            owners.push_back(std::move(pages.keep_alive));
        }
        return is_finished;
    });
}

std::vector<std::shared_ptr<void>> HostImports::close() noexcept {
    std::vector<std::shared_ptr<void>> owners;
    const std::lock_guard lock(m_mutex);
    m_is_closed = true;
    for (std::list<HostPages>* pages : {&m_used, &m_released}) {
        for (HostPages& each : *pages) {
            owners.push_back(std::move(each.keep_alive));
        }
        pages->clear();
    }
    return owners;
}

} // namespace weft::device::vulkan
