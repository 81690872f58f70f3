// SPDX-License-Identifier: Apache-2.0
// The vector of unknowns of a fit: which numbers it has, on which scale, and what is known of them.
#pragma once

#include "fit/parameters.hpp"
#include "fit/prior.hpp"
#include "scene/material_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::fit {

/// One parameter, exposure or light within the vector of unknowns.
struct UnknownBlock {
    std::string name; ///< "<material>.<input>", "<observation>.exposure" or "<light>.factor"
    std::vector<std::vector<std::size_t>>
        slots{};           ///< of each component: the floats of the scene that it sets
    std::size_t first = 0; ///< unknown
    std::size_t size = 1;
    bool is_log = false; ///< the unknown is the logarithm of the value
    bool is_separable = false;
    std::optional<std::size_t> view{};  ///< whose gain it is
    std::optional<std::size_t> light{}; ///< whose factor it is

    /// It scales a view or a light, and is no number of a material.
    [[nodiscard]] bool is_factor() const noexcept { return view || light; }
};

/// Where the derivative with respect to one unknown comes from.
struct UnknownColumn {
    std::optional<std::size_t> direction{}; ///< of forward mode; not set: it is a factor
    std::optional<std::size_t> channel{};   ///< the only one that it acts on; not set: all
    std::optional<std::size_t> view{};      ///< the only one that it acts on; not set: all
    std::optional<std::size_t> light{};     ///< the only one that it acts on; not set: all
};

/// Directions in the space of the scene's parameters, and what each serves.
struct UnknownDirections {
    std::vector<float> rows{};            ///< one after the other
    std::size_t count = 0;                ///< of rows
    std::size_t parameters = 0;           ///< of the scene: numbers of a row
    std::vector<UnknownColumn> columns{}; ///< one an unknown
};

/// Vectors have one number an unknown, on the scale on which steps are taken.
struct Unknowns {
    std::vector<UnknownBlock> blocks{};
    Vector start{};
    Vector low{};
    Vector high{};
    std::optional<Prior> prior{};

    /// On the scale of the scene.
    [[nodiscard]] Vector values(std::span<const double> x) const;
    /// Derivatives of values().
    [[nodiscard]] Vector derivatives(std::span<const double> x) const;
    /// Factors of the pictures, three a view.
    [[nodiscard]] std::vector<float> gains(std::span<const double> x, std::size_t views) const;
    /// Factors of lights, three a light, then three ones for all other light.
    [[nodiscard]] std::vector<float> light_factors(std::span<const double> x) const;
    /// Sets floats of the scene. @param scene_values of all materials.
    void write(std::span<const double> x, std::span<float> scene_values) const;
    /// What is expected before anything is drawn; of no weight where nothing is.
    [[nodiscard]] Prior prior_or_none() const;
    /// A fraction of each unknown's range.
    [[nodiscard]] Vector range_fraction(double fraction) const;
    /// Which unknowns have bounds too wide to say where to start.
    [[nodiscard]] std::vector<bool> open_range() const;
    /// A number for each unknown, from 0: those of a material share theirs.
    [[nodiscard]] std::vector<std::int64_t> groups() const;
    /// Red acts on red only where a parameter is separable: one direction serves its three components.
    /// @param parameters floats of all materials.
    [[nodiscard]] UnknownDirections directions(std::size_t parameters) const;
};

/// @param table of the scene. @param observations their names. @param lights in the order of
///        their factors; whether the scene has them, find_light_parts() says.
/// @throws ArgumentError if a name is unknown or given twice, has no derivative, or bounds, start, ties or prior do not
///         fit.
[[nodiscard]] Unknowns build_unknowns(const scene::MaterialTable& table,
                                      std::span<const Parameter> parameters,
                                      std::span<const Exposure> exposures,
                                      std::span<const std::string> observations,
                                      std::span<const LightParameter> lights = {});

/// Appends the unknowns of a parameter.
/// @throws ArgumentError if a name is unknown or has no derivative, or bounds, scale or start do not fit.
void add_parameter(Unknowns& unknowns, const scene::MaterialTable& table,
                   const Parameter& parameter);

/// Appends the factor of a picture or light, on the scale of logarithms.
/// @param block name, size, and view or light. @param start within the bounds, which are above 0.
void add_factor(Unknowns& unknowns, UnknownBlock block, double start, const Bounds& bounds);

/// Adds what is expected of a parameter to the prior.
/// @param block number of its block. @param expected as many means as it has components, or one for all.
void add_expected(Unknowns& unknowns, std::size_t block, const ExpectedValue& expected);

} // namespace weft::fit
