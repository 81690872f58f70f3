// SPDX-License-Identifier: Apache-2.0
// Small scenes whose tables can be told by hand.
#pragma once

#include "scene/scene.hpp"

#include <vector>

namespace weft::scene::testing {

/// Two triangles of a unit square in the xy plane, the second in slot 1.
inline Mesh square() {
    Mesh made;
    made.positions = std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    made.triangles = std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3};
    made.slots = std::vector<std::uint32_t>{0, 1};
    made.name = "square";
    return made;
}

/// A square of each material, which has its name.
inline Scene with(const std::vector<MaterialRef>& materials) {
    Scene scene;
    for (const MaterialRef& material : materials) {
        scene.objects.push_back(object(
            {.mesh = mesh(square()), .materials = {material, material}, .name = material->name}));
    }
    return scene;
}

inline MaterialRef grey(const char* name) {
    return material(name, closure("diffuse"));
}

inline MaterialRef emitter(const char* name) {
    return material(
        name, closure("emission",
                      {{"color", Numbers{1, 0.5, 0.25}}, {"strength", 4.0}, {"both_sides", 0.0}}));
}

/// Twice as large, and moved along x; mirrored if wanted.
inline Affine twice(bool is_mirrored = false) {
    return {is_mirrored ? -2.0 : 2.0, 0, 0, 5, 0, 2, 0, 0, 0, 0, 2, 0};
}

} // namespace weft::scene::testing
