// SPDX-License-Identifier: Apache-2.0
// The triangles of a scene on the device, as GeometryView of shaders/weft/render/scene_view.slang has them.
#pragma once

#include "core/api.hpp"
#include "render/kept_parts.hpp"
#include "scene/emissive_meshes.hpp"
#include "scene/geometry_table.hpp"

namespace weft::render {

/// The objects of a scene, and where their triangles lie in tables.
struct SceneGeometry {
    scene::Scene scene;
    scene::GeometryTable table;
    double extent = 1; ///< radius, metres
};

/// @param kept boxes around objects that are known already.
/// @throws ArgumentError as scene::build_geometry_table().
[[nodiscard]] WEFT_API SceneGeometry scene_geometry(KeptParts& kept, scene::Scene scene);

/// Flat tensors that nobody writes to. Blocks of sets have all triangles, zero where a mesh has fewer sets.
struct GeometryTensors {
    tensor::TensorRef positions; ///< 9 floats a triangle, and of one more
    tensor::TensorRef normals;   ///< likewise
    tensor::TensorRef uvs;       ///< 6 floats a triangle, one block a set
    tensor::TensorRef colors;    ///< 9 floats a triangle, one block a set
    tensor::TensorRef slots;     ///< slot, or material if triangles are placed; and of one more
    tensor::TensorRef tangents;  ///< 12 floats a triangle, one block a UV set
};

/// @param table of the scene. @param has_tangents some material reads tangents; else they are four zeros.
/// @throws ArgumentError if a mesh names a vertex or a slot that there is not; DeviceError if memory is short.
[[nodiscard]] WEFT_API GeometryTensors build_geometry_tensors(KeptParts& kept,
                                                              const scene::Scene& scene,
                                                              const scene::GeometryTable& table,
                                                              bool has_tangents);

/// Radius of a scene, metres.
[[nodiscard]] WEFT_API double find_extent(KeptParts& kept, const scene::Scene& scene);

using EmissiveMeshesRef = std::shared_ptr<const scene::EmissiveMeshes>;

/// Lights of triangles; one object as long as the objects that give off light are the same.
/// @throws ArgumentError if a mesh names a vertex that there is not.
[[nodiscard]] WEFT_API EmissiveMeshesRef emissive_meshes(KeptParts& kept, const scene::Scene& scene,
                                                         const scene::GeometryTable& table,
                                                         std::uint32_t first_light);

} // namespace weft::render
