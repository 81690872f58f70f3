// SPDX-License-Identifier: Apache-2.0
// Memory for the paths under way, see shaders/weft/render/path.slang.
#pragma once

#include "core/interrupt_poll.hpp"
#include "render/kernel_argument.hpp"
#include "render/tracer.hpp"
#include "scene/kernel_text.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace weft::render {

/// Rows of path_rows.slang that the paths of a scene have: up to the first that only scenes with more than it need.
[[nodiscard]] std::uint32_t path_rows(const scene::SceneTraits& traits) noexcept;

/// Room for at least so many paths or records: whole groups of threads.
[[nodiscard]] std::int64_t whole_groups(std::int64_t count) noexcept;

/// Records that memory for at least so many gets: a quarter more, for later ones.
[[nodiscard]] std::int64_t record_room(std::int64_t wanted) noexcept;

/// Hits whose memory has room for so many words.
[[nodiscard]] std::int64_t rows_of_hits(std::int64_t words) noexcept;

/// Bytes of PathBuffers of so many paths, at most: those of walks included.
[[nodiscard]] std::int64_t path_buffer_bytes(std::int64_t capacity,
                                             const scene::SceneTraits& traits) noexcept;

/// Paths that pictures have under way at a time unless somebody says how many: enough for a large device, 2^24, where
/// they take at most an eighth of the memory that is free, fewer elsewhere, and 2^20 at least and in software.
/// @param info, memory of the device. @return a power of two.
[[nodiscard]] std::int64_t default_batch(const device::DeviceInfo& info,
                                         const device::MemoryInfo& memory,
                                         const scene::SceneTraits& traits) noexcept;

/// WalkView of walk.slang: what paths below surfaces need.
struct WalkBuffers {
    tensor::TensorRef rays;
    tensor::TensorRef hits;
    tensor::TensorRef queue;
    tensor::TensorRef next; ///< changes places with `queue`
    tensor::TensorRef order;
    tensor::TensorRef keys;
    KernelArgument view;
};

/// Memory for a batch of paths. One thread at a time.
class PathBuffers {
public:
    /// @param capacity paths, at least 1. @throws DeviceError if memory is short.
    PathBuffers(const Tracer& tracer, std::uint32_t capacity, const scene::SceneTraits& traits);

    [[nodiscard]] std::uint32_t capacity() const noexcept { return m_capacity; }
    [[nodiscard]] const tensor::TensorRef& state() const noexcept { return m_state; }
    [[nodiscard]] const tensor::TensorRef& keys() const noexcept { return m_keys; }
    [[nodiscard]] const tensor::TensorRef& queue() const noexcept { return m_queue; }
    [[nodiscard]] const tensor::TensorRef& rays() const noexcept { return m_rays; }
    [[nodiscard]] const tensor::TensorRef& hits() const noexcept { return m_hits; }
    /// Appends the words of a row (HitRow) of the first `count` hits. Waits for the device.
    void read_hits(std::uint32_t row, std::int64_t count, std::vector<std::uint32_t>& words,
                   const core::InterruptPoll& poll) const;
    /// Keys of the first `count` paths.
    [[nodiscard]] tensor::TensorRef keys_of(std::int64_t count) const;

    [[nodiscard]] RayBatch path_rays(std::uint32_t count) const;
    /// Light rays, and whether they are visible. See Tracer::trace_any().
    [[nodiscard]] RayBatch light_rays(std::uint32_t count) const;
    /// Light rays, and what they hit. Only where paths are long; else the memory of light_rays().
    [[nodiscard]] RayBatch light_hits(std::uint32_t count) const;

    /// PathView of path.slang, for launches of all paths.
    [[nodiscard]] const KernelArgument& view() const noexcept { return m_view; }
    /// The same for launches of the sorted paths from number `first` on, or of those with a key.
    [[nodiscard]] const KernelArgument& view(std::int64_t first, std::int64_t key = 0);

    /// Pixels of the camera, in the order of the batch; uint32.
    void set_pixels(tensor::TensorRef numbers);
    /// What the camera is in: kMediaDepth words.
    void set_start_media(tensor::TensorRef media);

    /// Made once, when it is first asked for.
    [[nodiscard]] WalkBuffers& walks(const Tracer& tracer);

    std::int64_t transparent_bounces = 0; ///< of the paths under way

private:
    [[nodiscard]] RayBatch batch(const tensor::TensorRef& rays, const tensor::TensorRef& hits,
                                 std::uint32_t count) const;

    std::uint32_t m_capacity;
    tensor::TensorRef m_rays;
    tensor::TensorRef m_hits;
    tensor::TensorRef m_light_rays;
    tensor::TensorRef m_light_visible;
    tensor::TensorRef m_light_hits;
    tensor::TensorRef m_state;
    tensor::TensorRef m_keys;
    tensor::TensorRef m_queue;
    KernelArgument m_view;
    std::unique_ptr<WalkBuffers> m_walks;
};

} // namespace weft::render
