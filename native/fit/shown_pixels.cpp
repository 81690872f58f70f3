// SPDX-License-Identifier: Apache-2.0
#include "fit/shown_pixels.hpp"

#include "fit/box_blur.hpp"
#include "scene/scene.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace weft::fit {

namespace {

constexpr std::size_t kAround = 2; ///< pixels: neighbours of one that shows a material count, too

/// Whether slots of an object have one of some materials.
std::vector<bool> shown_slots(const scene::Object& object,
                              const std::set<const scene::Material*>& materials) {
    std::vector<bool> out;
    for (const scene::MaterialRef& own : object.materials) {
        out.push_back(materials.contains(own.get()));
    }
    return out;
}

} // namespace

std::vector<bool> find_shown(render::Renderer& renderer, const scene::Camera& camera,
                             std::span<const std::uint32_t> materials) {
    const scene::Scene& scene = renderer.scene();
    const std::vector<scene::MaterialRef> known = scene::materials_of(scene);
    std::set<const scene::Material*> wanted;
    for (const std::uint32_t number : materials) {
        wanted.insert(known.at(number).get());
    }
    std::vector<std::vector<bool>> slots;
    for (const scene::Object& object : scene.objects) {
        slots.push_back(shown_slots(object, wanted));
    }
    const render::CentreHits hits = renderer.centre_hits(camera);
    std::vector<float> around(hits.instances.size());
    for (std::size_t pixel = 0; pixel < around.size(); ++pixel) {
        const std::uint32_t instance = hits.instances[pixel];
        if (instance < slots.size() && !slots[instance].empty()) {
            const scene::Object& object = scene.objects[instance];
            around[pixel] = slots[instance].at(object.mesh->slot(hits.triangles[pixel])) ? 1 : 0;
        }
    }
    box_blur(around,
             {.height = static_cast<std::size_t>(camera.height),
              .width = static_cast<std::size_t>(camera.width)},
             kAround);
    std::vector<bool> out;
    std::ranges::transform(around, std::back_inserter(out), [](float near) { return near > 0; });
    return out;
}

} // namespace weft::fit
