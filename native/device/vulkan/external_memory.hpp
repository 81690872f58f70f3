// SPDX-License-Identifier: Apache-2.0
// The exporting half of memory shared with CUDA; see device/external_memory.hpp. Start reading at
// VulkanDevice::share_with_cuda in the source.
//
// Order: every stream of CUDA that a call brings has a semaphore of its own, which the stream counts up before Weft
// submits, and a timeline of the queue is what streams wait for afterwards. The host waits for neither.
#pragma once

#include "device/external_memory.hpp"
#include "device/vulkan/command_queue.hpp"
#include "device/vulkan/memory.hpp"

#include <memory>
#include <unordered_map>

namespace weft::device::vulkan {

/// Whether memory for buffers and counting semaphores of an adapter can go to another API.
[[nodiscard]] bool can_export(const InstanceApi& api, VkPhysicalDevice device);

/// Memory that try_allocate() made for export.
[[nodiscard]] ExternalHandle export_memory(const Context& context, VkDeviceMemory memory);
/// A semaphore that create_timeline() made for export.
[[nodiscard]] ExternalHandle export_semaphore(const Context& context, VkSemaphore semaphore);

/// A stream of CUDA beside the queue.
struct StreamLink {
    UniqueSemaphore semaphore;
    std::shared_ptr<const ImportedSemaphore> imported;
    std::uint64_t signalled = 0; ///< what the stream counts the semaphore up to
    std::uint64_t waited = 0;    ///< the last batch that the stream waits for
};

/// What a device shares with CUDA. Guarded by the device's lock, except for what is thread-safe by itself.
class CudaSharing {
public:
    CudaSharing(const Context& context, std::shared_ptr<CudaImporter> importer,
                VkSemaphore timeline, QueueView queue, PoolDesc pool);

    CudaImporter& importer() const noexcept { return *m_importer; }
    /// Memory that CUDA knows. Thread-safe.
    MemoryPool& pool() noexcept { return m_pool; }
    LentMemory& lent() const noexcept { return *m_lent; }
    const ImportedSemaphore& timeline() const noexcept { return *m_timeline; }
    StreamLink& link(std::uint64_t stream);
    /// Lets go of everything of Vulkan; the pool stays for living buffers, and lent memory for its users.
    void close() noexcept;

private:
    const Context& m_context;
    std::shared_ptr<CudaImporter> m_importer;
    std::shared_ptr<LentMemory> m_lent = std::make_shared<LentMemory>();
    std::shared_ptr<const ImportedSemaphore> m_timeline;
    std::unordered_map<std::uint64_t, StreamLink> m_links; ///< by CUstream
    BlockSource m_source;
    MemoryPool m_pool;
};

} // namespace weft::device::vulkan
