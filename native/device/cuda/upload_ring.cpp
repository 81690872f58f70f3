// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/upload_ring.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/cuda/memory.hpp"

namespace weft::device::cuda {
namespace {

constexpr std::uint64_t kAlignment = 256;

} // namespace

UploadRing::~UploadRing() {
    if (m_memory != nullptr) {
        m_context.driver().cuMemFreeHost(m_memory);
    }
}

std::uint64_t UploadRing::trim() noexcept {
    if (m_memory == nullptr) {
        return 0;
    }
    const BesideCapture unhindered(m_context.driver());
    m_context.driver().cuMemFreeHost(m_memory);
    m_memory = nullptr;
    m_segment = 0;
    m_offset = 0;
    for (Segment& segment : m_segments) {
        segment.is_recorded = false; // nothing is on its way any more
    }
    return m_segments.size() * kSegmentBytes;
}

std::byte* UploadRing::take(std::uint64_t size_bytes, std::string_view function) {
    if (size_bytes > kSegmentBytes) {
        throw core::InternalError(core::text(function, ": expected at most ", kSegmentBytes,
                                             " bytes for the upload ring, got ", size_bytes));
    }
    if (m_memory == nullptr) [[unlikely]] {
        allocate(function);
    }
    if (m_offset + size_bytes > kSegmentBytes) {
        enter_next_segment(function);
    }
    std::byte* const slice = m_memory + m_segment * kSegmentBytes + m_offset;
    m_offset += (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
    return slice;
}

void UploadRing::allocate(std::string_view function) {
    const BesideCapture unhindered(m_context.driver());
    for (Segment& segment : m_segments) {
        if (!segment.event) {
            segment.event = std::make_unique<Event>(m_context);
        }
    }
    const std::uint64_t size_bytes = m_segments.size() * kSegmentBytes;
    const std::optional<MemoryBlock> block = try_allocate_host(m_context.driver(), size_bytes);
    if (!block) {
        throw core::DeviceError(
            core::text(function, ": expected ", size_bytes >> 20,
                       " MiB of pinned host memory for uploads, got none; close other programs"),
            core::DeviceError::Kind::out_of_memory, "cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY);
    }
    m_memory = block->mapped;
}

void UploadRing::enter_next_segment(std::string_view function) {
    Segment& left = m_segments[m_segment];
    m_queue.record(*left.event, function);
    left.is_recorded = true;
    const std::size_t next = (m_segment + 1) % m_segments.size();
    if (m_segments[next].is_recorded) {
        const BesideCapture unhindered(m_context.driver());
        const Driver& driver = m_context.driver();
        check(driver, driver.cuEventSynchronize(m_segments[next].event->get()),
              "cuEventSynchronize", function);
    }
    m_segment = next;
    m_offset = 0;
}

} // namespace weft::device::cuda
