// SPDX-License-Identifier: Apache-2.0
// The acceleration structures of a scene, each kept while its mesh is the same.
#pragma once

#include "core/api.hpp"
#include "render/geometry_tensors.hpp"
#include "render/part_key.hpp"
#include "render/tracer.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace weft::render {

/// A shape that a tracer has: vertices and triangles of a mesh.
struct TracedShape {
    std::uint32_t number = 0; ///< of the tracer's mesh
    scene::MeshRef mesh{};    ///< keeps the arrays
};

/// Shapes by what stands for their arrays; some may have no instance.
using TracedShapes = std::unordered_map<PartKey, TracedShape>;

/// What a tracer has now, shared by all that have the tracer.
struct TracerState {
    std::shared_ptr<const TracedShapes> shapes{};
    std::uint64_t triangle_count = 0;         ///< of all its meshes
    std::vector<scene::Instance> instances{}; ///< in force
    std::uint64_t room = 0;                   ///< most triangles that it has had at once
};

/// What was done to a tracer for a scene.
struct TracerChange {
    std::uint64_t triangles = 0; ///< of meshes that needed trees
    std::uint32_t moved = 0;     ///< meshes whose vertices have moved
    std::uint32_t added = 0;     ///< meshes that are new
};

/// A tracer and what it traces for a scene. A value type; copies share the tracer.
class WEFT_API TracedMeshes {
public:
    /// The tracer of a scene: that of `before`, changed, unless it is far too large. Meshes without instance stay as long
    /// as they have no more triangles than the others and no mesh is new.
    /// @param before null: there is none.
    /// @throws ArgumentError if a mesh cannot be traced; `before` is as it was.
    TracedMeshes(const dispatch::Context& context, const SceneGeometry& geometry,
                 const TracerDesc& desc, const TracedMeshes* before);

    [[nodiscard]] const std::shared_ptr<Tracer>& tracer() const noexcept { return m_tracer; }
    /// What it took to make the tracer that of the scene.
    [[nodiscard]] const TracerChange& change() const noexcept { return m_change; }
    /// Whether nobody else has placed other instances or meshes since.
    [[nodiscard]] bool is_current() const noexcept;

private:
    std::shared_ptr<Tracer> m_tracer;
    std::shared_ptr<TracerState> m_state;
    std::shared_ptr<const TracedShapes> m_shapes; ///< as the state had them
    std::vector<scene::Instance> m_instances;     ///< likewise
    TracerChange m_change;
};

} // namespace weft::render
