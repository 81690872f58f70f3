// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/memory.hpp"

namespace weft::device::cuda {
namespace {

constexpr std::string_view kDoing = "create_buffer";

std::optional<MemoryBlock> try_allocate_device(const Driver& driver, std::uint64_t size_bytes) {
    CUdeviceptr address = 0;
    const CUresult code = driver.cuMemAlloc(&address, size_bytes);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) {
        return std::nullopt;
    }
    check(driver, code, "cuMemAlloc", kDoing);
    return MemoryBlock{
        .native = nullptr, .address = address, .mapped = nullptr, .size_bytes = size_bytes};
}

} // namespace

std::optional<MemoryBlock> try_allocate_host(const Driver& driver, std::uint64_t size_bytes) {
    void* memory = nullptr;
    const CUresult code = driver.cuMemHostAlloc(
        &memory, size_bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) {
        return std::nullopt;
    }
    check(driver, code, "cuMemHostAlloc", kDoing);
    CUdeviceptr address = 0;
    if (const CUresult mapped = driver.cuMemHostGetDevicePointer(&address, memory, 0);
        mapped != CUDA_SUCCESS) {
        driver.cuMemFreeHost(memory);
        fail(driver, mapped, "cuMemHostGetDevicePointer", kDoing);
    }
    return MemoryBlock{.native = memory,
                       .address = address,
                       .mapped = static_cast<std::byte*>(memory),
                       .size_bytes = size_bytes};
}

std::optional<MemoryBlock> BlockSource::allocate_block(std::uint64_t size_bytes) {
    const CurrentContext current(m_context);
    const BesideCapture unhindered(m_context.driver());
    return m_kind == MemoryKind::device ? try_allocate_device(m_context.driver(), size_bytes)
                                        : try_allocate_host(m_context.driver(), size_bytes);
}

void BlockSource::release_block(const MemoryBlock& block) noexcept {
    if (!m_context.is_usable()) {
        return; // a forked child: the memory belongs to the parent
    }
    try {
        const CurrentContext current(m_context);
        const BesideCapture unhindered(m_context.driver());
        if (m_kind == MemoryKind::device) {
            m_context.driver().cuMemFree(block.address);
        } else {
            m_context.driver().cuMemFreeHost(block.native);
        }
    } catch (const std::exception&) {
        // Ignored: no context to enter; the driver is shutting down and has freed the memory with it.
    }
}

void BlockSource::drain() {
    const CurrentContext current(m_context);
    m_queue.wait_for(m_queue.submitted(), {}, kDoing);
}

MemorySource::Budget BlockSource::budget() const noexcept {
    std::size_t available = 0;
    std::size_t total = 0;
    try {
        const CurrentContext current(m_context);
        if (m_context.driver().cuMemGetInfo(&available, &total) != CUDA_SUCCESS) {
            return {};
        }
    } catch (const std::exception&) {
        return {}; // "unknown": this only feeds statistics and the out-of-memory report
    }
    return {.total = total, .available = available};
}

} // namespace weft::device::cuda
