// SPDX-License-Identifier: Apache-2.0
// Everything that a picture depends on. Plain data; nothing of it lives on a device. World space is right-handed with z
// up, in metres; light is linear Rec.709. Start here, then object.hpp, mesh.hpp and materials.hpp; geometry_table.hpp
// lays a scene out for the kernels.
#pragma once

#include "core/api.hpp"
#include "scene/environment.hpp"
#include "scene/light.hpp"
#include "scene/light_paths.hpp"
#include "scene/object.hpp"

#include <memory>
#include <vector>

namespace weft::scene {

struct Scene {
    std::vector<Object> objects{};
    std::vector<Light>
        lights{}; ///< point, spot, sun and area lights; meshes with an emissive material shine as well
    std::shared_ptr<const Environment> environment{}; ///< light from everywhere; null: none
    LightPaths light_paths{};
};

/// Each mesh once, in the order of first use.
[[nodiscard]] WEFT_API std::vector<MeshRef> meshes_of(const Scene& scene);
/// Each material once, in the order of first use: their numbers in tables.
/// @throws ArgumentError if two materials have one name.
[[nodiscard]] WEFT_API std::vector<MaterialRef> materials_of(const Scene& scene);
/// Whether objects hold media.
[[nodiscard]] WEFT_API bool has_media(const Scene& scene);

} // namespace weft::scene
