// SPDX-License-Identifier: Apache-2.0
#include "render/path_buffers.hpp"

#include "scene/layouts.hpp"
#include "tensor/transfer.hpp"
#include "tensor/view.hpp"

namespace weft::render {

using scene::layouts::PathRow;

namespace {

static_assert(kRayRows == scene::layouts::RayRow::kEnd && kHitRows == scene::layouts::HitRow::kEnd);

constexpr std::int64_t kGroup = 256; // threads

/// Words that paths bring besides their state: rays and hits, of lights too.
std::int64_t traced_words(const scene::SceneTraits& traits, bool is_long) {
    const std::int64_t own = 2 * std::int64_t{kRayRows} + (is_long ? 3 : 2) * kHitRows;
    return own + (traits.has_walks ? kRayRows + kHitRows : 0);
}

tensor::TensorRef create_words(const Tracer& tracer, std::uint32_t count) {
    return tracer.create_hits(static_cast<std::uint32_t>(rows_of_hits(count)));
}

std::unique_ptr<WalkBuffers> create_walks(const Tracer& tracer, std::uint32_t capacity) {
    WalkBuffers walks{.rays = tracer.create_rays(capacity),
                      .hits = tracer.create_hits(capacity),
                      .queue = create_words(tracer, capacity),
                      .next = create_words(tracer, capacity),
                      .order = create_words(tracer, capacity),
                      .keys = create_words(tracer, capacity),
                      .view = {}};
    walks.view.add_tensor("rays", walks.rays);
    walks.view.add_tensor("hits", walks.hits);
    walks.view.add_tensor("queue", walks.queue);
    walks.view.add_tensor("next", walks.next);
    walks.view.add_tensor("order", walks.order);
    walks.view.add_tensor("keys", walks.keys);
    walks.view.add_integer("capacity", capacity);
    walks.view.add_integer("isTraced", 0);
    return std::make_unique<WalkBuffers>(std::move(walks));
}

} // namespace

std::uint32_t path_rows(const scene::SceneTraits& traits) noexcept {
    if (traits.fits_media) {
        return PathRow::kEnd;
    }
    if (traits.has_walks) {
        return PathRow::kLightWays;
    }
    if (traits.has_media) {
        return PathRow::kWalkAlpha;
    }
    if (traits.has_kinds) {
        return PathRow::kMedia;
    }
    if (traits.has_long_paths()) {
        return PathRow::kBegin;
    }
    return traits.has_limits ? PathRow::kCounts : PathRow::kKind;
}

std::int64_t whole_groups(std::int64_t count) noexcept {
    return (count + kGroup - 1) / kGroup * kGroup;
}

std::int64_t record_room(std::int64_t wanted) noexcept {
    return whole_groups(wanted + wanted / 4);
}

std::int64_t rows_of_hits(std::int64_t words) noexcept {
    return (words + kHitRows - 1) / kHitRows;
}

std::int64_t path_buffer_bytes(std::int64_t capacity, const scene::SceneTraits& traits) noexcept {
    const std::uint32_t rows = path_rows(traits);
    const std::int64_t words = rows + traced_words(traits, rows >= PathRow::kBegin);
    const std::int64_t queues = traits.has_walks ? 6 : 2;
    return std::int64_t{sizeof(std::uint32_t)} *
           (words * capacity + queues * kHitRows * rows_of_hits(capacity));
}

std::int64_t default_batch(const device::DeviceInfo& info, const device::MemoryInfo& memory,
                           const scene::SceneTraits& traits) noexcept {
    constexpr std::int64_t kMinPaths = std::int64_t{1} << 20U;
    constexpr std::int64_t kMaxPaths = std::int64_t{1} << 24U;
    constexpr std::uint64_t kMemoryDivisor = 8;
    if (info.features.is_software) {
        return kMinPaths; // all of them wait for the same few cores
    }
    std::uint64_t room = memory.available != 0 ? memory.available + memory.idle : memory.total;
    if (memory.limit != 0) {
        room = std::min(room, memory.limit - std::min(memory.limit, memory.used));
    }
    // No row of paths is larger than a buffer may be.
    room = std::min(room / kMemoryDivisor, info.limits.max_buffer_size);
    std::int64_t batch = kMaxPaths;
    while (batch > kMinPaths &&
           static_cast<std::uint64_t>(path_buffer_bytes(batch, traits)) > room) {
        batch /= 2;
    }
    return batch;
}

PathBuffers::PathBuffers(const Tracer& tracer, std::uint32_t capacity,
                         const scene::SceneTraits& traits)
    : m_capacity(capacity), m_rays(tracer.create_rays(capacity)),
      m_hits(tracer.create_hits(capacity)), m_light_rays(tracer.create_rays(capacity)),
      m_light_visible(tracer.create_hits(capacity)), m_keys(create_words(tracer, capacity)),
      m_queue(create_words(tracer, capacity)) {
    const std::uint32_t rows = path_rows(traits);
    m_state = tensor::Tensor::create(
        tracer.device(),
        {.dtype = reflect::scalar_type(reflect::ScalarKind::float32), .shape = {rows, capacity}});
    tensor::clear(*m_state);
    m_light_hits = rows >= PathRow::kBegin ? tracer.create_hits(capacity) : m_light_visible;
    m_view.add_tensor("state", m_state);
    m_view.add_tensor("rays", m_rays);
    m_view.add_tensor("hits", m_hits);
    m_view.add_tensor("lightRays", m_light_rays);
    m_view.add_tensor("lightVisible", m_light_visible);
    m_view.add_tensor("lightHits", m_light_hits);
    m_view.add_tensor("startMedia", m_queue);
    m_view.add_tensor("pixels", m_queue);
    m_view.add_tensor("keys", m_keys);
    m_view.add_tensor("queue", m_queue);
    m_view.add_integer("firstOfQueue", 0);
    m_view.add_integer("key", 0);
    m_view.add_integer("capacity", capacity);
}

void PathBuffers::read_hits(std::uint32_t row, std::int64_t count,
                            std::vector<std::uint32_t>& words,
                            const core::InterruptPoll& poll) const {
    const std::size_t before = words.size();
    words.resize(before + static_cast<std::size_t>(count));
    const tensor::TensorRef own = tensor::view(m_hits, {count}, {}, std::int64_t{row} * m_capacity);
    tensor::download(*own, std::as_writable_bytes(std::span(words).subspan(before)), poll);
}

tensor::TensorRef PathBuffers::keys_of(std::int64_t count) const {
    return tensor::view(m_keys, {count}, {}, 0);
}

RayBatch PathBuffers::batch(const tensor::TensorRef& rays, const tensor::TensorRef& hits,
                            std::uint32_t count) const {
    return {.rays = rays, .hits = hits, .capacity = m_capacity, .count = count};
}

RayBatch PathBuffers::path_rays(std::uint32_t count) const {
    return batch(m_rays, m_hits, count);
}

RayBatch PathBuffers::light_rays(std::uint32_t count) const {
    return batch(m_light_rays, m_light_visible, count);
}

RayBatch PathBuffers::light_hits(std::uint32_t count) const {
    return batch(m_light_rays, m_light_hits, count);
}

const KernelArgument& PathBuffers::view(std::int64_t first, std::int64_t key) {
    m_view.set_integer("firstOfQueue", first);
    m_view.set_integer("key", key);
    return m_view;
}

void PathBuffers::set_pixels(tensor::TensorRef numbers) {
    m_view.set_tensor("pixels", std::move(numbers));
}

void PathBuffers::set_start_media(tensor::TensorRef media) {
    m_view.set_tensor("startMedia", std::move(media));
}

WalkBuffers& PathBuffers::walks(const Tracer& tracer) {
    if (!m_walks) {
        m_walks = create_walks(tracer, m_capacity);
    }
    return *m_walks;
}

} // namespace weft::render
