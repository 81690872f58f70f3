// SPDX-License-Identifier: Apache-2.0
// Materials: trees of closures whose inputs are numbers, textures or Slang functions. Start here to describe one:
//
//     const auto wood = material("Wood", closure("diffuse", {{"color", Numbers{0.4, 0.2, 0.1}}}));
//
// then material_table.hpp prints and lays out those of a scene. All is plain data, made once and not changed after: any
// thread may read it.
#pragma once

#include "core/api.hpp"
#include "scene/material_values.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weft::scene {

struct Surface;
/// Null only where that is said; any thread may read what it leads to.
using SurfaceRef = std::shared_ptr<const Surface>;

/// One way in which a surface treats light.
struct Closure {
    std::string
        kind; ///< of closure_table(), which lists inputs, normals, tangents and options of each
    NamedValues inputs{}; ///< others keep their defaults, or do not exist
    std::vector<std::pair<std::string, std::string>>
        options{}; ///< others keep the first value listed

    /// nullptr: the input is not given.
    [[nodiscard]] WEFT_API const Value* find(std::string_view name) const noexcept;
    /// Whether a value is given for the input.
    [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
    /// The choice that is given, or "".
    [[nodiscard]] WEFT_API std::string_view option(std::string_view name) const noexcept;
};

/// Part one surface, part another.
struct Mix {
    SurfaceRef first;   ///< weight 1 - `factor`
    SurfaceRef second;  ///< weight `factor`
    Value factor = 0.5; ///< in [0, 1]
};

/// The light of two surfaces together; it may exceed what arrives.
struct Add {
    SurfaceRef first;  ///< weight 1
    SurfaceRef second; ///< weight 1
};

/// What a surface, or the inside of objects, does with light. References are never null.
struct Surface {
    std::variant<Closure, Mix, Add> node; ///< the root of the tree
};

/// A named surface, and what is inside of the objects that have it.
struct Material {
    std::string name;   ///< parameters are called "<name>.<input>"; unique in a scene
    SurfaceRef surface; ///< never null
    /// Rays towards lights pass the surface as paths do. If false its shadow is that of an opaque one.
    bool transparent_shadows = true;
    /// Closures `medium` (1/m and W/(m^3 sr)) and `emission` (its radiance a metre), mixed and added; others do nothing.
    /// The same everywhere: no texture and nothing of the surface drives it. nullptr: nothing is inside.
    SurfaceRef volume{};
};
/// Null only where that is said; any thread may read what it leads to.
using MaterialRef = std::shared_ptr<const Material>;

/// How deep surfaces and values may lie in each other.
inline constexpr std::size_t kMaxNesting = 500;

/// @throws ArgumentError if there is no such closure, input or choice, or a value has another number of components than
///         its input: a colour takes 3, 4 or 1, a number 1, a normal 3.
[[nodiscard]] WEFT_API SurfaceRef
closure(std::string kind, NamedValues inputs = {},
        std::vector<std::pair<std::string, std::string>> options = {});
/// @throws ArgumentError if a surface is null.
[[nodiscard]] WEFT_API SurfaceRef mix(SurfaceRef first, SurfaceRef second, Value factor = 0.5);
/// @throws ArgumentError if a surface is null.
[[nodiscard]] WEFT_API SurfaceRef add(SurfaceRef first, SurfaceRef second);
/// @throws ArgumentError if the name is empty, the surface null, something of the surface drives the volume, or surfaces
///         lie more than kMaxNesting deep in each other.
[[nodiscard]] WEFT_API MaterialRef material(std::string name, SurfaceRef surface,
                                            SurfaceRef volume = nullptr,
                                            bool transparent_shadows = true);

// What a surface is.

/// Calls `visit` with each closure, first before second.
template <typename Visit>
void for_each_closure(const Surface& surface, const Visit& visit) {
    if (const auto* const leaf = std::get_if<Closure>(&surface.node)) {
        visit(*leaf);
    } else if (const auto* const mixed = std::get_if<Mix>(&surface.node)) {
        for_each_closure(*mixed->first, visit);
        for_each_closure(*mixed->second, visit);
    } else {
        const auto& sum = std::get<Add>(surface.node);
        for_each_closure(*sum.first, visit);
        for_each_closure(*sum.second, visit);
    }
}

/// Whether a surface may be transparent: a closure is `transparent`, or a `principled` one has an alpha that is no number
/// of at least 1.
[[nodiscard]] WEFT_API bool is_transparent(const Surface& surface);
/// Whether a closure may emit light: it is an emission, or a `principled` one with an emission_strength, 0 or not.
[[nodiscard]] WEFT_API bool is_emissive(const Closure& closure);
/// Whether a closure scatters light below the surface: it is `subsurface`, or has a subsurface_weight, 0 or not.
[[nodiscard]] WEFT_API bool has_subsurface(const Closure& closure);
/// Number of closures of a surface for which has_subsurface() is true.
[[nodiscard]] WEFT_API std::size_t count_subsurface(const Surface& surface);
/// Whether a surface is there for the volume behind it only: it has one, and is `transparent` with color 1.
[[nodiscard]] WEFT_API bool is_boundary(const Material& material);
/// Whether a volume is not the same everywhere: true if something of the shaded point drives it.
[[nodiscard]] WEFT_API bool varies(const Surface& volume);

/// The textures of materials in a fixed order, each once.
[[nodiscard]] WEFT_API std::vector<std::shared_ptr<const Texture>>
textures_of(std::span<const MaterialRef> materials);

} // namespace weft::scene
