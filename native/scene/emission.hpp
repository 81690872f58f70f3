// SPDX-License-Identifier: Apache-2.0
// Which surfaces give off light, as triangles are sampled as lights.
#pragma once

#include "core/api.hpp"
#include "scene/materials.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace weft::scene {

/// Light that a surface gives off.
struct Emission {
    std::array<double, 3> radiance{}; ///< linear RGB, W/(m^2 sr)
    bool both_sides = false;          ///< not only the front
    bool varies = false; ///< the radiance is 1 here, and is evaluated where light comes from

    bool operator==(const Emission&) const = default;
};

/// The value of a closure's input, or its default. @throws InternalError if it has no such input.
[[nodiscard]] WEFT_API Value input_of(const Closure& closure, std::string_view name);
/// The light of a surface if it is the same everywhere, and not black.
[[nodiscard]] WEFT_API std::optional<Emission> emitted_radiance(const Surface& surface);
/// The light of a surface as it is sampled; not set: it gives off none.
[[nodiscard]] WEFT_API std::optional<Emission> light_of(const Surface& surface);

} // namespace weft::scene
