// SPDX-License-Identifier: Apache-2.0
// Rays in batches against a fixed set of meshes. Start reading here; bvh_tracer.hpp runs on every device,
// embree/embree_tracer.hpp on the CPU beside software devices, ray_query_tracer.hpp where the driver traces rays.
#pragma once

#include "core/thread_pool.hpp"
#include "dispatch/module.hpp"
#include "scene/geometry.hpp"
#include "tensor/tensor.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace weft::render {

/// Rows of a batch. Row r begins at word r * capacity; each row holds one word a ray.
inline constexpr std::uint32_t kRayRows =
    8; ///< origin x y z, t_min, direction x y z, t_max: floats
inline constexpr std::uint32_t kHitRows = 5; ///< t, u, v: bits of floats; primitive, instance
/// Most rays of a batch.
inline constexpr std::uint32_t kMaxRays = std::uint32_t{1} << 30U;
/// Row `instance` of a ray that hits nothing.
inline constexpr std::uint32_t kNoInstance = 0xFFFFFFFFU;

/// Rays to be traced, and where the answers go. Both tensors must outlive the work on the device.
///
/// A ray is the points origin + t direction with max(t_min, 0) < t <= t_max, exact up to rounding at both ends;
/// metres. The direction need not be unit. A ray is inactive, and hits nothing, if t_max <= t_min, if the direction is
/// zero or if an entry of origin or direction is no finite number. t_max may be infinite.
struct RayBatch {
    tensor::TensorRef rays; ///< float32, contiguous, kRayRows * capacity elements
    tensor::TensorRef
        hits; ///< uint32, contiguous, kHitRows * capacity elements; for trace_any() capacity elements
    std::uint32_t capacity = 0;
    std::uint32_t count =
        0; ///< rays 0 ... count - 1 are traced; the words of others are left alone
};

/// bvh: two children a node; wide_bvh: eight, compressed; both run on every device. embree: beside software devices.
/// ray_query: what the Vulkan driver has, on devices with DeviceFeatures::ray_query.
enum class TracerKind : std::uint8_t { automatic, bvh, wide_bvh, embree, ray_query };

inline constexpr std::array kTracerKinds{TracerKind::automatic, TracerKind::bvh,
                                         TracerKind::wide_bvh, TracerKind::embree,
                                         TracerKind::ray_query};

[[nodiscard]] std::string_view to_string(TracerKind kind) noexcept;
/// The kind of that name. @throws ArgumentError that begins with `what`.
[[nodiscard]] TracerKind require_tracer_kind(std::string_view name, std::string_view what);

/// Where the trees of bvh are made. automatic: what the environment variable WEFT_TREE_BUILDER names, else those of meshes with at
/// least kDeviceTreeTriangles on the device, unless it is a software device. device: those of all meshes of two triangles
/// or more. Other kinds of tracers have the host's trees always.
enum class TreeBuilder : std::uint8_t { automatic, host, device };

inline constexpr std::array kTreeBuilders{TreeBuilder::automatic, TreeBuilder::host,
                                          TreeBuilder::device};

/// A tree of fewer triangles takes the host less than .1 s, and the device some milliseconds whatever its size.
inline constexpr std::uint64_t kDeviceTreeTriangles = std::uint64_t{1} << 16U;

[[nodiscard]] std::string_view to_string(TreeBuilder builder) noexcept;
/// The builder of that name. @throws ArgumentError that begins with `what`.
[[nodiscard]] TreeBuilder require_tree_builder(std::string_view name, std::string_view what);

/// Bytes of the device.
struct TracerMemory {
    std::uint64_t held = 0;  ///< by acceleration structures
    std::uint64_t build = 0; ///< most that making them has taken besides so far
};

/// A mesh of a tracer that is told of other meshes, see Tracer::update().
struct MeshSource {
    static constexpr std::uint32_t kNew = 0xFFFFFFFFU;

    std::uint32_t kept = kNew; ///< number that it has had so far
    /// If it is kept: empty, or the same triangles with as many vertices, which have moved.
    scene::MeshView mesh{};
};

/// The meshes and instances of one scene, ready for rays. One thread at a time may call the methods of an object.
class Tracer {
public:
    virtual ~Tracer() = default;
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;

    /// What it is: never automatic.
    virtual TracerKind kind() const noexcept = 0;
    /// The memory that rays and hits must lie in; create_rays() and create_hits() see to it.
    virtual device::MemoryKind ray_memory() const noexcept = 0;

    /// Finds the first triangle along each ray, from either side. t is the ray's parameter, u and v are the
    /// barycentric weights of vertices 1 and 2 (vertex 0: 1 - u - v), primitive is the index of the triangle in
    /// its mesh, instance the index into Geometry::instances. A miss has instance kNoInstance and 0 elsewhere.
    /// Where several triangles have the same t, which one is reported is not said.
    ///
    /// Ordered with other work of the device: rays may be written and hits read by kernels without a wait.
    /// @throws ArgumentError if a tensor is not as RayBatch says, lies in other memory or on another device, or
    ///         unless count <= capacity <= kMaxRays; DeviceError.
    virtual void trace_closest(const RayBatch& batch) = 0;
    /// Writes one word a ray: 1 if it hits nothing (as inactive rays do), 0 if there is a triangle between its ends.
    /// Ordering and errors as above.
    virtual void trace_any(const RayBatch& batch) = 0;

    /// Other transforms and instances of the same meshes, for later batches.
    /// @throws ArgumentError as scene::require_valid(); what was in force stays so.
    virtual void update_instances(std::span<const scene::Instance> instances) = 0;

    /// Other meshes and instances, for later batches. Only trees of meshes that are new or have moved are made, and the
    /// top level; meshes that are not kept are dropped. Takes the memory of those that have moved twice meanwhile.
    /// @throws ArgumentError as scene::require_valid(), for a mesh that is not there, is kept twice, or has moved with
    ///         another number of triangles or vertices; DeviceError if memory is short. What was in force stays so.
    virtual void update(std::span<const MeshSource> meshes,
                        std::span<const scene::Instance> instances) = 0;

    /// What acceleration structures take of the device.
    virtual TracerMemory memory() const noexcept { return {}; }

    const std::shared_ptr<device::Device>& device() const noexcept { return m_device; }
    /// Uninitialised memory for the rays of a batch.
    [[nodiscard]] tensor::TensorRef create_rays(std::uint32_t capacity) const;
    /// Uninitialised memory for the answers to a batch; large enough for both questions.
    [[nodiscard]] tensor::TensorRef create_hits(std::uint32_t capacity) const;

protected:
    explicit Tracer(std::shared_ptr<device::Device> device) : m_device(std::move(device)) {}
    /// @throws ArgumentError that begins with `function`, see trace_closest().
    void require_batch(const RayBatch& batch, std::uint32_t hit_rows,
                       std::string_view function) const;
    /// How large a mesh is that a tracer has.
    struct MeshSize {
        std::uint64_t vertices = 0;
        std::uint64_t triangles = 0;
    };
    /// What update() promises of its arguments, but for indices of triangles of meshes that have moved.
    /// @param sizes of the meshes that there are.
    static void require_sources(std::span<const MeshSource> meshes, std::span<const MeshSize> sizes,
                                std::span<const scene::Instance> instances, core::ThreadPool& pool);

private:
    static void require_moved(const MeshSource& source, std::size_t index, const MeshSize& size,
                              core::ThreadPool& pool);

    std::shared_ptr<device::Device> m_device;
};

/// True if this build has a tracer of that kind, whatever devices there are, and, for embree, its library is there: in the folder `libraries`, as in
/// a wheel, or on the system. The first question of a process about Embree decides.
[[nodiscard]] bool is_available(TracerKind kind, const std::filesystem::path& libraries = {});

struct TracerDesc {
    TracerKind kind = TracerKind::automatic;
    TreeBuilder builder = TreeBuilder::automatic;
    std::filesystem::path libraries{}; ///< as in is_available()
};

/// Copies what it needs of `geometry`. automatic: what the environment variable WEFT_TRACER names, else Embree for
/// software devices where it is available, else bvh; never ray_query, which is asked for.
/// @throws ArgumentError as scene::require_valid(); for embree if there is none or the device is no software
///         device, whose memory is the host's; for ray_query if the device has none; if WEFT_TRACER or WEFT_TREE_BUILDER names nothing that there is.
[[nodiscard]] std::unique_ptr<Tracer> create_tracer(const dispatch::Context& context,
                                                    const scene::Geometry& geometry,
                                                    const TracerDesc& desc);
[[nodiscard]] std::unique_ptr<Tracer> create_tracer(const dispatch::Context& context,
                                                    const scene::Geometry& geometry,
                                                    TracerKind kind = TracerKind::automatic);

} // namespace weft::render
