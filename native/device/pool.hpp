// SPDX-License-Identifier: Apache-2.0
// Many buffers out of few driver allocations. Knows nothing of any API: a backend hands in a
// MemorySource.
//
// Data structures: a Block is one driver allocation; its Ranges, free and used, form a list in
// address order, and the free ones also hang in a bin of their size class. Requests above
// `dedicated_threshold` get a block of their own, which is kept for the next request of about that
// size. Blocks without a used range hang in a list, those unused longest first. They go back to the
// driver in this order as soon as they hold more than half of what is in use and more than
// PoolDesc::idle_floor, when a limit is in the way, and all of them by trim().
//
// Reuse is ordered, not idle: on one in-order queue, memory may be handed out again while older
// work still uses it, because new work runs later. Allocation::ready tells a user that wants to
// touch the memory from the host, or needs a barrier. A pool with `host_access` hands out finished
// memory only.
#pragma once

#include "device/device.hpp"
#include "device/memory_limit.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::device {

/// One allocation of the driver.
struct MemoryBlock {
    void* native = nullptr;      ///< the backend's own handle; the pool only hands it back
    std::uint64_t address = 0;   ///< device address of the first byte, a multiple of 256
    std::byte* mapped = nullptr; ///< host view, or null
    std::uint64_t size_bytes = 0;
    std::uint64_t cuda_address = 0; ///< CUDA's, of memory shared with it; else 0
};

/// What the pool needs from a backend. Outlives the pool.
class MemorySource {
public:
    virtual ~MemorySource() = default;
    /// Asks the driver; nullopt if it is out of memory. @throws DeviceError for any other failure.
    [[nodiscard]] virtual std::optional<MemoryBlock> allocate_block(std::uint64_t size_bytes) = 0;
    virtual void release_block(const MemoryBlock& block) noexcept = 0;
    /// The largest submission number whose work has finished. Never blocks, takes no lock.
    [[nodiscard]] virtual std::uint64_t completed() const noexcept = 0;
    /// Submits what is recorded and blocks until all of it has finished. Called with no pool lock
    /// held.
    virtual void drain() = 0;
    /// Device memory in bytes: total, and what the driver could still give (0 if unknown).
    struct Budget {
        std::uint64_t total = 0;
        std::uint64_t available = 0;
    };
    [[nodiscard]] virtual Budget budget() const noexcept = 0;
};

struct PoolDesc {
    static constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

    std::string device_name{};             ///< for the out-of-memory report
    std::uint64_t first_block = 16 * kMiB; ///< bytes; later ones double up to largest_block
    std::uint64_t largest_block = 64 * kMiB;
    std::uint64_t dedicated_threshold = 16 * kMiB; ///< larger requests get their own block
    std::uint64_t max_cached = ~std::uint64_t{0};  ///< bytes of unused dedicated blocks kept
    /// Bytes of unused blocks kept whatever is in use; beyond, half of what is.
    std::uint64_t idle_floor = 256 * kMiB;
    std::shared_ptr<MemoryLimit> limit{}; ///< of this pool and those that share it; null: none
    bool host_access = false;             ///< hand out finished memory only
};

/// Bytes and buffers held under one label.
struct LabelUse {
    std::string_view name;
    std::uint64_t bytes = 0;
    std::uint64_t buffers = 0;
};

/// Counts what another pool of the device holds, too. Peaks of pools may have been at different times: their sum is a bound.
void add(MemoryInfo& sum, const MemoryInfo& more) noexcept;

/// A piece of a block. Plain data; give it back with MemoryPool::free().
struct Allocation {
    MemoryBlock block;            ///< the block it lies in
    std::uint64_t offset = 0;     ///< bytes from the start of the block, a multiple of 256
    std::uint64_t size_bytes = 0; ///< as requested
    std::uint64_t ready = 0;      ///< earlier users are finished once completed() >= ready
    std::uint32_t range = ~0u;    ///< the pool's own
    LabelUse* label = nullptr; ///< its name lives as long as the pool; the rest is the pool's own

    std::uint64_t address() const noexcept { return block.address + offset; }
    std::uint64_t cuda_address() const noexcept {
        return block.cuda_address != 0 ? block.cuda_address + offset : 0;
    }
    std::byte* mapped() const noexcept { return block.mapped ? block.mapped + offset : nullptr; }
    explicit operator bool() const noexcept { return range != ~0u; }
};

/// Thread-safe. allocate() and free() cost no heap allocation once warm.
class MemoryPool {
public:
    /// Every range starts at a multiple of this many bytes.
    static constexpr std::uint64_t kAlignment = 256;

    MemoryPool(MemorySource& source, PoolDesc desc);
    ~MemoryPool();
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    /// @param size_bytes at least 1.
    /// @throws DeviceError{out_of_memory} after trimming, draining and trying again; the message
    ///         says what was asked, what is free, and which labels hold how much.
    [[nodiscard]] Allocation allocate(std::uint64_t size_bytes, std::string_view label);
    /// @param last_use the submission that used the memory last; 0 if none did. No-op on a closed
    /// pool.
    void free(const Allocation& allocation, std::uint64_t last_use) noexcept;

    /// Returns unused, finished blocks to the driver. @return their bytes.
    std::uint64_t trim() noexcept;
    /// Returns every block to the driver, used or not. The caller has waited. Idempotent.
    void close() noexcept;

    /// All of it; total and available from the source.
    [[nodiscard]] MemoryInfo statistics() const;

private:
    static constexpr std::uint32_t kNone = ~0u;
    static constexpr std::uint32_t kBinCount = 256;

    struct Range {
        std::uint64_t offset = 0, size = 0, ready = 0;
        std::uint32_t block = kNone;
        std::uint32_t previous = kNone, next = kNone; ///< in address order
        std::uint32_t bin_previous = kNone;           ///< among the free ranges of its class
        std::uint32_t bin_next = kNone;
        bool is_free = false;
    };
    struct Block {
        MemoryBlock memory;
        std::uint64_t last_use = 0;
        std::uint32_t first_range = kNone;
        std::uint32_t used_ranges = 0;
        std::uint32_t older = kNone; ///< among the unused blocks of its kind
        std::uint32_t newer = kNone;
        bool is_dedicated = false;
        bool is_live = false;
        bool is_fragmented = false; ///< free ranges may lie side by side; then in m_fragmented
    };
    /// Blocks of one kind without a used range, in the order in which they became so.
    struct UnusedBlocks {
        std::uint32_t oldest = kNone;
        std::uint32_t newest = kNone;
        std::uint64_t bytes = 0;
    };
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    /// Heads of the free lists of one kind of block, with a bit for every list that is not empty.
    struct Bins {
        Bins() { heads.fill(kNone); }
        std::array<std::uint32_t, kBinCount> heads;
        std::array<std::uint64_t, kBinCount / 64> occupied{};
    };

    std::uint32_t take(std::uint64_t size);
    std::uint32_t take_shared(std::uint64_t size);
    std::uint32_t take_dedicated(std::uint64_t size) noexcept;
    bool grow(std::uint64_t size);
    std::optional<std::uint64_t> take_of_limit(std::uint64_t needed, std::uint64_t usual) noexcept;
    std::uint32_t new_block();
    void reclaim_finished(std::uint64_t completed) noexcept;
    void coalesce() noexcept;
    void split(std::uint32_t index, std::uint64_t size);
    void merge_with_next(std::uint32_t index) noexcept;
    void insert_free(std::uint32_t index) noexcept;
    void remove_free(std::uint32_t index) noexcept;
    void give_back(std::uint32_t index, std::uint64_t last_use) noexcept;
    void note_fragment(std::uint32_t index) noexcept;
    std::uint32_t new_range(const Range& range);
    Bins& bins_of(const Range& range) noexcept;
    void link_unused(std::uint32_t index) noexcept;
    void unlink_unused(std::uint32_t index) noexcept;
    void release_block(std::uint32_t index) noexcept;
    /// Returns blocks, the oldest first, until those of the kind hold at most `kept` bytes.
    /// @param completed that reclaim_finished() was called with: blocks used later stay.
    void release_oldest(UnusedBlocks& unused, std::uint64_t kept, std::uint64_t completed) noexcept;
    void release_unused() noexcept;
    void release_idle() noexcept;
    /// Returns finished blocks until so many bytes of the limit are left. Waits for nothing.
    bool release_for(std::uint64_t size) noexcept;
    void count_as_free(std::uint64_t size_bytes) noexcept;
    std::uint64_t allowed_idle() const noexcept;
    Allocation hand_out(std::uint32_t index, std::uint64_t size, std::string_view label);
    UnusedBlocks& unused_of(const Block& block) noexcept {
        return block.is_dedicated ? m_unused_dedicated : m_unused_shared;
    }
    /// The labels with the most memory, for a report.
    std::string holders_text() const;
    std::string report(std::uint64_t size, std::string_view label) const;

    MemorySource& m_source;
    const PoolDesc m_desc;
    mutable std::mutex m_mutex;
    std::vector<Range> m_ranges;
    std::vector<std::uint32_t> m_spare_ranges;
    std::vector<Block> m_blocks;
    std::vector<std::uint32_t> m_spare_blocks;
    std::vector<std::uint32_t> m_fragmented; ///< shared blocks that got ranges back, for coalesce()
    std::vector<std::uint32_t> m_pending;
    Bins m_shared;
    Bins m_dedicated;
    std::unordered_map<std::string, LabelUse, TextHash, std::equal_to<>> m_labels;
    MemoryInfo m_statistics;
    std::uint64_t m_next_block = 0;
    UnusedBlocks m_unused_dedicated;
    UnusedBlocks m_unused_shared;
    bool m_is_closed = false;
};

} // namespace weft::device
