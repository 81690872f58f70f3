// SPDX-License-Identifier: Apache-2.0
// The lights of a scene, before they are tables on a device. Start reading at SceneLights.
#pragma once

#include "core/api.hpp"
#include "render/geometry_tensors.hpp"
#include "render/light_sampling.hpp"
#include "scene/emissive_meshes.hpp"
#include "scene/environment.hpp"
#include "scene/light_table.hpp"
#include "scene/material_table.hpp"
#include "scene/scene_traits.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace weft::render {

/// Lights that vary over their triangle. One entry a light in each.
struct TexturedEmitters {
    std::vector<std::uint32_t> lights{}; ///< their numbers
    std::vector<std::array<std::uint32_t, 2>>
        places{};                          ///< triangle of the mesh, number of the object
    std::vector<std::uint32_t> programs{}; ///< of their materials
};

using EnvironmentImagesRef = std::shared_ptr<const scene::EnvironmentImages>;

/// Lights, then emissive triangles; the environment comes last in tables. Plain data.
struct SceneLights {
    std::vector<scene::LightRow> rows{};    ///< without the environment
    std::size_t analytic_light_count = 0;   ///< of the rows
    std::vector<float> profiles{};          ///< of lights, see scene::AnalyticLightRows
    EmissiveMeshesRef meshes{};             ///< where emissive triangles are
    std::vector<std::uint32_t> materials{}; ///< of each row; scene::kNoLight: a light
    TexturedEmitters emitters{};
    EnvironmentImagesRef images{};             ///< null: there is no environment
    scene::EnvironmentPlacement placed{};      ///< of the environment
    std::optional<double> environment_power{}; ///< W; not set: it is not drawn
    bool has_tree = false;                     ///< lights at finite distance are drawn from one
    bool is_lit = false;                       ///< some light may reach the camera

    /// What one of them is drawn by. @param left_out as LightTableOptions has it.
    [[nodiscard]] scene::LightTable table(std::span<const std::uint8_t> left_out = {}) const;
    /// How many there are, the environment included if it is drawn.
    [[nodiscard]] std::size_t count() const noexcept {
        return rows.size() + (environment_power.has_value() ? 1 : 0);
    }
    /// What kernels may leave out. @param table of these lights.
    [[nodiscard]] scene::LightTraits traits(const scene::LightTable& table) const;
    /// Draws the emitters by what they give off.
    /// @param means luminance of each, in front and behind; what is no number counts as 0.
    void set_mean_emission(std::span<const std::array<double, 2>> means);
};

/// @param kept emissive triangles and images of environments that are known already. @param materials of the scene.
/// @throws ArgumentError as scene::analytic_light_rows(), scene::place_environment(), scene::build_environment_images() and
///         emissive_meshes().
[[nodiscard]] WEFT_API SceneLights scene_lights(KeptParts& kept, const SceneGeometry& geometry,
                                                const scene::MaterialTable& materials,
                                                LightSampling sampling);

} // namespace weft::render
