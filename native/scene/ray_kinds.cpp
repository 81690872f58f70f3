// SPDX-License-Identifier: Apache-2.0
#include "scene/ray_kinds.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/material_checks.hpp"

#include <algorithm>
#include <vector>

namespace weft::scene {

void refuse_ray_kind(std::string_view owner, std::string_view shown,
                     std::span<const RayKindName> known) {
    std::vector<std::string> names;
    for (const RayKindName& kind : known) {
        names.emplace_back(kind.name);
    }
    throw core::ArgumentError(core::text(owner, ": kinds of ray are a sequence of ",
                                         core::join(names, ", "), ", got ", shown));
}

RayKinds ray_kinds(std::string_view owner, std::span<const std::string> names,
                   std::span<const RayKindName> known) {
    RayKinds bits = 0;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(known, name, &RayKindName::name);
        if (found == known.end()) {
            refuse_ray_kind(owner, quoted_text(name), known);
        }
        bits |= found->bit;
    }
    return bits;
}

} // namespace weft::scene
