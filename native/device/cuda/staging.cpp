// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/staging.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/cuda/memory.hpp"

#include <algorithm>

namespace weft::device::cuda {

void Staging::provide(std::size_t count) {
    const BesideCapture unhindered(m_context.driver());
    m_slots.reserve(kSlots);
    while (m_slots.size() < count) {
        const std::uint64_t bytes = kBlockSlots * slot_bytes();
        const std::optional<MemoryBlock> block = try_allocate_host(m_context.driver(), bytes);
        if (!block && m_slots.size() >= kBlockSlots) {
            break; // fewer are slower
        }
        if (!block) {
            throw core::DeviceError(
                core::text(m_function, ": expected ", bytes >> 20,
                           " MiB of pinned host memory for the copy, got none; close other "
                           "programs"),
                core::DeviceError::Kind::out_of_memory, "cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY);
        }
        m_blocks.push_back(block->native);
        for (std::size_t i = 0; i < kBlockSlots; ++i) {
            m_slots.push_back({.memory = block->mapped + i * slot_bytes(),
                               .event = std::make_unique<Event>(m_context)});
        }
    }
}

void Staging::release() noexcept {
    const BesideCapture unhindered(m_context.driver());
    m_slots.clear();
    for (void* const block : m_blocks) {
        m_context.driver().cuMemFreeHost(block);
    }
    m_blocks.clear();
}

std::uint64_t Staging::trim(const core::InterruptPoll& poll) {
    const auto turn = take_turn(poll);
    const std::uint64_t bytes = m_slots.size() * slot_bytes();
    for (std::size_t slot = 0; slot < m_slots.size(); ++slot) {
        if (!is_done(slot)) {
            m_queue.wait_for(*m_slots[slot].event, poll, "trim");
        }
    }
    release();
    end_threads();
    return bytes;
}

void Staging::queue_copy(std::size_t slot, std::uint64_t offset, std::uint64_t size) {
    const CurrentContext current(m_context); // a thread of the transfer has none
    const Driver& driver = m_context.driver();
    Slot& used = m_slots[slot];
    const auto host = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(used.memory));
    const CUdeviceptr device = m_address + offset;
    check(driver,
          driver.cuMemcpyAsync(m_is_upload ? device : host, m_is_upload ? host : device, size,
                               m_queue.stream()),
          "cuMemcpyAsync", m_function);
    m_queue.note_submission();
    try {
        m_queue.record(*used.event, m_function);
    } catch (...) {
        const BesideCapture unhindered(driver);
        driver.cuStreamSynchronize(m_queue.stream()); // nothing else tells when the slot is free
        throw;
    }
    used.is_recorded = true;
}

bool Staging::is_done(std::size_t slot) {
    if (!m_slots[slot].is_recorded) {
        return true;
    }
    const CurrentContext current(m_context);
    const Driver& driver = m_context.driver();
    const BesideCapture unhindered(driver);
    const CUresult code = driver.cuEventQuery(m_slots[slot].event->get());
    if (code == CUDA_ERROR_NOT_READY) {
        return false;
    }
    check(driver, code, "cuEventQuery", m_function);
    return true;
}

void Staging::begin(CUdeviceptr address, bool is_upload, std::uint64_t size_bytes) {
    m_address = address;
    m_is_upload = is_upload;
    m_function = is_upload ? "upload" : "download";
    provide(std::min(most_pieces(size_bytes), kSlots));
}

void Staging::upload(CUdeviceptr target, std::span<const std::byte> bytes,
                     const core::InterruptPoll& poll) {
    const auto turn = take_turn(poll);
    begin(target, true, bytes.size());
    StagedTransfer::upload(bytes, m_slots.size(), poll);
}

void Staging::download(CUdeviceptr source, std::span<std::byte> bytes,
                       const core::InterruptPoll& poll) {
    const auto turn = take_turn(poll);
    begin(source, false, bytes.size());
    StagedTransfer::download(bytes, m_slots.size(), poll);
}

} // namespace weft::device::cuda
