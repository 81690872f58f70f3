// SPDX-License-Identifier: Apache-2.0
// All lights of a scene, and what one of them is drawn by, as shaders/weft/render/light.slang reads them.
#pragma once

#include "core/api.hpp"
#include "scene/alias_table.hpp"
#include "scene/light_rows.hpp"
#include "scene/light_tree.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weft::scene {

struct LightTableOptions {
    /// Of the environment, W, if light rays find light there: it comes last. Not set: they do not.
    std::optional<double> environment_power{};
    /// Not 0: which of the rows are never drawn; empty: all may be.
    std::span<const std::uint8_t> left_out{};
    bool has_tree = false; ///< build a tree of the lights at finite distance, too
};

struct LightTable {
    std::vector<LightWords> records;            ///< at least one
    std::vector<AliasEntry> alias;              ///< as many
    std::uint32_t environment_light = kNoLight; ///< its number
    bool can_be_drawn = false;                  ///< some light has a probability above 0
    std::vector<LightNode> tree;                ///< at least one
    double tree_selection_probability = 0; ///< probability that the light is drawn from the tree
};

/// With what probability each light is drawn: in proportion to power, none forgotten; of those at finite and of those at
/// infinite distance each kind at least a quarter, where a scene has both: that of the latter grows with its extent.
/// @param kinds layouts::LightKind. @param powers one a light, not negative.
[[nodiscard]] WEFT_API std::vector<double> light_probabilities(std::span<const std::uint32_t> kinds,
                                                               std::span<const double> powers);

/// @param rows lights first, then triangles.
/// @throws ArgumentError for powers that are not finite or give negative probabilities, and for bounds that
///         build_light_tree() refuses.
[[nodiscard]] WEFT_API LightTable build_light_table(std::span<const LightRow> rows,
                                                    const LightTableOptions& options = {});

} // namespace weft::scene
