// SPDX-License-Identifier: Apache-2.0
// One scene under several lights and environments, rendered by the same kernels. Start reading at LitScene.
#pragma once

#include "core/api.hpp"
#include "render/film_tracer.hpp"
#include "render/scene_tables.hpp"
#include "render/traced_meshes.hpp"

#include <memory>
#include <span>
#include <vector>

namespace weft::render {

using SceneTablesRef = std::shared_ptr<SceneTables>;
using SceneGeometryRef = std::shared_ptr<const SceneGeometry>;

/// Tables of a scene, and of it under other lights. Those of light_sampling automatic have trees if one of the others has.
/// @param kept parts of the tables that they replace, and theirs.
/// @param scenes the scene, then the same objects under other lights; at least one.
/// @return as many. @throws as SceneTables().
[[nodiscard]] WEFT_API std::vector<SceneTablesRef>
build_lit_tables(const std::shared_ptr<KeptParts>& kept, std::span<const SceneGeometryRef> scenes,
                 const SceneTablesDesc& desc);

/// What kernels may leave out that serve all these tables on a device.
/// @param tables of one scene; at least one.
[[nodiscard]] WEFT_API scene::SceneTraits kernel_traits(const device::Device& device,
                                                        std::span<const SceneTablesRef> tables);

/// A scene that can be rendered: its tables under each of its lights, its kernels, its triangles.
struct LitScene {
    std::vector<SceneTablesRef> tables{}; ///< the scene's own, then those under other lights
    std::shared_ptr<SceneModules> modules{};
    std::shared_ptr<const TracedMeshes> traced{};

    [[nodiscard]] SceneOnDevice on_device() const {
        return {.tracer = traced->tracer(), .modules = modules};
    }
};

/// Loads kernels, fills what they fill in tables, and makes acceleration structures: last, as that changes a tracer which
/// others may use. Lets go of what the tables replace.
/// @param cache of modules, see FilmTracer::modules(). @param tables of build_lit_tables().
/// @param traits of all kernels, see kernel_traits(). @param before of the scene before; null: there is none.
/// @throws CompileError if a Slang function of a material does not compile; ArgumentError if a mesh cannot be traced.
///         `before` is as it was.
[[nodiscard]] WEFT_API LitScene prepare_scene(const std::shared_ptr<ModuleCache>& cache,
                                              std::vector<SceneTablesRef> tables,
                                              const scene::SceneTraits& traits,
                                              const TracerDesc& desc, const TracedMeshes* before);

} // namespace weft::render
