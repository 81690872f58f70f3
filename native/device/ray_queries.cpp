// SPDX-License-Identifier: Apache-2.0
#include "device/ray_queries.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace weft::device {
namespace {

constexpr std::uint64_t kRowBytes = 3 * sizeof(float); ///< of a vertex or a triangle

void require_rows(const Buffer* buffer, std::uint32_t count, std::string_view name) {
    const std::uint64_t size = buffer != nullptr ? buffer->size_bytes() : 0;
    if (count == 0 || size < kRowBytes * count) {
        throw core::ArgumentError(core::text("build_triangles: '", name, "' must hold ",
                                             count == 0 ? 1 : count, " rows of ", kRowBytes,
                                             " bytes, got ", size, " bytes"));
    }
}

} // namespace

void RayQueries::require_build(const TriangleBuild& build) const {
    require_rows(build.input.positions, build.input.vertex_count, "positions");
    require_rows(build.input.triangles, build.input.triangle_count, "triangles");
    if (build.input.triangle_count > max_triangles()) {
        throw core::ArgumentError(
            core::text("build_triangles: a mesh has ", build.input.triangle_count,
                       " triangles, this device's ray queries take at most ", max_triangles(),
                       "; split the mesh, or use the tracer bvh"));
    }
    if (build.from != nullptr && !build.is_movable) {
        throw core::ArgumentError("build_triangles: a structure that begins from another one must "
                                  "be movable, as that one is");
    }
}

void RayQueries::require_instances(const Buffer& records, std::uint32_t count) const {
    if (records.size_bytes() < sizeof(InstanceRecord) * std::uint64_t{count}) {
        throw core::ArgumentError(core::text("build_instances: ", count, " instances take ",
                                             sizeof(InstanceRecord) * std::uint64_t{count},
                                             " bytes, got ", records.size_bytes()));
    }
    if (count > max_instances()) {
        throw core::ArgumentError(core::text(
            "build_instances: ", count, " instances, this device's ray queries take at most ",
            max_instances(), "; join meshes, or use the tracer bvh"));
    }
}

} // namespace weft::device
