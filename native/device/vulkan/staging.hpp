// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/staged_transfer.hpp"
#include "device/vulkan/buffer.hpp"

#include <string_view>
#include <vector>

namespace weft::device::vulkan {

class VulkanDevice;

/// A piece of a large transfer, between a slot and a buffer.
struct StagedPiece {
    VulkanBuffer& buffer;
    std::uint64_t offset; ///< bytes from the start of the buffer
    VkBuffer slot;
    std::uint64_t slot_offset = 0; ///< bytes from the start of `slot`
    AccessMarks& marks;            ///< of the slot
    std::uint64_t size_bytes;
    bool is_upload;
    bool& is_ordered; ///< whether earlier work on the buffer is; guarded by the device's lock
    std::string_view function;
};

/// Large transfers of a device whose memory the host does not see, by slots of host memory, 32 MiB at most. Every piece is
/// a batch of its own, in order with the kernels. Thread-safe; call without the device's lock.
class Staging final : public StagedTransfer {
public:
    /// The device owns it.
    Staging(VulkanDevice& device, const Context& context) noexcept
        : StagedTransfer(kBytes), m_device(device), m_context(context) {}

    /// `bytes` may be reused at return.
    void upload(VulkanBuffer& target, std::uint64_t offset, std::span<const std::byte> bytes,
                const core::InterruptPoll& poll);
    void download(VulkanBuffer& source, std::uint64_t offset, std::span<std::byte> bytes,
                  const core::InterruptPoll& poll);
    /// Frees slots and threads until the next transfer; waits for one that is under way, and the caller for the device.
    /// @return bytes.
    std::uint64_t trim(const core::InterruptPoll& poll);

private:
    static constexpr std::uint64_t kBytes =
        2 * kPageBytes; ///< submitting smaller pieces would cost too much
    static constexpr std::size_t kSlots = 8;

    struct Slot {
        BlockMemory block;
        AccessMarks marks;
        std::uint64_t value = 0; ///< batch of its last copy
    };

    std::byte* memory(std::size_t slot) override { return m_slots[slot].block.mapped; }
    void queue_copy(std::size_t slot, std::uint64_t offset, std::uint64_t size) override;
    bool is_done(std::size_t slot) override;
    void begin(VulkanBuffer& buffer, std::uint64_t offset, bool is_upload,
               std::uint64_t size_bytes);

    VulkanDevice& m_device;
    const Context& m_context;
    std::vector<Slot> m_slots;
    VulkanBuffer* m_buffer = nullptr; ///< of the transfer, as what follows
    std::uint64_t m_offset = 0;
    bool m_is_upload = false;
    bool m_is_ordered = false;
};

} // namespace weft::device::vulkan
