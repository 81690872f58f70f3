// SPDX-License-Identifier: Apache-2.0
// Start reading at allocate() and free(). Freed ranges stay unmerged in the bin of their exact
// class, where the next request of that size finds them; neighbours are merged only when no bin
// serves a request, so a range that the device still uses does not taint the idle memory beside it.
#include "device/pool.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weft::device {
namespace {

constexpr std::uint64_t kDedicatedGranule = std::uint64_t{2} << 20;
constexpr std::uint32_t kExactClasses =
    8; // classes of 1 to 7 granules are exact, then eight an octave
constexpr std::size_t kLabelsInReport = 6;
/// Of a class, that are looked at for one that is large enough: all of the next class are.
constexpr int kMaxOfClass = 64;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// Smallest class size that holds `size` bytes: at most 12.5 % more.
std::uint64_t round_to_class(std::uint64_t size) noexcept {
    const std::uint64_t granules = round_up(size, MemoryPool::kAlignment) / MemoryPool::kAlignment;
    if (granules < kExactClasses) {
        return granules * MemoryPool::kAlignment;
    }
    const std::uint64_t step = std::bit_floor(granules) / kExactClasses;
    return round_up(granules, step) * MemoryPool::kAlignment;
}

/// The class whose members are all at most `size` bytes.
std::uint32_t bin_of(std::uint64_t size) noexcept {
    const std::uint64_t granules = size / MemoryPool::kAlignment;
    if (granules < kExactClasses) {
        return static_cast<std::uint32_t>(granules);
    }
    const auto octave = static_cast<std::uint32_t>(std::bit_width(granules)) - 4;
    return octave * kExactClasses + static_cast<std::uint32_t>(granules >> octave);
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    auto value = static_cast<double>(bytes);
    while (value >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    return core::text(std::round(value * 10) / 10, " ", kUnits[unit]);
}

} // namespace

MemoryPool::MemoryPool(MemorySource& source, PoolDesc desc)
    : m_source(source), m_desc(std::move(desc)), m_next_block(m_desc.first_block) {}

MemoryPool::~MemoryPool() {
    close();
}

Allocation MemoryPool::allocate(std::uint64_t size_bytes, std::string_view label) {
    if (size_bytes == 0) {
        throw core::InternalError("MemoryPool::allocate: expected at least 1 byte, got 0");
    }
    {
        const std::lock_guard lock(m_mutex);
        if (const std::uint32_t index = take(size_bytes); index != kNone) {
            return hand_out(index, size_bytes, label);
        }
    }
    m_source.drain(); // takes the device's lock, so it must not run under ours
    const std::lock_guard lock(m_mutex);
    release_unused();
    if (const std::uint32_t index = take(size_bytes); index != kNone) {
        return hand_out(index, size_bytes, label);
    }
    throw core::DeviceError(report(size_bytes, label), core::DeviceError::Kind::out_of_memory);
}

void MemoryPool::free(const Allocation& allocation, std::uint64_t last_use) noexcept {
    const std::lock_guard lock(m_mutex);
    if (m_is_closed || !allocation) {
        return;
    }
    m_statistics.used -= allocation.size_bytes;
    --m_statistics.live_buffers;
    allocation.label->bytes -= allocation.size_bytes;
    --allocation.label->buffers;
    Block& block = m_blocks[m_ranges[allocation.range].block];
    --block.used_ranges;
    block.last_use = std::max(block.last_use, last_use);
    if (block.used_ranges == 0) {
        link_unused(m_ranges[allocation.range].block);
    }
    give_back(allocation.range, std::max(last_use, allocation.ready));
    release_idle();
}

std::uint64_t MemoryPool::trim() noexcept {
    const std::lock_guard lock(m_mutex);
    const std::uint64_t before = m_statistics.reserved;
    release_unused();
    return before - m_statistics.reserved;
}

void MemoryPool::close() noexcept {
    const std::lock_guard lock(m_mutex);
    for (Block& block : m_blocks) {
        if (block.is_live) {
            m_source.release_block(block.memory);
            block.is_live = false;
        }
    }
    count_as_free(m_statistics.reserved);
    m_unused_dedicated = m_unused_shared = {};
    m_statistics.reserved = 0;
    m_statistics.used = 0;
    m_statistics.live_buffers = 0;
    m_is_closed = true;
}

void add(MemoryInfo& sum, const MemoryInfo& more) noexcept {
    sum.reserved += more.reserved;
    sum.used += more.used;
    sum.idle += more.idle;
    sum.peak_used += more.peak_used;
    sum.peak_reserved += more.peak_reserved;
    sum.live_buffers += more.live_buffers;
    sum.allocations += more.allocations;
}

MemoryInfo MemoryPool::statistics() const {
    const std::lock_guard lock(m_mutex);
    MemoryInfo info = m_statistics;
    const MemorySource::Budget budget = m_source.budget();
    info.limit = m_desc.limit ? m_desc.limit->bytes() : 0;
    info.total = info.limit > 0 ? std::min(info.limit, budget.total) : budget.total;
    info.available = budget.available;
    info.idle = m_unused_dedicated.bytes + m_unused_shared.bytes;
    return info;
}

std::uint32_t MemoryPool::take(std::uint64_t size) {
    if (m_is_closed) {
        throw core::DeviceError(core::text("create_buffer: ", m_desc.device_name, " is closed"));
    }
    reclaim_finished(m_source.completed());
    const bool is_dedicated = size > m_desc.dedicated_threshold;
    const auto find = [&] { return is_dedicated ? take_dedicated(size) : take_shared(size); };
    if (const std::uint32_t index = find(); index != kNone) {
        return index;
    }
    if (!is_dedicated) {
        coalesce();
        if (const std::uint32_t index = find(); index != kNone) {
            return index;
        }
    }
    return grow(size) ? find() : kNone;
}

std::uint32_t MemoryPool::take_shared(std::uint64_t size) {
    const std::uint64_t rounded = round_to_class(size);
    const std::uint32_t bin = bin_of(rounded);
    std::uint64_t word = m_shared.occupied[bin / 64] & (~std::uint64_t{0} << (bin % 64));
    for (std::uint32_t i = bin / 64; i < m_shared.occupied.size(); ++i) {
        word = i == bin / 64 ? word : m_shared.occupied[i];
        if (word != 0) {
            const std::uint32_t found = i * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
            const std::uint32_t index = m_shared.heads[found];
            remove_free(index);
            split(index, rounded);
            return index;
        }
    }
    return kNone;
}

std::uint32_t MemoryPool::take_dedicated(std::uint64_t size) noexcept {
    const std::uint32_t first = bin_of(size);
    for (std::uint32_t bin = first; bin <= first + 2 && bin < kBinCount; ++bin) {
        int looks = 0;
        for (std::uint32_t index = m_dedicated.heads[bin]; index != kNone && looks < kMaxOfClass;
             index = m_ranges[index].bin_next, ++looks) {
            if (m_ranges[index].size >= size) {
                remove_free(index);
                return index;
            }
        }
    }
    return kNone;
}

std::optional<std::uint64_t> MemoryPool::take_of_limit(std::uint64_t needed,
                                                       std::uint64_t usual) noexcept {
    if (!m_desc.limit) {
        return usual;
    }
    const std::uint64_t left = m_desc.limit->left() / kAlignment * kAlignment;
    const std::uint64_t wanted = std::clamp(left, needed, usual);
    if (m_desc.limit->take(wanted)) {
        return wanted;
    }
    // What nobody uses is less than what is asked for now.
    return release_for(needed) && m_desc.limit->take(needed) ? std::optional(needed) : std::nullopt;
}

std::uint32_t MemoryPool::new_block() {
    if (!m_spare_blocks.empty()) {
        const std::uint32_t index = m_spare_blocks.back();
        m_spare_blocks.pop_back();
        return index;
    }
    m_blocks.emplace_back();
    m_spare_blocks.reserve(m_blocks.capacity());
    m_fragmented.reserve(m_blocks.capacity());
    return static_cast<std::uint32_t>(m_blocks.size() - 1);
}

bool MemoryPool::grow(std::uint64_t size) {
    const bool is_dedicated = size > m_desc.dedicated_threshold;
    const std::uint64_t needed =
        is_dedicated ? round_up(size, kDedicatedGranule) : round_to_class(size);
    release_idle();
    const std::optional<std::uint64_t> wanted =
        take_of_limit(needed, is_dedicated ? needed : std::max(m_next_block, needed));
    if (!wanted) {
        return false;
    }
    std::optional<MemoryBlock> memory;
    try {
        memory = m_source.allocate_block(*wanted);
    } catch (...) {
        count_as_free(*wanted);
        throw;
    }
    if (!memory) {
        count_as_free(*wanted);
        return false;
    }
    const std::uint32_t index = new_block();
    const std::uint64_t usable = memory->size_bytes / kAlignment * kAlignment;
    const std::uint32_t range = new_range({.size = usable, .block = index});
    m_blocks[index] = {.memory = *memory,
                       .first_range = range,
                       .is_dedicated = is_dedicated,
                       .is_live = true,
                       .is_fragmented = m_blocks[index].is_fragmented}; // still in the list
    insert_free(range);
    link_unused(index);
    m_statistics.reserved += memory->size_bytes;
    m_statistics.peak_reserved = std::max(m_statistics.peak_reserved, m_statistics.reserved);
    ++m_statistics.allocations;
    if (!is_dedicated) {
        m_next_block = std::min(m_next_block * 2, m_desc.largest_block);
    }
    return true;
}

Allocation MemoryPool::hand_out(std::uint32_t index, std::uint64_t size, std::string_view label) {
    auto use = m_labels.find(label);
    if (use == m_labels.end()) {
        use = m_labels.emplace(std::string(label), LabelUse{}).first;
        use->second.name = use->first; // map nodes do not move
    }
    const Range& range = m_ranges[index];
    Block& block = m_blocks[range.block];
    if (block.used_ranges == 0) {
        unlink_unused(range.block);
    }
    ++block.used_ranges;
    use->second.bytes += size;
    ++use->second.buffers;
    m_statistics.used += size;
    m_statistics.peak_used = std::max(m_statistics.peak_used, m_statistics.used);
    ++m_statistics.live_buffers;
    return {.block = block.memory,
            .offset = range.offset,
            .size_bytes = size,
            .ready = range.ready,
            .range = index,
            .label = &use->second};
}

void MemoryPool::give_back(std::uint32_t index, std::uint64_t last_use) noexcept {
    m_ranges[index].ready = last_use;
    if (m_desc.host_access && last_use > m_source.completed()) {
        m_pending.push_back(index); // capacity was reserved by new_range
        return;
    }
    insert_free(index);
    note_fragment(index);
}

void MemoryPool::note_fragment(std::uint32_t index) noexcept {
    const std::uint32_t number = m_ranges[index].block;
    if (Block& block = m_blocks[number]; !block.is_dedicated && !block.is_fragmented) {
        block.is_fragmented = true;
        m_fragmented.push_back(number); // capacity was reserved by new_block
    }
}

void MemoryPool::reclaim_finished(std::uint64_t completed) noexcept {
    std::erase_if(m_pending, [&](std::uint32_t index) {
        const bool is_finished = m_ranges[index].ready <= completed;
        if (is_finished) {
            insert_free(index);
            note_fragment(index);
        }
        return is_finished;
    });
}

void MemoryPool::coalesce() noexcept {
    for (const std::uint32_t number : m_fragmented) {
        Block& block = m_blocks[number];
        block.is_fragmented = false;
        if (!block.is_live) {
            continue;
        }
        std::uint32_t index = block.first_range;
        while (m_ranges[index].next != kNone) {
            if (m_ranges[index].is_free && m_ranges[m_ranges[index].next].is_free) {
                merge_with_next(index);
            } else {
                index = m_ranges[index].next;
            }
        }
    }
    m_fragmented.clear();
}

void MemoryPool::merge_with_next(std::uint32_t index) noexcept {
    const std::uint32_t next = m_ranges[index].next;
    remove_free(index);
    remove_free(next);
    Range& range = m_ranges[index];
    range.size += m_ranges[next].size;
    range.ready = std::max(range.ready, m_ranges[next].ready);
    range.next = m_ranges[next].next;
    m_spare_ranges.push_back(next); // capacity was reserved by new_range
    insert_free(index);
}

void MemoryPool::split(std::uint32_t index, std::uint64_t size) {
    const Range whole = m_ranges[index];
    if (whole.size == size) {
        return;
    }
    const std::uint32_t rest = new_range({.offset = whole.offset + size,
                                          .size = whole.size - size,
                                          .ready = whole.ready,
                                          .block = whole.block,
                                          .next = whole.next});
    m_ranges[index].size = size;
    m_ranges[index].next = rest;
    insert_free(rest);
}

std::uint32_t MemoryPool::new_range(const Range& range) {
    if (!m_spare_ranges.empty()) {
        const std::uint32_t index = m_spare_ranges.back();
        m_spare_ranges.pop_back();
        m_ranges[index] = range;
        return index;
    }
    m_ranges.push_back(range);
    m_spare_ranges.reserve(m_ranges.capacity());
    m_pending.reserve(m_ranges.capacity());
    return static_cast<std::uint32_t>(m_ranges.size() - 1);
}

MemoryPool::Bins& MemoryPool::bins_of(const Range& range) noexcept {
    return m_blocks[range.block].is_dedicated ? m_dedicated : m_shared;
}

void MemoryPool::insert_free(std::uint32_t index) noexcept {
    Range& range = m_ranges[index];
    Bins& bins = bins_of(range);
    const std::uint32_t bin = bin_of(range.size);
    range.is_free = true;
    range.bin_previous = kNone;
    range.bin_next = bins.heads[bin];
    if (range.bin_next != kNone) {
        m_ranges[range.bin_next].bin_previous = index;
    }
    bins.heads[bin] = index;
    bins.occupied[bin / 64] |= std::uint64_t{1} << (bin % 64);
}

void MemoryPool::remove_free(std::uint32_t index) noexcept {
    Range& range = m_ranges[index];
    Bins& bins = bins_of(range);
    const std::uint32_t bin = bin_of(range.size);
    range.is_free = false;
    if (range.bin_next != kNone) {
        m_ranges[range.bin_next].bin_previous = range.bin_previous;
    }
    if (range.bin_previous != kNone) {
        m_ranges[range.bin_previous].bin_next = range.bin_next;
    } else {
        bins.heads[bin] = range.bin_next;
    }
    if (bins.heads[bin] == kNone) {
        bins.occupied[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
    }
}

std::string MemoryPool::holders_text() const {
    std::vector<LabelUse> holders;
    for (const auto& [name, use] : m_labels) {
        if (use.buffers > 0) {
            holders.push_back(use);
        }
    }
    std::sort(holders.begin(), holders.end(),
              [](const LabelUse& a, const LabelUse& b) { return a.bytes > b.bytes; });
    std::string held;
    for (std::size_t i = 0; i < std::min(holders.size(), kLabelsInReport); ++i) {
        const LabelUse& use = holders[i];
        held += core::text(i == 0 ? ", held by '" : ", '", use.name, "' (", bytes_text(use.bytes),
                           " in ", use.buffers, use.buffers == 1 ? " buffer)" : " buffers)");
    }
    return held;
}

std::string MemoryPool::report(std::uint64_t size, std::string_view label) const {
    const MemorySource::Budget budget = m_source.budget();
    const std::string held = holders_text();
    const std::string free = budget.available > 0
                                 ? core::text(bytes_text(budget.available), " of ",
                                              bytes_text(budget.total), " are free")
                                 : core::text("the device has ", bytes_text(budget.total));
    const std::uint64_t limit = m_desc.limit ? m_desc.limit->bytes() : 0;
    const std::string limited =
        limit > 0 ? core::text(", memory_limit is ", bytes_text(limit)) : std::string();
    const std::uint64_t idle = m_statistics.reserved - m_statistics.used;
    const std::string kept =
        idle > 0 ? core::text(", ", bytes_text(idle), " lie free between") : std::string();
    const bool is_limit = limit > 0 && size > m_desc.limit->left();
    return core::text(
        "create_buffer: ", m_desc.device_name, " is out of memory: asked for ", bytes_text(size),
        " ('", label, "'), ", free, limited, ", Weft uses ", bytes_text(m_statistics.used), held,
        kept, "; release arrays that are no longer needed",
        is_limit ? ", use smaller ones, or raise device.memory_limit" : " or use smaller ones");
}

} // namespace weft::device
