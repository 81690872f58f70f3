// SPDX-License-Identifier: Apache-2.0
// From a material to Slang: the text of its shape, and its parameters. Materials that differ in numbers and images only
// have the same text; numbers, and which image it is, are parameters.
#pragma once

#include "core/api.hpp"
#include "scene/closures.hpp"
#include "scene/materials.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::scene {

/// A parameter of a material: some floats one after the other.
struct MaterialParameter {
    std::string name;     ///< "<input>" or "<input>.<parameter>", below the material
    std::size_t size = 1; ///< floats
    Numbers values{};     ///< as many as `size`
    std::shared_ptr<const Texture>
        texture{};                      ///< not null: its number in the scene stands here instead
    std::array<double, 2> bounds{0, 1}; ///< sensible range, from the closure's table
    /// Red acts on red only, and so on: the input of a closure, with nothing in between.
    bool is_separable = false;
    bool is_fixed = false;            ///< no derivative reaches it: it drives a normal
    bool drives_transparency = false; ///< it drives the surface's transparency
    bool is_medium = false;           ///< true: of the volume, not of the surface
    bool is_walk =
        false; ///< true: it says where light goes below the surface; no derivative reaches it
    Scale scale = Scale::linear;     ///< on which fits take steps
    std::optional<double> fit_low{}; ///< smallest value that fits try; not set: the lower bound
};

/// Slang text of a material's shape, and its parameters.
struct MaterialProgram {
    std::string text;                          ///< body of a function that returns a Surface<bsdf>
    std::string bsdf;                          ///< Slang type
    std::vector<MaterialParameter> parameters; ///< in the order of their floats
    std::vector<std::string> sources;          ///< users' Slang texts, each once
    std::vector<std::string> modules;          ///< users' imports, each once
    std::vector<std::string> functions; ///< functions of the point that the text calls, each once
    /// Scene files of code that nothing but a flag trusts, by that code: see text_of_code().
    std::vector<std::pair<std::string, std::string>> origins;
    std::string
        transparency;   ///< function that gives the transparency of the surface, "": none does
    std::string medium; ///< text of the function mediumOf(), "": nothing is inside
    bool is_emissive = false;            ///< as is_emissive() of one of its closures
    bool scatters = false;               ///< true: it has a BSDF
    bool has_tangents = false;           ///< true: it reads tangents of UV sets
    bool has_bumps = false;              ///< true: it takes differences over part of a pixel
    bool reads_ray = false;              ///< true: it asks what kind of ray has met the point
    bool is_boundary = false;            ///< as is_boundary()
    std::size_t subsurface_closures = 0; ///< as count_subsurface()
};

/// Prints a material. Equal shapes give equal texts, on every machine. Thread-safe.
/// @throws ArgumentError if a value lies too deep in others.
[[nodiscard]] WEFT_API MaterialProgram print_program(const Material& material);

/// The Slang namespace that keeps a user's functions apart from those of other texts.
[[nodiscard]] WEFT_API std::string namespace_of(std::string_view source);

} // namespace weft::scene
