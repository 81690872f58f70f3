// SPDX-License-Identifier: Apache-2.0
// All materials of a scene as the kernels get them: which program each runs, and the table of their constants.
#pragma once

#include "core/api.hpp"
#include "scene/material_program.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weft::scene {

/// Where a material's row of the table begins: what the kernels read as two 32-bit words.
struct MaterialRecord {
    std::uint32_t program = 0; ///< index into MaterialTable::programs
    std::uint32_t first = 0;   ///< index into MaterialTable::values
};
static_assert(sizeof(MaterialRecord) == 2 * sizeof(std::uint32_t));

/// A parameter's place among all of a scene. Materials of one program may call theirs by other names.
struct ParameterRange {
    std::string name;      ///< "<material>.<input>", written as parameter_names.hpp says
    std::size_t first = 0; ///< index into MaterialTable::values; there are parameter.size floats
    MaterialParameter parameter; ///< bounds, texture and which derivatives reach it
};

/// An input that a texture drives.
struct TextureUse {
    std::string name;        ///< as those of parameters
    std::size_t texture = 0; ///< index into MaterialTable::textures
};

/// Programs, parameters and textures of a scene. Keeps what it needs of the materials.
struct MaterialTable {
    std::vector<std::shared_ptr<const MaterialProgram>> programs; ///< each shape once
    std::vector<MaterialRecord> records;                          ///< one a material
    std::vector<float> values;          ///< of all materials one after the other; at least one
    std::vector<ParameterRange> ranges; ///< in the order of their floats
    std::vector<std::shared_ptr<const Texture>> textures; ///< each once
    std::vector<TextureUse> texture_uses; ///< in the order of materials; a texture may have several
    std::vector<std::size_t> fixed_textures; ///< indices of those that drive normals, ascending

    /// Where a parameter lies; nullptr: there is none of that name. The pointer is into `ranges`.
    [[nodiscard]] WEFT_API const ParameterRange* find(std::string_view name) const noexcept;
};

/// Prints the programs of materials and lays out their parameters. Thread-safe.
/// @throws ArgumentError if a value lies too deep in others, or a material is null.
[[nodiscard]] WEFT_API MaterialTable
build_material_table(std::span<const std::shared_ptr<const Material>> materials);

} // namespace weft::scene
