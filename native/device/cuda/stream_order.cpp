// SPDX-License-Identifier: Apache-2.0
// Order with the streams of others, torch's above all, which are not blocking: without an event the legacy default
// stream knows nothing of them. A launch that uses lent memory alone needs none: it goes into their stream itself.
#include "device/cuda/stream_order.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/cuda/device.hpp"

namespace weft::device::cuda {

CUstream to_handle(std::uint64_t stream) noexcept {
    return reinterpret_cast<CUstream>(static_cast<std::uintptr_t>(stream)); // NOLINT: from torch
}

bool is_captured(const Driver& driver, CUstream stream) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    check(driver, driver.cuStreamIsCapturing(stream, &status), "cuStreamIsCapturing", "dispatch");
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void require_not_captured(const Driver& driver, CUstream stream, std::string_view function,
                          std::string_view reason) {
    if (is_captured(driver, stream)) {
        throw core::ArgumentError(
            core::text(function, ": torch captures a CUDA graph on its current stream, and ",
                       reason, ", or make the call before or after the capture"));
    }
}

CUstream CudaDevice::foreign_stream(std::uint64_t stream) const noexcept {
    const CUstream theirs = to_handle(stream);
    return theirs == m_queue->stream() ? nullptr : theirs;
}

bool CudaDevice::is_capturing(std::uint64_t stream) const {
    require_open("is_capturing");
    const CUstream theirs = foreign_stream(stream);
    const CurrentContext current(*m_context);
    return theirs != nullptr && is_captured(m_context->driver(), theirs);
}

std::string CudaDevice::reason_for_queue(const CudaKernel& kernel, const Dispatch& dispatch) {
    for (const BufferUse& use : dispatch.buffers) {
        if (!use.buffer->is_lent()) {
            return core::text("the call uses memory of Weft's own ('",
                              static_cast<const CudaBuffer*>(use.buffer)->label(),
                              "'), which a graph of torch cannot hold; pass tensors of torch on "
                              "the GPU for all arrays and results");
        }
    }
    if (!dispatch.globals.empty()) {
        return "the call sets uniforms, which a graph of torch cannot hold; make them parameters "
               "of the function";
    }
    if (kernel.arguments_by_address()) {
        return core::text("its ", dispatch.arguments.size(),
                          " bytes of arguments are more than a launch takes; pass fewer arrays");
    }
    return {};
}

void CudaDevice::order(CUstream first, CUstream second, std::string_view function) {
    const Driver& driver = m_context->driver();
    if (!m_order) {
        m_order = std::make_unique<Event>(*m_context);
    }
    // One event will do: a wait means the event's last record before it, not later ones.
    check(driver, driver.cuEventRecord(m_order->get(), first), "cuEventRecord", function);
    check(driver, driver.cuStreamWaitEvent(second, m_order->get(), CU_EVENT_WAIT_DEFAULT),
          "cuStreamWaitEvent", function);
    m_queue->note_submission();
}

void CudaDevice::wait_for_stream(std::uint64_t stream) {
    order_streams(stream, true, "wait_for_stream");
}

void CudaDevice::make_stream_wait(std::uint64_t stream) {
    require_open("make_stream_wait");
    order_streams(stream, false, "make_stream_wait");
}

void CudaDevice::order_streams(std::uint64_t other, bool is_other_first,
                               std::string_view function) {
    const CUstream theirs = foreign_stream(other);
    if (theirs == nullptr) {
        return;
    }
    m_context->require_usable(function);
    const std::lock_guard lock(m_mutex);
    require_open(function);
    const CurrentContext current(*m_context);
    require_not_captured(m_context->driver(), theirs, function,
                         "memory of Weft's own cannot be ordered with it; pass tensors of torch "
                         "on the GPU to calls of Weft");
    order(is_other_first ? theirs : m_queue->stream(), is_other_first ? m_queue->stream() : theirs,
          function);
}

} // namespace weft::device::cuda
