// SPDX-License-Identifier: Apache-2.0
// What copies of scenes and of closures with other materials and inputs have in common. Not installed.
#pragma once

#include "scene/scene.hpp"

#include <map>
#include <string_view>

namespace weft::scene {

/// The scene with some of its materials replaced; the others, and all else, are shared with it.
[[nodiscard]] Scene with_materials(const Scene& scene,
                                   const std::map<MaterialRef, MaterialRef>& replaced);

/// Gives an input a value, whether it had one or not.
void set_input(NamedValues& inputs, std::string_view name, Value value);

} // namespace weft::scene
