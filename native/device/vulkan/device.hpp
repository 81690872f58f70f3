// SPDX-License-Identifier: Apache-2.0
// The Vulkan device. Layers of this folder, bottom up: instance, adapter (what is there,
// features.hpp: what is asked for), context (the logical device), memory and upload_ring,
// descriptors, command_queue, buffer and kernel, device. Start reading at VulkanDevice::dispatch,
// then command_queue.hpp.
#pragma once

#include "device/device.hpp"
#include "device/pinned_memory.hpp"
#include "device/pinned_ranges.hpp"
#include "device/use_gate.hpp"
#include "device/vulkan/buffer.hpp"
#include "device/vulkan/command_queue.hpp"
#include "device/vulkan/external_memory.hpp"
#include "device/vulkan/host_memory.hpp"
#include "device/vulkan/kernel.hpp"
#include "device/vulkan/pipeline_cache.hpp"
#include "device/vulkan/ray_queries.hpp"
#include "device/vulkan/staging.hpp"

#include <atomic>
#include <list>
#include <memory>
#include <mutex>

namespace weft::device::vulkan {

inline constexpr std::uint32_t kMaxStorageBindings = 32;
inline constexpr std::uint32_t kMaxSets = 4; ///< what every Vulkan device has

class VulkanDevice final : public Device, public MemoryPinning {
public:
    VulkanDevice(std::shared_ptr<Instance> instance, const Adapter& adapter,
                 const DeviceDesc& desc);
    ~VulkanDevice() override;

    MemoryInfo memory_info() const override;
    std::uint64_t trim(const InterruptPoll& poll) override;
    std::uint64_t memory_limit() const noexcept override { return m_limit->bytes(); }
    void set_memory_limit(std::uint64_t bytes) override;
    std::shared_ptr<Buffer> create_buffer(const BufferDesc& desc) override;
    std::shared_ptr<Kernel> create_kernel(const KernelDesc& desc) override;
    void dispatch(const Dispatch& dispatch) override;
    void flush() override;
    void wait(const InterruptPoll& poll) override;
    void upload(Buffer& buffer, std::uint64_t offset, std::span<const std::byte> bytes) override;
    void download(const Buffer& buffer, std::uint64_t offset, std::span<std::byte> bytes,
                  const InterruptPoll& poll) override;
    void copy(Buffer& target, std::uint64_t target_offset, const Buffer& source,
              std::uint64_t source_offset, std::uint64_t size) override;
    void fill(Buffer& buffer, std::uint64_t offset, std::uint64_t size,
              std::uint32_t word) override;
    /// Software devices with VK_EXT_external_memory_host. `keep_alive` is released once commands that use the memory
    /// have finished, at the latest when the device closes.
    std::shared_ptr<Buffer> wrap_external(std::uint64_t address, std::uint64_t size_bytes,
                                          std::shared_ptr<void> keep_alive) override;
    /// Hardware with VK_EXT_external_memory_host.
    std::shared_ptr<void> pin(std::span<std::byte> pages) override;
    RayQueries* ray_queries() override;
    void close() override;
    bool is_closed() const noexcept override { return m_is_closed.load(std::memory_order_acquire); }
    void share_with_cuda(std::int32_t ordinal, std::string_view context) override;
    std::int32_t cuda_ordinal() const noexcept override;
    std::shared_ptr<Buffer> find_lent_to_cuda(std::uint64_t cuda_address,
                                              std::uint64_t size_bytes) const override;
    std::shared_ptr<void> lend_to_cuda(const std::shared_ptr<Buffer>& buffer,
                                       std::uint64_t stream) override;
    void wait_for_stream(std::uint64_t stream) override;
    void make_stream_wait(std::uint64_t stream) override;
    std::uint64_t validation_message_count() const noexcept override;
    std::vector<std::string> validation_messages() const override;

    /// The kernel is gone; its pipeline follows once the device has finished with it.
    void release_pipeline(std::list<Pipeline>::iterator pipeline) noexcept;

    /// Submits the copy of one piece of a large transfer. @return its batch.
    std::uint64_t copy_staged(const StagedPiece& piece);
    bool is_finished(std::uint64_t value) const noexcept { return m_queue->is_finished(value); }

private:
    friend class VulkanRayQueries;

    void require_open(std::string_view function) const;
    VulkanBuffer& own(const Buffer& buffer, std::string_view function) const;
    VulkanKernel& own(Kernel& kernel) const;
    void check_dispatch(const Dispatch& dispatch, const VulkanKernel& kernel) const;
    void order(const Dispatch& dispatch);
    void order(VulkanBuffer& buffer, BufferAccess access);
    void record(const Dispatch& dispatch, const VulkanKernel& kernel, const RingSlice& host_data);
    void bind_sets(const Dispatch& dispatch, const VulkanKernel& kernel,
                   const RingSlice& host_data);
    QueueView queue_view();
    void order_returned_memory(CudaSharing& sharing);
    void drop_retired(std::uint64_t completed) noexcept;
    void drain();
    std::uint64_t trim_pools() noexcept;
    /// Returns once a command with so many bytes of host data can be recorded; lets go of `lock` (of m_mutex)
    /// meanwhile. @throws DeviceError if the device was closed.
    void wait_for_room(std::unique_lock<std::mutex>& lock, std::uint64_t size_bytes,
                       std::string_view function);
    std::uint64_t ring_alignment() const noexcept;
    void close_with(const InterruptPoll& poll);
    void release_everything();
    void create_watch();
    /// To be called after a wait. @param written: batch that wrote what will be read, 0: none.
    /// @throws DeviceError if the driver ended a kernel's loop.
    void check_loops(std::uint64_t written, std::string_view function);
    /// Submits the open batch if it is needed to reach `value`. Returns the value to wait for.
    std::uint64_t submit_up_to(std::uint64_t value);
    /// Between pinned memory and a buffer. False: the bytes are not pinned.
    bool try_transfer_pinned(VulkanBuffer& buffer, std::uint64_t offset,
                             std::span<const std::byte> host, bool is_upload,
                             const InterruptPoll& poll);
    void download_staged(VulkanBuffer& buffer, std::uint64_t offset, std::span<std::byte> bytes,
                         const InterruptPoll& poll);
    void upload_through_ring(VulkanBuffer& target, std::uint64_t offset,
                             std::span<const std::byte> bytes);

    const std::shared_ptr<Instance> m_instance;
    const std::uint64_t
        m_first_message;    ///< number of messages in the log before this device was created
    mutable UseGate m_gate; ///< entered by calls that use the driver without m_mutex
    std::mutex m_closing;   ///< one close() at a time; taken before m_mutex
    std::mutex m_mutex;     ///< recording, marks, pipelines
    std::unique_ptr<Context> m_context;
    std::unique_ptr<PipelineCache> m_pipeline_cache;
    std::unique_ptr<CommandQueue> m_queue;
    const std::shared_ptr<MemoryLimit> m_limit; ///< of all pools but m_readback_pool
    std::unique_ptr<BlockSource> m_device_source;
    std::unique_ptr<BlockSource> m_readback_source;
    std::unique_ptr<MemoryPool> m_device_pool;
    std::unique_ptr<MemoryPool> m_readback_pool;
    std::unique_ptr<HostImports> m_imports;
    PinnedRanges m_pinned;
    std::unique_ptr<Staging> m_staging;          ///< of large transfers
    std::unique_ptr<CudaSharing> m_sharing;      ///< null until CUDA's memory comes; then for ever
    std::atomic<CudaSharing*> m_shared{nullptr}; ///< the same, for threads without the lock
    std::unique_ptr<VulkanRayQueries> m_ray_queries;   ///< null until they are asked for
    std::atomic<VulkanRayQueries*> m_tracing{nullptr}; ///< the same, for threads without the lock
    std::optional<BlockMemory> m_watched;              ///< memory of m_watch
    std::unique_ptr<LoopWatch> m_watch;                ///< null unless the driver ends loops
    std::list<Pipeline> m_pipelines;
    std::list<Pipeline> m_retired;
    VkPipeline m_bound = VK_NULL_HANDLE; ///< pipeline bound in m_bound_in
    std::uint64_t m_bound_in = 0;        ///< batch value
    const InterruptPoll m_poll;
    std::atomic<bool> m_is_closed{false}; ///< everything is released
};

} // namespace weft::device::vulkan
