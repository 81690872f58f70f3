// SPDX-License-Identifier: Apache-2.0
// The one in-order queue: records lazily, submits in batches, knows what has finished.
//
// A batch is one command buffer with the descriptor sets and ring slices it uses. Batches live in a
// circle: the oldest is reused once its timeline value is reached. Submission n signals value n, so
// "value" means "the batch that a piece of work belongs to" everywhere in this backend.
#pragma once

#include "device/device.hpp"
#include "device/vulkan/context.hpp"
#include "device/vulkan/descriptors.hpp"
#include "device/vulkan/upload_ring.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::device::vulkan {

/// What an export is for CUDA.
inline constexpr VkExternalSemaphoreHandleTypeFlagBits kExportedSemaphore =
    VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;

/// A semaphore that counts up from `value`. @param is_exported whether another API may have it.
[[nodiscard]] UniqueSemaphore create_timeline(const Context& context, std::uint64_t value,
                                              bool is_exported, std::string_view function);

/// What decides when a batch is submitted without being asked, and when a command waits for room.
struct BatchLimits {
    std::uint32_t commands = 256; ///< dispatches and copies
    std::uint64_t threads = std::uint64_t{1}
                            << 22; ///< enough work to keep the device busy meanwhile
    std::uint32_t in_flight = 16;  ///< submitted and not finished; nothing takes them back
};

/// For a device that shares its cores with the host: what is queued ends soon after Ctrl-C.
inline constexpr BatchLimits kSoftwareBatches{
    .commands = 256, .threads = std::uint64_t{1} << 16, .in_flight = 3};

/// Marks on a buffer that tell when a barrier is due; "epoch" counts the barriers recorded so far.
struct AccessMarks {
    std::uint64_t read_epoch = 0;
    std::uint64_t write_epoch = 0;
    std::uint64_t last_use = 0;   ///< value of the last batch that touches the buffer
    std::uint64_t last_write = 0; ///< value of the last batch that writes it
};

/// Not thread-safe, except for completed(), submitted(), epoch() and wait_for(): the device's lock
/// guards the rest.
class CommandQueue {
public:
    CommandQueue(const Context& context, BatchLimits limits);
    ~CommandQueue();
    CommandQueue(const CommandQueue&) = delete;
    CommandQueue& operator=(const CommandQueue&) = delete;

    /// 0 if open() and a take() of so many bytes need not wait, else the submitted value to wait for before
    /// asking again. May submit.
    [[nodiscard]] std::uint64_t value_before_room(std::uint64_t size_bytes,
                                                  std::uint64_t alignment);
    /// The command buffer being recorded; begins one if none is. Waits for the oldest batch unless
    /// value_before_room() said that it need not.
    VkCommandBuffer open();
    /// The value of the batch being recorded, or of the next one that will be.
    std::uint64_t open_value() const noexcept { return m_open_value; }
    /// The value of the last batch that has commands.
    std::uint64_t last_value() const noexcept;
    /// Barriers separate builds of acceleration structures, and rays traced by the driver, from now on.
    void order_structures() noexcept;
    /// Memory for host data that the next command reads. May submit and wait for room, as open() may, so a
    /// command takes once and before it records anything.
    RingSlice take(std::uint64_t size_bytes, std::uint64_t alignment);
    /// True if the access must wait for an earlier one that no barrier separates it from.
    bool conflicts(const AccessMarks& marks, BufferAccess access) const noexcept;
    /// Separates everything recorded so far from everything that follows.
    void barrier();
    /// Notes an access by the next command; after every conflict of that command is resolved.
    void mark(AccessMarks& marks, BufferAccess access) const noexcept;
    VkDescriptorSet allocate_set(VkDescriptorSetLayout layout);
    /// Counts one command of so many threads and submits if a limit is reached.
    void finish_command(std::uint64_t threads);
    /// Submits the open batch, if any. @throws DeviceError: then the batch is kept for the next try, or the device
    /// is lost.
    void submit();
    /// The next batch that is submitted starts once the semaphore, which counts up, has reached `value`.
    void wait_before_next(VkSemaphore semaphore, std::uint64_t value);
    /// From now on every batch signals a second timeline, which other APIs may have. The queue must be idle.
    /// (The first one stays the queue's own: the validation layer does not follow what was exported.)
    VkSemaphore export_timeline();

    VkBuffer ring_buffer() const noexcept { return m_ring.buffer(); }
    std::uint64_t max_slice() const noexcept { return m_ring.max_slice(); }
    std::uint64_t submitted() const noexcept { return m_submitted.load(std::memory_order_acquire); }
    std::uint64_t epoch() const noexcept { return m_epoch.load(std::memory_order_relaxed); }
    std::uint64_t completed() const noexcept;
    bool is_finished(std::uint64_t value) const noexcept;
    /// Blocks until `value` is reached; polls every 50 ms. @param function for messages.
    void wait_for(std::uint64_t value, const InterruptPoll& poll, std::string_view function) const;

private:
    static constexpr std::uint32_t kBatches = 16; ///< of all devices, the most in flight

    struct Batch {
        UniqueCommandPool pool;
        VkCommandBuffer commands = VK_NULL_HANDLE;
        DescriptorAllocator descriptors;
        std::uint64_t value = 0;
        std::uint64_t ring_position = 0; ///< free up to here once finished
    };

    Batch& next_batch();
    void retire();
    void end_open();
    bool finishes_while_spinning(std::uint64_t value) const noexcept;
    void record_barrier(VkPipelineStageFlags stages, VkAccessFlags access);

    /// What barriers separate.
    struct Scope {
        VkPipelineStageFlags stages =
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
        VkAccessFlags writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
        VkAccessFlags reads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
    };

    const Context& m_context;
    const BatchLimits m_limits;
    Scope m_scope;
    UniqueSemaphore m_timeline;
    UniqueSemaphore m_exported;       ///< empty, or of the same value
    std::vector<VkSemaphore> m_waits; ///< of the next batch, with their values
    std::vector<std::uint64_t> m_wait_values;
    UploadRing m_ring;
    std::array<Batch, kBatches> m_batches;
    std::uint32_t m_first = 0; ///< oldest batch in flight
    std::uint32_t m_in_flight = 0;
    VkCommandBuffer m_open = VK_NULL_HANDLE;
    VkCommandBuffer m_ended =
        VK_NULL_HANDLE; ///< recorded, but its submission failed; of the same batch as m_open
    std::uint64_t m_open_value = 1;
    std::uint32_t m_commands = 0;
    std::uint64_t m_threads = 0;
    std::atomic<std::uint64_t> m_submitted{0};
    std::atomic<std::uint64_t> m_epoch{1};
    mutable std::atomic<std::uint64_t> m_completed{0};
};

} // namespace weft::device::vulkan
