// SPDX-License-Identifier: Apache-2.0
// Directions in the space of parameters, as forward mode walks along them.
#pragma once

#include "core/api.hpp"
#include "scene/material_table.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::scene {

/// Directions laid out by material: a surface answers only those that move its own parameters. Work and memory of a replay
/// are in proportion to the directions of the materials that paths meet.
struct DirectionTable {
    std::vector<std::uint32_t> lengths; ///< directions of each material
    /// Where those of each material begin among the rows of `seeds`; one more entry, where the last ones end.
    std::vector<std::uint32_t> starts;
    /// Number of the direction that each row is part of; the last one is for materials without directions.
    std::vector<std::uint32_t> numbers;
    /// What each row moves of its material's parameters: rows of `slots` floats. The last row is 0: materials without
    /// directions evaluate it, and keep nothing.
    std::vector<float> seeds;
    std::size_t slots = 1;             ///< most parameters of a material, at least 1
    std::vector<std::uint8_t> moved{}; ///< for each parameter whether any direction moves it
};

/// @param records of the materials of a scene, see MaterialTable
/// @param rows one direction after the other, each of `parameters` floats; one may move several materials
/// @param parameters of all materials, above 0
/// @throws ArgumentError if the rows are no whole number of directions.
[[nodiscard]] WEFT_API DirectionTable lay_out_directions(std::span<const MaterialRecord> records,
                                                         std::span<const float> rows,
                                                         std::size_t parameters);

} // namespace weft::scene
