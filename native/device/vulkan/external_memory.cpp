// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/external_memory.hpp"

#include "core/text.hpp"
#include "device/vulkan/device.hpp"

#include <algorithm>

namespace weft::device::vulkan {
namespace {

constexpr std::string_view kSharing = "share_with_cuda";

/// How the blocks of the pool become CUDA's.
BlockShare share_blocks(const Context& context, CudaImporter& importer, LentMemory& lent) {
    return {.share = [&](const BlockMemory& block) -> std::uint64_t {
                std::shared_ptr<const ImportedMemory> memory = importer.import_memory(
                    export_memory(context, block.memory.get()), block.allocated_bytes);
                if (!memory) {
                    return 0;
                }
                const std::uint64_t address = memory->address();
                lent.add(std::move(memory));
                return address;
            },
            .unshare = [&](std::uint64_t address) { lent.remove(address); }};
}

} // namespace

bool can_export(const InstanceApi& api, VkPhysicalDevice device) {
    const VkPhysicalDeviceExternalBufferInfo buffer{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .pNext = nullptr,
        .flags = 0,
        .usage = buffer_info(MemoryPool::kAlignment).usage,
        .handleType = kExportedMemory};
    VkExternalBufferProperties buffers{};
    buffers.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
    api.get_external_buffers(device, &buffer, &buffers);
    const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                         .pNext = nullptr,
                                         .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                         .initialValue = 0};
    const VkPhysicalDeviceExternalSemaphoreInfo semaphore{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
        .pNext = &type,
        .handleType = kExportedSemaphore};
    VkExternalSemaphoreProperties semaphores{};
    semaphores.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES;
    api.get_external_semaphores(device, &semaphore, &semaphores);
    return (buffers.externalMemoryProperties.externalMemoryFeatures &
            VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) != 0 &&
           (semaphores.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) !=
               0;
}

ExternalHandle export_memory(const Context& context, VkDeviceMemory memory) {
    const VkMemoryGetFdInfoKHR info{.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                    .pNext = nullptr,
                                    .memory = memory,
                                    .handleType = kExportedMemory};
    int descriptor = -1;
    context.check(context.api().vkGetMemoryFdKHR(context.handle(), &info, &descriptor),
                  "vkGetMemoryFdKHR", "create_buffer");
    return ExternalHandle(descriptor);
}

ExternalHandle export_semaphore(const Context& context, VkSemaphore semaphore) {
    const VkSemaphoreGetFdInfoKHR info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                       .pNext = nullptr,
                                       .semaphore = semaphore,
                                       .handleType = kExportedSemaphore};
    int descriptor = -1;
    context.check(context.api().vkGetSemaphoreFdKHR(context.handle(), &info, &descriptor),
                  "vkGetSemaphoreFdKHR", kSharing);
    return ExternalHandle(descriptor);
}

CudaSharing::CudaSharing(const Context& context, std::shared_ptr<CudaImporter> importer,
                         VkSemaphore timeline, QueueView queue, PoolDesc pool)
    : m_context(context), m_importer(std::move(importer)),
      m_timeline(m_importer->import_semaphore(export_semaphore(context, timeline))),
      m_source(context, context.adapter().memory.device, std::move(queue),
               share_blocks(context, *m_importer, *m_lent)),
      m_pool(m_source, std::move(pool)) {}

StreamLink& CudaSharing::link(std::uint64_t stream) {
    const auto found = m_links.find(stream);
    if (found != m_links.end()) {
        return found->second;
    }
    StreamLink link{.semaphore = create_timeline(m_context, 0, true, kSharing),
                    .imported = nullptr};
    link.imported = m_importer->import_semaphore(export_semaphore(m_context, link.semaphore.get()));
    return m_links.emplace(stream, std::move(link)).first->second;
}

void CudaSharing::close() noexcept {
    m_importer->finish(); // streams may wait for the timeline still, and read what goes now
    m_pool.close();
    m_links.clear();
    m_timeline.reset();
}

void VulkanDevice::share_with_cuda(std::int32_t ordinal, std::string_view context) {
    if (const CudaSharing* const shared = m_shared.load(std::memory_order_acquire);
        shared != nullptr && shared->importer().ordinal() == ordinal) {
        return;
    }
    const UseGate::Use use(m_gate);
    require_open(context);
    std::shared_ptr<CudaImporter> importer =
        create_cuda_importer(ordinal, m_context->adapter().uuid, m_info.name, context);
    if (!m_context->adapter().exports_memory) {
        throw core::DeviceError(
            core::text(context, ": the Vulkan driver of '", m_info.name, "' (", m_info.driver,
                       ") cannot share memory with CUDA (VK_KHR_external_memory_fd and "
                       "VK_KHR_external_semaphore_fd); update it, move the tensor with .cpu(), or "
                       "use a CUDA device"),
            core::DeviceError::Kind::unavailable);
    }
    const std::lock_guard lock(m_mutex);
    if (m_sharing) {
        return; // another thread was first
    }
    m_queue->submit();
    m_queue->wait_for(m_queue->submitted(), {}, kSharing);
    m_sharing = std::make_unique<CudaSharing>(
        *m_context, std::move(importer), m_queue->export_timeline(), queue_view(),
        PoolDesc{
            .device_name = m_info.name, .max_cached = m_info.memory_bytes / 4, .limit = m_limit});
    m_shared.store(m_sharing.get(), std::memory_order_release);
}

std::int32_t VulkanDevice::cuda_ordinal() const noexcept {
    const CudaSharing* const shared = m_shared.load(std::memory_order_acquire);
    return shared == nullptr ? -1 : shared->importer().ordinal();
}

std::shared_ptr<Buffer> VulkanDevice::find_lent_to_cuda(std::uint64_t cuda_address,
                                                        std::uint64_t size_bytes) const {
    const CudaSharing* const shared = m_shared.load(std::memory_order_acquire);
    return shared == nullptr ? nullptr : shared->lent().find(cuda_address, size_bytes);
}

std::shared_ptr<void> VulkanDevice::lend_to_cuda(const std::shared_ptr<Buffer>& buffer,
                                                 std::uint64_t stream) {
    const UseGate::Use use(m_gate);
    require_open("lend_to_cuda");
    own(*buffer, "lend_to_cuda");
    const CudaSharing* const shared = m_shared.load(std::memory_order_acquire);
    if (shared == nullptr || buffer->cuda_address() == 0) {
        throw core::InternalError("lend_to_cuda: expected a buffer that CUDA knows");
    }
    return shared->lent().lend(buffer, stream);
}

void VulkanDevice::wait_for_stream(std::uint64_t stream) {
    CudaSharing* const shared = m_shared.load(std::memory_order_acquire);
    if (shared == nullptr) {
        return;
    }
    const std::lock_guard lock(m_mutex);
    require_open("wait_for_stream");
    shared->importer().require_not_captured(stream, "wait_for_stream");
    shared->lent().forget_returned(stream);
    StreamLink& link = shared->link(stream);
    shared->importer().signal(stream, *link.imported, link.signalled + 1);
    ++link.signalled;
    m_queue->wait_before_next(link.semaphore.get(), link.signalled);
}

void VulkanDevice::make_stream_wait(std::uint64_t stream) {
    CudaSharing* const shared = m_shared.load(std::memory_order_acquire);
    if (shared == nullptr) {
        return;
    }
    const std::lock_guard lock(m_mutex);
    require_open("make_stream_wait");
    shared->importer().require_not_captured(stream, "make_stream_wait");
    m_queue->submit();
    StreamLink& link = shared->link(stream);
    if (const std::uint64_t value = m_queue->submitted(); link.waited < value) {
        shared->importer().wait(stream, shared->timeline(), value);
        link.waited = value;
    }
}

/// Memory that came back from users of CUDA is handed out again: what uses it next comes after them.
void VulkanDevice::order_returned_memory(CudaSharing& sharing) {
    for (const std::uint64_t stream : sharing.lent().returned()) {
        wait_for_stream(stream);
    }
}

} // namespace weft::device::vulkan
