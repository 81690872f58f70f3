// SPDX-License-Identifier: Apache-2.0
#include "scene/material_changes.hpp"

#include <algorithm>
#include <utility>

namespace weft::scene {

Scene with_materials(const Scene& scene, const std::map<MaterialRef, MaterialRef>& replaced) {
    Scene out = scene;
    for (Object& object : out.objects) {
        for (MaterialRef& material : object.materials) {
            const auto found = replaced.find(material);
            material = found == replaced.end() ? material : found->second;
        }
    }
    return out;
}

void set_input(NamedValues& inputs, std::string_view name, Value value) {
    const auto found = std::ranges::find(inputs, name, &NamedValues::value_type::first);
    if (found == inputs.end()) {
        inputs.emplace_back(name, std::move(value));
    } else {
        found->second = std::move(value);
    }
}

} // namespace weft::scene
