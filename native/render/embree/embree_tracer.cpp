// SPDX-License-Identifier: Apache-2.0
#include "render/embree/embree_tracer.hpp"

#include "core/thread_pool.hpp"
#include "render/embree/embree_scene.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace weft::render {

namespace {

using embree::kLanes;

constexpr std::uint32_t kRaysPerJob = 64 * kLanes;

/// Lane `i` of the packet is ray `first + i` of the batch. Pointers to element 0 of a row, rows `capacity` apart.
struct Packet {
    const float* rays;
    std::uint32_t* hits;
    std::size_t capacity;
    std::size_t first;
    std::size_t size; ///< lanes in use
    RTCScene scene;
};

/// What Embree asks for beside the rows of a batch. Lanes that are not valid keep zeros.
struct Query {
    alignas(64) RTCRayHit16 rays;
    alignas(64) int valid[kLanes];
    bool has_valid = false;

    explicit Query(const Packet& packet) {
        std::memset(&rays, 0, sizeof(rays));
        RTCRay16& ray = rays.ray;
        const std::array<float*, kRayRows> rows{ray.org_x, ray.org_y, ray.org_z, ray.tnear,
                                                ray.dir_x, ray.dir_y, ray.dir_z, ray.tfar};
        for (std::size_t r = 0; r < kRayRows; ++r) {
            std::memcpy(rows[r], packet.rays + r * packet.capacity + packet.first,
                        packet.size * sizeof(float));
        }
        for (unsigned i = 0; i < kLanes; ++i) {
            ray.tnear[i] = std::max(ray.tnear[i], 0.0F);
            ray.mask[i] = ~0U;
            rays.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
            rays.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
            valid[i] = is_active(ray, i) ? -1 : 0;
            has_valid = has_valid || valid[i] != 0;
            if (valid[i] == 0) {
                // Debian's Embree asserts that every lane holds numbers.
                for (float* const row : rows) {
                    row[i] = 0;
                }
            }
        }
    }

    /// False also for the zeros of lanes out of use.
    static bool is_active(const RTCRay16& ray, unsigned i) noexcept {
        const float farthest =
            0.1F * (std::abs(ray.org_x[i]) + std::abs(ray.org_y[i]) + std::abs(ray.org_z[i]));
        const float size = std::abs(ray.dir_x[i]) + std::abs(ray.dir_y[i]) + std::abs(ray.dir_z[i]);
        return ray.tfar[i] > ray.tnear[i] && size > 0 &&
               farthest + 0.1F * size < std::numeric_limits<float>::max();
    }
};

void trace_closest_packet(const Packet& packet) {
    Query query(packet);
    if (query.has_valid) {
        embree::intersect(query.valid, packet.scene, query.rays);
    }
    std::array<std::array<std::uint32_t, kLanes>, kHitRows> rows{};
    for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint32_t instance = embree::EmbreeScene::instance_of(query.rays.hit, i);
        rows[4][i] = instance;
        if (instance != kNoInstance) {
            rows[0][i] = std::bit_cast<std::uint32_t>(query.rays.ray.tfar[i]);
            rows[1][i] = std::bit_cast<std::uint32_t>(query.rays.hit.u[i]);
            rows[2][i] = std::bit_cast<std::uint32_t>(query.rays.hit.v[i]);
            rows[3][i] = query.rays.hit.primID[i];
        }
    }
    for (std::size_t r = 0; r < kHitRows; ++r) {
        std::memcpy(packet.hits + r * packet.capacity + packet.first, rows[r].data(),
                    packet.size * sizeof(std::uint32_t));
    }
}

void trace_any_packet(const Packet& packet) {
    Query query(packet);
    if (query.has_valid) {
        embree::occluded(query.valid, packet.scene, query.rays.ray);
    }
    for (unsigned i = 0; i < packet.size; ++i) {
        const bool is_occluded = query.valid[i] != 0 && query.rays.ray.tfar[i] < 0;
        packet.hits[packet.first + i] = is_occluded ? 0 : 1;
    }
}

class EmbreeTracer final : public Tracer {
public:
    EmbreeTracer(std::shared_ptr<device::Device> device, const scene::Geometry& geometry)
        : Tracer(std::move(device)), m_scene(geometry) {}

    TracerKind kind() const noexcept override { return TracerKind::embree; }
    device::MemoryKind ray_memory() const noexcept override { return device::MemoryKind::readback; }
    void trace_closest(const RayBatch& batch) override {
        require_batch(batch, kHitRows, "trace_closest");
        run(batch, trace_closest_packet);
    }
    void trace_any(const RayBatch& batch) override {
        require_batch(batch, 1, "trace_any");
        run(batch, trace_any_packet);
    }
    void update_instances(std::span<const scene::Instance> instances) override {
        m_scene.update_instances(instances);
    }
    void update(std::span<const MeshSource> meshes,
                std::span<const scene::Instance> instances) override {
        std::vector<MeshSize> sizes;
        for (std::size_t i = 0; i < m_scene.mesh_count(); ++i) {
            sizes.push_back(
                {.vertices = m_scene.vertex_count(i), .triangles = m_scene.triangle_count(i)});
        }
        require_sources(meshes, sizes, instances, m_pool);
        m_scene.update(meshes, instances);
    }

private:
    void run(const RayBatch& batch, void (*trace)(const Packet&));

    embree::EmbreeScene m_scene;
    core::ThreadPool m_pool;
};

void EmbreeTracer::run(const RayBatch& batch, void (*trace)(const Packet&)) {
    if (batch.count == 0) {
        return;
    }
    device()->wait();
    const auto host = [](const tensor::Tensor& tensor) {
        return tensor.buffer().mapped() + tensor.offset_bytes();
    };
    const auto* const rays = reinterpret_cast<const float*>(host(*batch.rays));
    auto* const hits = reinterpret_cast<std::uint32_t*>(host(*batch.hits));
    m_pool.run((batch.count + kRaysPerJob - 1) / kRaysPerJob, [&](std::size_t job) {
        const std::size_t end = std::min<std::size_t>((job + 1) * kRaysPerJob, batch.count);
        for (std::size_t first = job * kRaysPerJob; first < end; first += kLanes) {
            trace({.rays = rays,
                   .hits = hits,
                   .capacity = batch.capacity,
                   .first = first,
                   .size = std::min<std::size_t>(kLanes, end - first),
                   .scene = m_scene.top()});
        }
    });
}

} // namespace

std::unique_ptr<Tracer> create_embree_tracer(const dispatch::Context& context,
                                             const scene::Geometry& geometry) {
    return std::make_unique<EmbreeTracer>(context.device, geometry);
}

} // namespace weft::render
