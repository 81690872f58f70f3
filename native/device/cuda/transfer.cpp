// SPDX-License-Identifier: Apache-2.0
// Moving bytes. All of it goes through the one stream, so it is in order with the kernels by itself; pinned memory
// lies between, because only from there and to there does the GPU copy while the host goes on.
#include "core/text.hpp"
#include "device/checks.hpp"
#include "device/cuda/device.hpp"

#include <cstring>

namespace weft::device::cuda {
namespace {

/// Pinned memory for a while; the pool takes care that nobody gets it before the device has finished with it.
class Lease {
public:
    Lease(MemoryPool& pool, const CommandQueue& queue, std::uint64_t size_bytes)
        : m_pool(pool), m_queue(queue), m_memory(pool.allocate(size_bytes, "download")) {}
    ~Lease() { m_pool.free(m_memory, m_queue.submitted()); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    std::byte* data() const noexcept { return m_memory.mapped(); }

private:
    MemoryPool& m_pool;
    const CommandQueue& m_queue;
    Allocation m_memory;
};

CUdeviceptr pointer(const std::byte* host) noexcept {
    return reinterpret_cast<std::uintptr_t>(
        host); // unified addressing: cuMemcpyAsync knows both kinds
}

} // namespace

void CudaDevice::queue_upload(CUdeviceptr target, std::span<const std::byte> bytes,
                              std::string_view function) {
    const Driver& driver = m_context->driver();
    while (!bytes.empty()) {
        const auto chunk =
            bytes.first(std::min<std::size_t>(bytes.size(), UploadRing::kSegmentBytes));
        std::byte* const slice = m_ring->take(chunk.size(), function);
        std::memcpy(slice, chunk.data(), chunk.size());
        check(driver, driver.cuMemcpyAsync(target, pointer(slice), chunk.size(), m_queue->stream()),
              "cuMemcpyAsync", function);
        m_queue->note_submission();
        target += chunk.size();
        bytes = bytes.subspan(chunk.size());
    }
}

void CudaDevice::upload(Buffer& buffer, std::uint64_t offset, std::span<const std::byte> bytes) {
    const UseGate::Use use(m_gate);
    require_open("upload");
    const CudaBuffer& target = own(buffer, "upload");
    require_range(target, target.label(), offset, bytes.size(), "upload");
    const CurrentContext current(*m_context);
    if (try_upload_pinned(buffer, offset, bytes)) {
        return;
    }
    if (bytes.size() >= StagedTransfer::kSmallestBytes) {
        m_staging->upload(target.address() + offset, bytes, m_poll);
        return;
    }
    const std::lock_guard lock(m_mutex);
    require_open("upload");
    queue_upload(target.address() + offset, bytes, "upload");
}

void CudaDevice::queue_download(std::byte* target, CUdeviceptr source, std::uint64_t size) {
    const Driver& driver = m_context->driver();
    check(driver, driver.cuMemcpyAsync(pointer(target), source, size, m_queue->stream()),
          "cuMemcpyAsync", "download");
    m_queue->note_submission();
}

void CudaDevice::download(const Buffer& buffer, std::uint64_t offset, std::span<std::byte> bytes,
                          const InterruptPoll& poll) {
    const UseGate::Use use(m_gate);
    require_open("download");
    const CudaBuffer& source = own(buffer, "download");
    require_range(source, source.label(), offset, bytes.size(), "download");
    if (bytes.empty()) {
        return;
    }
    const CurrentContext current(*m_context);
    if (source.mapped() != nullptr) {
        m_queue->wait_for(m_queue->submitted(), poll, "download");
        std::memcpy(bytes.data(), source.mapped() + offset, bytes.size());
        return;
    }
    if (try_download_pinned(buffer, offset, bytes, poll)) {
        return;
    }
    if (bytes.size() >= StagedTransfer::kSmallestBytes) {
        m_staging->download(source.address() + offset, bytes, poll);
        return;
    }
    const Lease staging(*m_readback_pool, *m_queue, bytes.size());
    queue_download(staging.data(), source.address() + offset, bytes.size());
    m_queue->wait_for(m_queue->submitted(), poll, "download");
    std::memcpy(bytes.data(), staging.data(), bytes.size());
}

bool CudaDevice::try_download_pinned(const Buffer& source, std::uint64_t offset,
                                     std::span<std::byte> bytes, const InterruptPoll& poll) {
    const PinnedRanges::Place place = m_pinned.find(bytes);
    if (!place.buffer) {
        return false;
    }
    m_queue->wait_for(m_queue->submitted(), poll, "download");
    copy(*place.buffer, place.offset, source, offset, bytes.size());
    m_queue->wait_for(m_queue->submitted(), {}, "download"); // nobody may free the pages meanwhile
    return true;
}

bool CudaDevice::try_upload_pinned(Buffer& target, std::uint64_t offset,
                                   std::span<const std::byte> bytes) {
    const PinnedRanges::Place place = m_pinned.find(bytes);
    if (!place.buffer) {
        return false;
    }
    m_queue->wait_for(m_queue->submitted(), m_poll, "upload");
    copy(target, offset, *place.buffer, place.offset, bytes.size());
    m_queue->wait_for(m_queue->submitted(), {}, "upload"); // as in try_download_pinned()
    return true;
}

std::shared_ptr<void> CudaDevice::pin(std::span<std::byte> pages) {
    const UseGate::Use use(m_gate);
    require_open("pin");
    const CurrentContext current(*m_context);
    const Driver& driver = m_context->driver();
    const BesideCapture unhindered(driver);
    const CUresult code =
        driver.cuMemHostRegister(pages.data(), pages.size(), CU_MEMHOSTREGISTER_PORTABLE);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) {
        throw core::DeviceError(core::text("pin: expected ", pages.size(),
                                           " bytes of memory that can be pinned, the system has "
                                           "fewer; pin less"),
                                core::DeviceError::Kind::out_of_memory, "cuMemHostRegister", code);
    }
    check(driver, code, "cuMemHostRegister", "pin");
    // Unified addressing: the device knows the pages by the address that the host has for them.
    std::shared_ptr<Buffer> buffer = std::make_shared<CudaBuffer>(
        shared_from_this(), reinterpret_cast<std::uintptr_t>(pages.data()), pages.size(), nullptr,
        false);
    m_pinned.add(pages, buffer);
    return {pages.data(), [this, buffer](void* begin) { unpin(static_cast<std::byte*>(begin)); }};
}

void CudaDevice::unpin(std::byte* pages) noexcept {
    if (!m_context->is_usable()) {
        return; // a forked child: they are pinned for the parent
    }
    const std::lock_guard lock(m_mutex); // against close()
    if (!m_pinned.remove(pages)) {
        return; // close() has done it
    }
    try {
        const CurrentContext current(*m_context);
        const BesideCapture unhindered(m_context->driver());
        m_context->driver().cuMemHostUnregister(pages);
    } catch (const std::exception&) {
        // Ignored: no context to enter; the driver is shutting down and lets go of them.
    }
}

void CudaDevice::copy(Buffer& target, std::uint64_t target_offset, const Buffer& source,
                      std::uint64_t source_offset, std::uint64_t size) {
    m_context->require_usable("copy");
    const std::lock_guard lock(m_mutex);
    require_open("copy");
    const CudaBuffer& to = own(target, "copy");
    const CudaBuffer& from = own(source, "copy");
    require_range(to, to.label(), target_offset, size, "copy");
    require_range(from, from.label(), source_offset, size, "copy");
    if (size == 0) {
        return;
    }
    if (&to == &from) {
        require_no_overlap(to.label(), target_offset, source_offset, size);
    }
    const CurrentContext current(*m_context);
    const Driver& driver = m_context->driver();
    check(driver,
          driver.cuMemcpyAsync(to.address() + target_offset, from.address() + source_offset, size,
                               m_queue->stream()),
          "cuMemcpyAsync", "copy");
    m_queue->note_submission();
}

void CudaDevice::fill(Buffer& buffer, std::uint64_t offset, std::uint64_t size,
                      std::uint32_t word) {
    m_context->require_usable("fill");
    const std::lock_guard lock(m_mutex);
    require_open("fill");
    const CudaBuffer& target = own(buffer, "fill");
    require_range(target, target.label(), offset, size, "fill");
    require_words(offset, size, "fill");
    if (size == 0) {
        return;
    }
    const CurrentContext current(*m_context);
    const Driver& driver = m_context->driver();
    check(driver,
          driver.cuMemsetD32Async(target.address() + offset, word, size / 4, m_queue->stream()),
          "cuMemsetD32Async", "fill");
    m_queue->note_submission();
}

} // namespace weft::device::cuda
