// SPDX-License-Identifier: Apache-2.0
#include "device/pinned_memory.hpp"

#include "core/host_memory.hpp"
#include "core/text.hpp"

#include <limits>
#include <new>

namespace weft::device {
namespace {

constexpr std::uint64_t kPage = std::uint64_t{64}
                                << 10U; ///< a multiple of the page of every system
constexpr std::uint64_t kLargePage = std::uint64_t{2} << 20U;

[[noreturn]] void fail(std::uint64_t size_bytes) {
    const auto memory = core::host_memory();
    throw core::DeviceError(
        core::text("pinned_empty: expected ", size_bytes, " bytes of memory of the process, ",
                   memory ? memory->available : 0, " are free; ask for a smaller array"),
        core::DeviceError::Kind::out_of_memory);
}

} // namespace

void PinnedMemory::Free::operator()(std::byte* pages) const noexcept {
    ::operator delete(pages, std::align_val_t{alignment});
}

std::shared_ptr<PinnedMemory> PinnedMemory::create(Device& device, std::uint64_t size_bytes) {
    const std::uint64_t alignment = size_bytes < kLargePage ? kPage : kLargePage;
    const auto memory = core::host_memory(); // touched pages that are too many end the process
    if (size_bytes > std::numeric_limits<std::uint64_t>::max() / 4 ||
        (memory && size_bytes > memory->available)) {
        fail(size_bytes);
    }
    const std::uint64_t whole = (size_bytes + kPage - 1) / kPage * kPage;
    auto* const pages =
        static_cast<std::byte*>(::operator new(whole, std::align_val_t{alignment}, std::nothrow));
    if (pages == nullptr) {
        fail(size_bytes);
    }
    const std::shared_ptr<PinnedMemory> made(
        new PinnedMemory({pages, Free{alignment}}, static_cast<std::size_t>(size_bytes)));
    if (whole != 0) {
        const std::span range(pages, static_cast<std::size_t>(whole));
        core::prefer_large_pages(range);
        if (auto* const pinning = dynamic_cast<MemoryPinning*>(&device)) {
            made->m_pin = pinning->pin(range);
        }
    }
    return made;
}

} // namespace weft::device
