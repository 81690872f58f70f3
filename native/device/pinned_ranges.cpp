// SPDX-License-Identifier: Apache-2.0
#include "device/pinned_ranges.hpp"

#include <iterator>

namespace weft::device {
namespace {

std::uintptr_t number(const std::byte* address) noexcept {
    return reinterpret_cast<std::uintptr_t>(address);
}

} // namespace

void PinnedRanges::add(std::span<std::byte> range, const std::shared_ptr<Buffer>& buffer) {
    const std::lock_guard lock(m_mutex);
    m_ranges.insert_or_assign(number(range.data()), Range{range.size(), buffer});
}

bool PinnedRanges::remove(const std::byte* begin) noexcept {
    const std::lock_guard lock(m_mutex);
    return m_ranges.erase(number(begin)) != 0;
}

std::vector<std::byte*> PinnedRanges::remove_all() {
    const std::lock_guard lock(m_mutex);
    std::vector<std::byte*> begins;
    for (const auto& [begin, range] : m_ranges) {
        begins.push_back(reinterpret_cast<std::byte*>(begin)); // NOLINT
    }
    m_ranges.clear();
    return begins;
}

PinnedRanges::Place PinnedRanges::find(std::span<const std::byte> bytes) const {
    if (bytes.size() < kSmallestBytes) {
        return {};
    }
    const std::lock_guard lock(m_mutex);
    const auto after = m_ranges.upper_bound(number(bytes.data()));
    if (after == m_ranges.begin()) {
        return {};
    }
    const auto& [begin, range] = *std::prev(after);
    const std::uint64_t offset = number(bytes.data()) - begin;
    if (offset > range.size_bytes || bytes.size() > range.size_bytes - offset) {
        return {};
    }
    return {.buffer = range.buffer.lock(), .offset = offset};
}

} // namespace weft::device
