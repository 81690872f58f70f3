// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/command_queue.hpp"
#include "device/staged_transfer.hpp"

#include <vector>

namespace weft::device::cuda {

/// Large transfers by slots of pinned memory, 32 MiB at most. Their copies go into the one stream, so they are in order
/// with the kernels. Thread-safe; call with the context current and without the device's lock.
class Staging final : public StagedTransfer {
public:
    Staging(const Context& context, CommandQueue& queue) noexcept
        : StagedTransfer(kPageBytes), m_context(context), m_queue(queue) {}
    /// The queue is empty.
    ~Staging() override { release(); }

    /// `bytes` may be reused at return.
    void upload(CUdeviceptr target, std::span<const std::byte> bytes,
                const core::InterruptPoll& poll);
    void download(CUdeviceptr source, std::span<std::byte> bytes, const core::InterruptPoll& poll);
    /// Frees slots and threads until the next transfer; waits for one that is under way. @return bytes.
    std::uint64_t trim(const core::InterruptPoll& poll);

private:
    static constexpr std::size_t kSlots = 16;
    static constexpr std::size_t kBlockSlots = 4; ///< of one allocation

    struct Slot {
        std::byte* memory = nullptr;
        std::unique_ptr<Event> event;
        bool is_recorded = false;
    };

    std::byte* memory(std::size_t slot) override { return m_slots[slot].memory; }
    void queue_copy(std::size_t slot, std::uint64_t offset, std::uint64_t size) override;
    bool is_done(std::size_t slot) override;
    void begin(CUdeviceptr address, bool is_upload, std::uint64_t size_bytes);
    void provide(std::size_t count);
    void release() noexcept;

    const Context& m_context;
    CommandQueue& m_queue;
    std::vector<void*> m_blocks;
    std::vector<Slot> m_slots;
    CUdeviceptr m_address = 0; ///< of the transfer, as the two below
    bool m_is_upload = false;
    std::string_view m_function;
};

} // namespace weft::device::cuda
