// SPDX-License-Identifier: Apache-2.0
#include "render/tracer.hpp"

#include "core/error.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "render/bvh_tracer.hpp"
#include "render/ray_query_tracer.hpp"
#include "scene/bvh_primitives.hpp"

#include <vector>

#if WEFT_WITH_EMBREE
#include "render/embree/embree_api.hpp"
#include "render/embree/embree_tracer.hpp"
#endif

namespace weft::render {

using core::ArgumentError;
using core::text;
using reflect::ScalarKind;

namespace {

/// What an automatic choice is on a device.
TracerKind choose_kind(const dispatch::Context& context, const std::filesystem::path& libraries) {
    const auto name = core::environment_variable("WEFT_TRACER");
    const TracerKind asked =
        name ? require_tracer_kind(*name, "WEFT_TRACER") : TracerKind::automatic;
    if (asked != TracerKind::automatic) {
        return asked;
    }
    const bool is_software = context.device->info().features.is_software;
    return is_software && is_available(TracerKind::embree, libraries) ? TracerKind::embree
                                                                      : TracerKind::bvh;
}

TreeBuilder choose_builder(TreeBuilder asked) {
    const auto name = core::environment_variable("WEFT_TREE_BUILDER");
    return asked == TreeBuilder::automatic && name
               ? require_tree_builder(*name, "WEFT_TREE_BUILDER")
               : asked;
}

/// Why there is no Embree; empty if there is.
std::string embree_obstacle([[maybe_unused]] const std::filesystem::path& libraries) {
#if WEFT_WITH_EMBREE
    return embree::load(libraries).reason;
#else
    return "this build of Weft was made without it";
#endif
}

tensor::TensorRef create_words(const std::shared_ptr<device::Device>& device, ScalarKind scalar,
                               std::uint64_t count, device::MemoryKind memory) {
    auto buffer = device->create_buffer({.size_bytes = count * sizeof(std::uint32_t),
                                         .memory = memory,
                                         .label = scalar == ScalarKind::float32 ? "rays" : "hits"});
    return tensor::Tensor::wrap(std::move(buffer), {.dtype = reflect::scalar_type(scalar),
                                                    .shape = {static_cast<std::int64_t>(count)}});
}

bool holds_rows_of(const tensor::Tensor& tensor, ScalarKind scalar) {
    return tensor.is_contiguous() && tensor.dtype()->kind == reflect::TypeKind::scalar &&
           tensor.dtype()->scalar == scalar;
}

} // namespace

std::string_view to_string(TracerKind kind) noexcept {
    switch (kind) {
    case TracerKind::automatic: return "automatic";
    case TracerKind::bvh: return "bvh";
    case TracerKind::wide_bvh: return "wide_bvh";
    case TracerKind::embree: return "embree";
    case TracerKind::ray_query: return "ray_query";
    }
    return "";
}

std::string_view to_string(TreeBuilder builder) noexcept {
    switch (builder) {
    case TreeBuilder::automatic: return "automatic";
    case TreeBuilder::host: return "host";
    case TreeBuilder::device: return "device";
    }
    return "";
}

tensor::TensorRef Tracer::create_rays(std::uint32_t capacity) const {
    return create_words(m_device, ScalarKind::float32, std::uint64_t{capacity} * kRayRows,
                        ray_memory());
}

tensor::TensorRef Tracer::create_hits(std::uint32_t capacity) const {
    return create_words(m_device, ScalarKind::uint32, std::uint64_t{capacity} * kHitRows,
                        ray_memory());
}

void Tracer::require_batch(const RayBatch& batch, std::uint32_t hit_rows,
                           std::string_view function) const {
    const auto require = [&](const tensor::TensorRef& tensor, ScalarKind scalar, std::uint32_t rows,
                             const char* name) {
        const bool is_there = tensor && &tensor->device() == m_device.get();
        if (!is_there) {
            throw ArgumentError(
                text(function, ": '", name, "' must be a tensor on the tracer's device"));
        }
        const std::uint64_t wanted = std::uint64_t{rows} * batch.capacity;
        if (!holds_rows_of(*tensor, scalar) ||
            static_cast<std::uint64_t>(tensor->element_count()) < wanted) {
            throw ArgumentError(text(function, ": '", name, "' must be contiguous, with at least ",
                                     wanted, " elements of ", reflect::slang_name(scalar),
                                     "; make it with the tracer's create_", name, "()"));
        }
        if (ray_memory() == device::MemoryKind::readback && wanted != 0 &&
            tensor->buffer().mapped() == nullptr) {
            throw ArgumentError(text(function, ": '", name, "' must lie in host memory for this ",
                                     "tracer; make it with the tracer's create_", name, "()"));
        }
    };
    if (batch.capacity > kMaxRays) {
        throw ArgumentError(text(function, ": a capacity of ", batch.capacity, " rays; at most ",
                                 kMaxRays, " are possible, trace several batches"));
    }
    if (batch.count > batch.capacity) {
        throw ArgumentError(text(function, ": ", batch.count, " rays in a batch of ",
                                 batch.capacity, "; trace fewer"));
    }
    require(batch.rays, ScalarKind::float32, kRayRows, "rays");
    require(batch.hits, ScalarKind::uint32, hit_rows, "hits");
}

bool is_available(TracerKind kind, const std::filesystem::path& libraries) {
    return kind != TracerKind::embree || embree_obstacle(libraries).empty();
}

TracerKind require_tracer_kind(std::string_view name, std::string_view what) {
    for (const TracerKind kind : kTracerKinds) {
        if (to_string(kind) == name) {
            return kind;
        }
    }
    throw ArgumentError(
        text(what, " must be 'automatic', 'bvh', 'wide_bvh', 'embree' or 'ray_query', got '", name,
             "'"));
}

TreeBuilder require_tree_builder(std::string_view name, std::string_view what) {
    for (const TreeBuilder builder : kTreeBuilders) {
        if (to_string(builder) == name) {
            return builder;
        }
    }
    throw ArgumentError(text(what, " must be 'automatic', 'host' or 'device', got '", name, "'"));
}

void Tracer::require_sources(std::span<const MeshSource> meshes, std::span<const MeshSize> sizes,
                             std::span<const scene::Instance> instances, core::ThreadPool& pool) {
    scene::Geometry added; // with nothing for those that are kept, so that numbers are right
    std::vector<bool> is_kept(sizes.size());
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        const MeshSource& source = meshes[i];
        if (source.kept == MeshSource::kNew) {
            added.meshes.push_back(source.mesh);
            count += source.mesh.triangles.size() / 3;
            continue;
        }
        added.meshes.emplace_back();
        if (source.kept >= sizes.size()) {
            throw ArgumentError(text("update: mesh ", i, " is to be mesh ", source.kept, " of ",
                                     sizes.size(), "; meshes count from 0"));
        }
        if (is_kept[source.kept]) {
            throw ArgumentError(text("update: mesh ", i, " is to be mesh ", source.kept,
                                     ", as one before is; keep each once"));
        }
        is_kept[source.kept] = true;
        count += sizes[source.kept].triangles;
        require_moved(source, i, sizes[source.kept], pool);
    }
    scene::require_valid(added);
    if (count > scene::kMaxTriangles) {
        throw ArgumentError(
            text("update: ", count, " triangles; at most ", scene::kMaxTriangles, " are possible"));
    }
    scene::require_valid_instances(instances, meshes.size());
}

void Tracer::require_moved(const MeshSource& source, std::size_t index, const MeshSize& size,
                           core::ThreadPool& pool) {
    const scene::MeshView& mesh = source.mesh;
    if (mesh.positions.empty()) {
        return;
    }
    if (mesh.triangles.size() != 3 * size.triangles) {
        throw ArgumentError(text("update: mesh ", index, " has ", mesh.triangles.size() / 3,
                                 " triangles, mesh ", source.kept, " had ", size.triangles,
                                 "; give it as a new mesh"));
    }
    if (mesh.positions.size() != 3 * size.vertices) {
        throw ArgumentError(text("update: mesh ", index, " has ", mesh.positions.size() / 3,
                                 " vertices, mesh ", source.kept, " had ", size.vertices,
                                 "; give it as a new mesh"));
    }
    if (!scene::has_finite_vertices(mesh, pool)) {
        scene::require_finite_vertices(mesh, index);
    }
}

std::unique_ptr<Tracer> create_tracer(const dispatch::Context& context,
                                      const scene::Geometry& geometry, TracerKind kind) {
    return create_tracer(context, geometry, TracerDesc{.kind = kind});
}

std::unique_ptr<Tracer> create_tracer(const dispatch::Context& context,
                                      const scene::Geometry& geometry, const TracerDesc& desc) {
    const TracerKind chosen =
        desc.kind == TracerKind::automatic ? choose_kind(context, desc.libraries) : desc.kind;
    if (chosen == TracerKind::ray_query) {
        if (const std::string obstacle = ray_query_obstacle(*context.device); !obstacle.empty()) {
            throw ArgumentError(
                text("create_tracer: ray_query cannot trace here: ", obstacle, "; use bvh"));
        }
        return create_ray_query_tracer(context, geometry);
    }
    if (chosen != TracerKind::embree) {
        return BvhTracer::create(context, geometry, chosen == TracerKind::wide_bvh,
                                 choose_builder(desc.builder));
    }
    if (!context.device->info().features.is_software) {
        throw ArgumentError(text("create_tracer: Embree traces on the CPU, ",
                                 context.device->info().name, " is no software device; use bvh"));
    }
    if (const std::string obstacle = embree_obstacle(desc.libraries); !obstacle.empty()) {
        throw ArgumentError(
            text("create_tracer: there is no Embree (", obstacle, "); install it or use bvh"));
    }
#if WEFT_WITH_EMBREE
    return create_embree_tracer(context, geometry);
#else
    return nullptr; // is never reached
#endif
}

} // namespace weft::render
