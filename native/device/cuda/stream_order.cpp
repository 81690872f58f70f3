// SPDX-License-Identifier: Apache-2.0
// Order with the streams of others, torch's above all, which are not blocking: without an event the legacy default
// stream knows nothing of them.
#include "core/error.hpp"
#include "core/text.hpp"
#include "device/cuda/device.hpp"

namespace weft::device::cuda {
namespace {

CUstream to_handle(std::uint64_t stream) noexcept {
    return reinterpret_cast<CUstream>(static_cast<std::uintptr_t>(stream)); // NOLINT: from torch
}

void require_not_captured(const Driver& driver, CUstream stream, std::string_view function) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    check(driver, driver.cuStreamIsCapturing(stream, &status), "cuStreamIsCapturing", function);
    if (status != CU_STREAM_CAPTURE_STATUS_NONE) {
        throw core::ArgumentError(core::text(
            function,
            ": torch captures a CUDA graph on its current stream, and calls of Weft cannot be "
            "captured; make the call before or after the capture, or record it with append_to()"));
    }
}

} // namespace

void CudaDevice::wait_for_stream(std::uint64_t stream) {
    order_streams(stream, true, "wait_for_stream");
}

void CudaDevice::make_stream_wait(std::uint64_t stream) {
    order_streams(stream, false, "make_stream_wait");
}

void CudaDevice::order_streams(std::uint64_t other, bool is_other_first,
                               std::string_view function) {
    const CUstream theirs = to_handle(other);
    if (theirs == nullptr || theirs == m_queue->stream()) {
        return;
    }
    m_context->require_usable(function);
    const std::lock_guard lock(m_mutex);
    require_open(function);
    const CurrentContext current(*m_context);
    const Driver& driver = m_context->driver();
    require_not_captured(driver, theirs, function);
    if (!m_order) {
        m_order = std::make_unique<Event>(*m_context);
    }
    // One event will do: a wait means the event's last record before it, not later ones.
    const CUstream first = is_other_first ? theirs : m_queue->stream();
    const CUstream second = is_other_first ? m_queue->stream() : theirs;
    check(driver, driver.cuEventRecord(m_order->get(), first), "cuEventRecord", function);
    check(driver, driver.cuStreamWaitEvent(second, m_order->get(), CU_EVENT_WAIT_DEFAULT),
          "cuStreamWaitEvent", function);
    m_queue->note_submission();
}

} // namespace weft::device::cuda
