// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/command_queue.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace weft::device::cuda {

/// Pinned host memory handed out in a circle: data on its way to the device. It has four segments; leaving one
/// records an event in it, and entering one waits for the event of its last round, so a slice costs no driver
/// call. Not thread-safe: the device's lock guards it, and the caller queues the copy out of a slice under the
/// lock under which it took it. Needs the context current.
class UploadRing {
public:
    /// The largest slice.
    static constexpr std::uint64_t kSegmentBytes = std::uint64_t{2} << 20;

    /// The memory is allocated by the first take().
    UploadRing(const Context& context, const CommandQueue& queue) noexcept
        : m_context(context), m_queue(queue) {}
    ~UploadRing();
    UploadRing(const UploadRing&) = delete;
    UploadRing& operator=(const UploadRing&) = delete;

    /// May wait for the device. @param size_bytes at most kSegmentBytes. @return memory aligned to 256 bytes.
    [[nodiscard]] std::byte* take(std::uint64_t size_bytes, std::string_view function);
    /// Frees the memory until the next take(). The queue is empty. @return its bytes.
    std::uint64_t trim() noexcept;

private:
    struct Segment {
        std::unique_ptr<Event> event; ///< null until the memory is allocated
        bool is_recorded = false;
    };

    void allocate(std::string_view function);
    void enter_next_segment(std::string_view function);

    const Context& m_context;
    const CommandQueue& m_queue;
    std::byte* m_memory = nullptr;
    std::array<Segment, 4> m_segments;
    std::size_t m_segment = 0;
    std::uint64_t m_offset = 0; ///< in the segment
};

} // namespace weft::device::cuda
