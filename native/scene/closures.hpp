// SPDX-License-Identifier: Apache-2.0
// The closures that materials are made of: inputs, their ranges, and the Slang text of each. A new BSDF of
// shaders/weft/bsdf needs one entry in closures.cpp, see docs/adding_a_bsdf.md.
#pragma once

#include "core/api.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::scene {

/// On which fits take steps.
enum class Scale : std::uint8_t {
    linear, ///< in the value itself
    log     ///< in its logarithm, for what spans orders of magnitude; values above 0
};

/// An input of a closure.
struct ClosureInput {
    std::vector<double> standard; ///< the default: one number, or the three of a linear colour
    double low = 0;               ///< smallest sensible value, the default bound of fits
    double high = 1;              ///< largest sensible value
    /// Of a colour: red acts on red only, and so on. Not so where a layer dims what lies below it by its largest channel.
    bool is_separable = true;
    bool drives_transparency =
        false; ///< it drives the surface's transparency; no derivative passes
    bool is_walk =
        false; ///< it says where light goes below the surface; no derivative tells of that
    Scale scale = Scale::linear; ///< default of fits
    std::optional<double>
        fit_low{}; ///< smallest value that a fit tries unless it is told another; not set: `low`

    /// How many numbers the input has: 1 or 3.
    [[nodiscard]] std::size_t size() const noexcept { return standard.size(); }
};

/// Conditions under which inputs have no effect.
struct ClosureHiding {
    std::vector<std::string>
        hidden; ///< names of inputs; one that ends in "_" means all that begin with it
    std::vector<std::pair<std::string, double>>
        when; ///< value near which each of the other inputs must lie
};

/// A choice that is no number: its values in order, the default first, each with the flags of the BSDF that it sets.
struct ClosureOption {
    std::string name; ///< key of Closure::options
    std::vector<std::pair<std::string, std::vector<std::string>>>
        values; ///< at least one, and its flags
};

/// How a closure becomes Slang. In the texts `{name}` stands for the value of an input.
struct ClosureSpec {
    std::string kind; ///< its name: "diffuse"
    std::vector<std::pair<std::string, ClosureInput>>
        inputs;       ///< by name, in the order of their parameters
    std::string bsdf; ///< Slang type; `{features}` is replaced by flags of what is in use
    std::string
        construct; ///< expression of the BSDF; `{wi}` is the direction of the viewer in the local frame
    std::string emission{}; ///< expression of the radiance, or ""
    /// Slang structure that gathers the inputs, "" if the BSDF takes them one by one. It has Blender's defaults; inputs
    /// that are not given stay at them and are no parameters, but for those in `always`.
    std::string structure{};
    std::vector<std::string> always{}; ///< inputs that are parameters even if not given
    /// Flags of the BSDF that are set if one of the inputs is given; the flags of the empty name always.
    std::vector<std::pair<std::string, std::vector<std::string>>> features{};
    /// Inputs that are normals: unit vectors in world space, not in `inputs`: they have no default and no derivative.
    std::vector<std::string> normals{};
    /// Inputs that are tangents: vectors of any length, world space, from which long highlights count the rotation.
    std::vector<std::string> tangents{};
    /// How the BSDF is cut off behind a surface whose normal it does not share, see shaders/weft/bsdf/normals.slang.
    std::string sides = "kOwnSides";
    bool ensures_valid_reflection =
        true; ///< normals are turned to where the viewer is reflected to above the surface
    std::vector<ClosureOption> options{}; ///< may be empty
    std::vector<ClosureHiding> hiding{};  ///< inputs without effect; may be empty

    /// nullptr: the closure has no such input. Normals and tangents are no inputs here.
    [[nodiscard]] WEFT_API const ClosureInput* find_input(std::string_view name) const noexcept;
    /// nullptr: the closure has no such choice.
    [[nodiscard]] WEFT_API const ClosureOption* find_option(std::string_view name) const noexcept;
};

/// All closures, in a fixed order. The table lives as long as the program. Thread-safe.
[[nodiscard]] WEFT_API std::span<const ClosureSpec> closure_table();

/// nullptr: there is no such closure. Thread-safe.
[[nodiscard]] WEFT_API const ClosureSpec* find_closure(std::string_view kind);

/// Whether a list of names has one; upper and lower case differ.
[[nodiscard]] WEFT_API bool has_name(std::span<const std::string> names,
                                     std::string_view name) noexcept;

} // namespace weft::scene
