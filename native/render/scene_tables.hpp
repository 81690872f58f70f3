// SPDX-License-Identifier: Apache-2.0
// From a scene to the tables that kernels read (shaders/weft/render/scene_view.slang). Start reading at SceneTables.
#pragma once

#include "core/api.hpp"
#include "render/kept_parts.hpp"
#include "render/kernel_argument.hpp"
#include "render/scene_lights.hpp"
#include "render/texture_tensors.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace weft::render {

struct SceneTablesDesc {
    LightSampling light_sampling = LightSampling::automatic;
    std::filesystem::path bsdf_tables{}; ///< tables.npy of shaders/weft/bsdf
};

/// A scene on a device. What was there for a scene before is taken from KeptParts; a medium has coefficients when
/// evaluate_media() was called, and lights that vary over their triangle are drawn well when measure_emitters() was. One
/// thread at a time.
class WEFT_API SceneTables {
public:
    /// Builds all tables, and uploads what is not there.
    /// @param kept parts of other tables, and those of these. @param geometry of the scene.
    /// @param lit tables of a scene with the same objects, and materials of the same programs and textures, that differs
    ///        in its lights, its environment, or what shines; what is the same is the same memory. Null: none.
    /// @throws ArgumentError as scene::materials_of(), scene_lights(), build_texture_tensors() and
    ///         build_geometry_tensors(); if `lit` has other programs; DeviceError if memory is short.
    SceneTables(std::shared_ptr<KeptParts> kept, std::shared_ptr<const SceneGeometry> geometry,
                const SceneTablesDesc& desc, const SceneTables* lit = nullptr);

    [[nodiscard]] const std::shared_ptr<KeptParts>& kept() const noexcept { return m_kept; }
    [[nodiscard]] const std::shared_ptr<const SceneGeometry>& geometry() const noexcept {
        return m_geometry;
    }
    [[nodiscard]] const scene::Scene& scene() const noexcept { return m_geometry->scene; }
    /// Programs, parameters and textures; one object with those of `lit` if the numbers are the same.
    [[nodiscard]] const std::shared_ptr<const scene::MaterialTable>& materials() const noexcept {
        return m_materials;
    }
    [[nodiscard]] const SceneLights& lights() const noexcept { return m_lights; }
    /// What kernels may leave out; sorts_paths is as it is made.
    [[nodiscard]] const scene::SceneTraits& traits() const noexcept { return m_traits; }

    /// The scalar parameters of all materials, float32: these tables' own, and those of `lit` if the numbers are the same.
    [[nodiscard]] const tensor::TensorRef& values() const noexcept { return m_values; }
    [[nodiscard]] const TextureTensors& textures() const noexcept { return m_textures; }
    /// The coefficients of media: MediumWord, one row a material; one zero if there is no medium.
    [[nodiscard]] const tensor::TensorRef& coefficients() const noexcept { return m_coefficients; }
    /// The tensors that say where triangles are and what they have, those of textures, and the records of materials.
    [[nodiscard]] std::vector<tensor::TensorRef> shape_tensors() const;

    /// SceneView of scene_view.slang. Another one after set_mean_emission().
    [[nodiscard]] const KernelArgument& view() const noexcept { return m_view; }
    /// view() where bounces alone find the light of some materials. @param materials their numbers.
    [[nodiscard]] KernelArgument
    view_without_lights(std::span<const std::uint32_t> materials) const;

    /// Draws lights that vary over their triangle by what they give off, see SceneLights::set_mean_emission().
    void set_mean_emission(std::span<const std::array<double, 2>> means);
    /// Writes the scene's own scalars and texels again, which a fit may have written over.
    void restore_values();

private:
    void take_materials(const SceneTables* lit);
    [[nodiscard]] KernelArgument geometry_view();
    [[nodiscard]] KernelArgument material_view() const;
    [[nodiscard]] KernelArgument texture_view() const;
    [[nodiscard]] KernelArgument media_view();
    [[nodiscard]] KernelArgument light_view(const scene::LightTable& table) const;
    void add_environment(KernelArgument& view) const;
    [[nodiscard]] KernelArgument compose(const KernelArgument& lights) const;

    std::shared_ptr<KeptParts> m_kept;
    std::shared_ptr<const SceneGeometry> m_geometry;
    std::shared_ptr<const scene::MaterialTable> m_materials;
    SceneLights m_lights;
    scene::SceneTraits m_traits;
    TextureTensors m_textures;
    tensor::TensorRef m_values;
    tensor::TensorRef m_records; ///< of materials
    tensor::TensorRef m_coefficients;
    tensor::TensorRef m_bsdfs;
    std::vector<tensor::TensorRef> m_shape_tensors;
    std::shared_ptr<const std::vector<std::uint32_t>> m_light_of_triangle;
    KernelArgument m_geometry_view;
    KernelArgument m_light_view;
    KernelArgument m_media_view;
    KernelArgument m_view;
};

} // namespace weft::render
