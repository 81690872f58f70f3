// SPDX-License-Identifier: Apache-2.0
// Moving bytes. All of it goes through the one stream, so it is in order with the kernels by itself; pinned memory
// lies between, because only from there and to there does the GPU copy while the host goes on.
#include "device/checks.hpp"
#include "device/cuda/device.hpp"

#include <array>
#include <cstring>

namespace weft::device::cuda {
namespace {

constexpr std::uint64_t kStagingBytes = std::uint64_t{4} << 20;

/// Pinned memory for a while; the pool takes care that nobody gets it before the device has finished with it.
class Staging {
public:
    Staging(MemoryPool& pool, const CommandQueue& queue, std::uint64_t size_bytes)
        : m_pool(pool), m_queue(queue), m_memory(pool.allocate(size_bytes, "download")) {}
    ~Staging() { m_pool.free(m_memory, m_queue.submitted()); }
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

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
    m_context->require_usable("upload");
    const std::lock_guard lock(m_mutex);
    require_open("upload");
    const CudaBuffer& target = own(buffer, "upload");
    require_range(target, target.label(), offset, bytes.size(), "upload");
    const CurrentContext current(*m_context);
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
    if (bytes.size() > kStagingBytes) {
        download_pipelined(source.address() + offset, bytes, poll);
        return;
    }
    const Staging staging(*m_readback_pool, *m_queue, bytes.size());
    queue_download(staging.data(), source.address() + offset, bytes.size());
    m_queue->wait_for(m_queue->submitted(), poll, "download");
    std::memcpy(bytes.data(), staging.data(), bytes.size());
}

void CudaDevice::download_pipelined(CUdeviceptr source, std::span<std::byte> bytes,
                                    const InterruptPoll& poll) {
    struct Part {
        const Staging staging;
        const Event arrived;
        std::span<std::byte> bytes{};
    };
    std::array<Part, 2> parts{// the device fills one while the host empties the other
                              Part{{*m_readback_pool, *m_queue, kStagingBytes}, Event(*m_context)},
                              Part{{*m_readback_pool, *m_queue, kStagingBytes}, Event(*m_context)}};
    const auto finish = [&](Part& part) {
        if (!part.bytes.empty()) {
            m_queue->wait_for(part.arrived, poll, "download");
            std::memcpy(part.bytes.data(), part.staging.data(), part.bytes.size());
        }
    };
    std::size_t next = 0;
    for (; !bytes.empty(); next = 1 - next) {
        Part& part = parts[next];
        finish(part);
        part.bytes = bytes.first(std::min<std::size_t>(bytes.size(), kStagingBytes));
        queue_download(part.staging.data(), source, part.bytes.size());
        m_queue->record(part.arrived, "download");
        source += part.bytes.size();
        bytes = bytes.subspan(part.bytes.size());
    }
    finish(parts[next]);
    finish(parts[1 - next]);
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
