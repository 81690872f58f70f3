// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/geometry_table.hpp"
#include "scene/scene.hpp"

namespace weft::python {

/// What the Python class `SceneGeometry` holds.
struct SceneGeometry {
    scene::Scene scene;
    scene::GeometryTable table;
    double extent = 1; ///< radius, metres
};

} // namespace weft::python
