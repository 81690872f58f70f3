// SPDX-License-Identifier: Apache-2.0
#include "scene/object.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>

namespace weft::scene {

using core::ArgumentError;
using core::text;

double determinant(const Affine& m) noexcept {
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

void require_valid(const Object& object) {
    if (!object.mesh || std::ranges::find(object.materials, nullptr) != object.materials.end()) {
        throw ArgumentError(text("Object '", object.name,
                                 "': its mesh or a material is a null pointer; make them by "
                                 "mesh() and material()"));
    }
    if (!std::ranges::all_of(object.transform, [](double entry) { return std::isfinite(entry); })) {
        throw ArgumentError(text("Object '", object.name,
                                 "': transform must be finite; use numbers that are no NaN"));
    }
    if (determinant(object.transform) == 0) {
        throw ArgumentError(
            text("Object '", object.name, "': transform flattens the object; give it some extent"));
    }
    // Written so that NaN is refused.
    if (!(object.terminator_offset >= 0 && object.terminator_offset <= 1)) {
        throw ArgumentError(text("Object '", object.name,
                                 "': shadow_terminator_geometry_offset must be 0 to 1, got ",
                                 object.terminator_offset));
    }
}

Object object(Object described) {
    require_valid(described);
    std::size_t used = 1;
    if (described.mesh->slots) {
        for (const std::uint32_t slot : described.mesh->slots->values) {
            used = std::max<std::size_t>(used, std::size_t{slot} + 1);
        }
    }
    if (described.materials.size() < used) {
        throw ArgumentError(text("Object '", described.name, "': mesh '", described.mesh->name,
                                 "' uses ", used, " material slots, got ",
                                 described.materials.size(), " materials"));
    }
    return described;
}

} // namespace weft::scene
