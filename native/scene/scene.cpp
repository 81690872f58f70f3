// SPDX-License-Identifier: Apache-2.0
#include "scene/scene.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace weft::scene {

std::vector<MeshRef> meshes_of(const Scene& scene) {
    std::vector<MeshRef> meshes;
    std::unordered_set<const Mesh*> seen;
    for (const Object& object : scene.objects) {
        if (seen.insert(object.mesh.get()).second) {
            meshes.push_back(object.mesh);
        }
    }
    return meshes;
}

std::vector<MaterialRef> materials_of(const Scene& scene) {
    std::vector<MaterialRef> materials;
    std::unordered_set<const Material*> seen;
    std::unordered_map<std::string_view, std::size_t> names;
    bool has_twins = false;
    for (const Object& object : scene.objects) {
        for (const MaterialRef& material : object.materials) {
            if (seen.insert(material.get()).second) {
                materials.push_back(material);
                has_twins |= ++names[material->name] > 1;
            }
        }
    }
    if (has_twins) {
        const auto twin = std::ranges::find_if(
            materials, [&](const MaterialRef& material) { return names[material->name] > 1; });
        throw core::ArgumentError(core::text("Scene: ", names[(*twin)->name],
                                             " materials are called '", (*twin)->name,
                                             "'; rename one"));
    }
    return materials;
}

bool has_media(const Scene& scene) {
    return std::ranges::any_of(scene.objects, [](const Object& object) {
        return std::ranges::any_of(object.materials, [](const MaterialRef& material) {
            return material->volume != nullptr;
        });
    });
}

} // namespace weft::scene
