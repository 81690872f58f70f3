// SPDX-License-Identifier: Apache-2.0
#include "render/lit_scene.hpp"

#include "render/scene_kernels.hpp"

#include <algorithm>
#include <utility>

namespace weft::render {

namespace {

void add_relit(const SceneTablesDesc& desc, std::span<const SceneGeometryRef> scenes,
               std::vector<SceneTablesRef>& tables) {
    tables.resize(1);
    const SceneTables& own = *tables.front();
    for (const SceneGeometryRef& scene : scenes.subspan(1)) {
        tables.push_back(std::make_shared<SceneTables>(own.kept(), scene, desc, &own));
    }
}

} // namespace

std::vector<SceneTablesRef> build_lit_tables(const std::shared_ptr<KeptParts>& kept,
                                             std::span<const SceneGeometryRef> scenes,
                                             const SceneTablesDesc& desc) {
    std::vector<SceneTablesRef> tables{std::make_shared<SceneTables>(kept, scenes.front(), desc)};
    add_relit(desc, scenes, tables);
    const bool has_tree =
        std::ranges::any_of(std::span(tables).subspan(1),
                            [](const SceneTablesRef& relit) { return relit->lights().has_tree; });
    if (desc.light_sampling == LightSampling::automatic && has_tree) {
        add_relit({.light_sampling = LightSampling::tree, .bsdf_tables = desc.bsdf_tables}, scenes,
                  tables);
    }
    return tables;
}

scene::SceneTraits kernel_traits(const device::Device& device,
                                 std::span<const SceneTablesRef> tables) {
    std::vector<scene::SceneTraits> each;
    std::ranges::transform(tables, std::back_inserter(each), &SceneTables::traits);
    scene::SceneTraits traits = scene::joined_traits(each);
    // How many hidden surfaces a path meets, only the host can tell.
    traits.sorts_paths = tables.front()->traits().is_uncounted() ||
                         must_sort_paths(device, tables.front()->materials()->programs.size());
    return traits;
}

LitScene prepare_scene(const std::shared_ptr<ModuleCache>& cache,
                       std::vector<SceneTablesRef> tables, const scene::SceneTraits& traits,
                       const TracerDesc& desc, const TracedMeshes* before) {
    LitScene scene{.tables = std::move(tables)};
    const SceneTables& own = *scene.tables.front();
    scene.modules = std::make_shared<SceneModules>(cache, own.materials()->programs, traits);
    fill_tables(*scene.modules, scene.tables);
    scene.traced =
        std::make_shared<const TracedMeshes>(cache->context(), *own.geometry(), desc, before);
    own.kept()->end();
    return scene;
}

} // namespace weft::render
