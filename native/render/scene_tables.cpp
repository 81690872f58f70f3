// SPDX-License-Identifier: Apache-2.0
#include "render/scene_tables.hpp"

#include "core/error.hpp"
#include "render/bsdf_tables.hpp"
#include "scene/layouts.hpp"
#include "scene/media.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace weft::render {

using tensor::TensorRef;

namespace {

using Words = std::vector<std::uint32_t>;
using WordsRef = std::shared_ptr<const Words>;

/// The numbers of rows that are arrays or structures of them, one after the other.
template <typename T, typename Row>
std::span<const T> flat(const std::vector<Row>& rows) {
    static_assert(sizeof(Row) % sizeof(T) == 0);
    return {reinterpret_cast<const T*>(rows.data()), rows.size() * (sizeof(Row) / sizeof(T))};
}

/// A member of each object; one zero if there is none.
template <typename T>
std::vector<T> of_objects(const scene::Scene& scene, T scene::Object::* member) {
    std::vector<T> values;
    for (const scene::Object& object : scene.objects) {
        values.push_back(object.*member);
    }
    if (values.empty()) {
        values.push_back(0);
    }
    return values;
}

/// A tensor of its own: one zero if there are no numbers.
template <typename T>
TensorRef fresh(const std::shared_ptr<device::Device>& device, const std::vector<T>& numbers) {
    const auto kind =
        std::is_same_v<T, float> ? reflect::ScalarKind::float32 : reflect::ScalarKind::uint32;
    const std::vector<T> written = numbers.empty() ? std::vector<T>{0} : numbers;
    TensorRef made = tensor::Tensor::create(
        device, {.dtype = reflect::scalar_type(kind), .shape = {std::ssize(written)}});
    tensor::upload(*made, std::as_bytes(std::span(written)));
    return made;
}

bool have_same_programs(const scene::MaterialTable& a, const scene::MaterialTable& b) {
    return std::ranges::equal(a.programs, b.programs, [](const auto& left, const auto& right) {
        return left->text == right->text && left->transparency == right->transparency &&
               left->medium == right->medium && left->is_boundary == right->is_boundary;
    });
}

/// The medium of each slot of each object; kNoLight: none.
Words media_of_slots(const scene::Scene& scene, std::span<const scene::ObjectMedium> media) {
    const std::vector<scene::MaterialRef> materials = scene::materials_of(scene);
    std::map<std::pair<std::size_t, const scene::Material*>, std::uint32_t> numbers;
    for (const scene::ObjectMedium& medium : media) {
        numbers.emplace(std::pair(medium.object, materials[medium.material].get()),
                        static_cast<std::uint32_t>(numbers.size()));
    }
    Words of_slot;
    for (std::size_t k = 0; k < scene.objects.size(); ++k) {
        for (const scene::MaterialRef& material : scene.objects[k].materials) {
            const auto found = numbers.find({k, material.get()});
            of_slot.push_back(found == numbers.end() ? scene::kNoLight : found->second);
        }
    }
    return of_slot;
}

/// The light of each triangle; made once for equal meshes.
WordsRef find_lights_of_triangles(KeptParts& kept, const scene::GeometryTable& table,
                                  const EmissiveMeshesRef& meshes) {
    PartKey key("lights of triangles");
    key.add_identity(meshes);
    if (table.has_baked_transforms) { // then all triangles have an entry
        key.add(table.triangle_count).add_bytes(std::as_bytes(std::span(table.first_triangle)));
    }
    return kept.get<WordsRef>(std::move(key), [&] {
        return std::make_shared<const Words>(scene::lights_of_triangles(table, *meshes));
    });
}

constexpr std::array<double, 9> kIdentityRotation{1, 0, 0, 0, 1, 0, 0, 0, 1};

/// What a light is drawn by.
struct LightChoice {
    TensorRef records;
    TensorRef alias;
    TensorRef tree;

    LightChoice(KeptParts& kept, const scene::LightTable& table)
        : records(kept.upload("lights", flat<float>(table.records))),
          alias(kept.upload("light alias", flat<float>(table.alias))),
          tree(kept.upload("light tree", flat<float>(table.tree))) {}
};

} // namespace

SceneTables::SceneTables(std::shared_ptr<KeptParts> kept,
                         std::shared_ptr<const SceneGeometry> geometry, const SceneTablesDesc& desc,
                         const SceneTables* lit)
    : m_kept(std::move(kept)), m_geometry(std::move(geometry)) {
    take_materials(lit);
    m_lights = scene_lights(*m_kept, *m_geometry, *m_materials, desc.light_sampling);
    const scene::LightTable table = m_lights.table();
    m_traits =
        scene::scene_traits(scene(), m_geometry->table, *m_materials, m_lights.traits(table));
    m_textures = build_texture_tensors(*m_kept, m_materials->textures);
    m_records = m_kept->upload("materials", flat<std::uint32_t>(m_materials->records));
    m_geometry_view = geometry_view();
    m_light_view = light_view(table);
    if (lit != nullptr) {
        m_coefficients = lit->m_coefficients;
        m_media_view = lit->m_media_view;
    } else {
        m_media_view = media_view();
    }
    m_bsdfs = m_kept->get<TensorRef>(PartKey("BSDF tables"), [&] {
        return load_bsdf_tables(m_kept->device(), desc.bsdf_tables);
    });
    m_view = compose(m_light_view);
}

void SceneTables::take_materials(const SceneTables* lit) {
    const std::vector<scene::MaterialRef> materials = scene::materials_of(scene());
    auto own = std::make_shared<const scene::MaterialTable>(scene::build_material_table(materials));
    if (lit != nullptr) {
        if (!have_same_programs(*own, *lit->m_materials)) {
            throw core::ArgumentError("SceneTables: a scene under other lights must have the "
                                      "materials of the scene; make a Renderer of it");
        }
        if (std::ranges::equal(std::as_bytes(std::span(own->values)),
                               std::as_bytes(std::span(lit->m_materials->values)))) {
            m_materials = lit->m_materials;
            m_values = lit->m_values;
            return;
        }
    }
    m_materials = std::move(own);
    m_values = fresh(m_kept->device(), m_materials->values);
}

KernelArgument SceneTables::geometry_view() {
    const scene::GeometryTable& table = m_geometry->table;
    const bool has_tangents = std::ranges::any_of(
        m_materials->programs, [](const auto& program) { return program->has_tangents; });
    const GeometryTensors tensors = build_geometry_tensors(*m_kept, scene(), table, has_tangents);
    m_shape_tensors = {tensors.positions, tensors.normals, tensors.uvs,
                       tensors.colors,    tensors.slots,   tensors.tangents};
    m_light_of_triangle = find_lights_of_triangles(*m_kept, table, m_lights.meshes);
    KernelArgument view;
    view.add_tensor("positions", tensors.positions);
    view.add_tensor("normals", tensors.normals);
    view.add_tensor("uvs", tensors.uvs);
    view.add_tensor("colors", tensors.colors);
    view.add_tensor("slots", tensors.slots);
    view.add_tensor("tangents", tensors.tangents);
    const auto add = [&]<typename T>(const char* field, const char* part, std::span<const T> own) {
        m_shape_tensors.push_back(m_kept->upload(part, own));
        view.add_tensor(field, m_shape_tensors.back());
    };
    const auto instances = scene::instance_rows(scene(), table, m_lights.meshes->first_of_instance);
    const Words materials = scene::materials_of_slots(scene());
    const Words hidden = of_objects(scene(), &scene::Object::hidden_from);
    const auto terminators = of_objects(scene(), &scene::Object::terminator_offset);
    add("transforms", "transforms", flat<float>(table.transforms));
    add("instances", "instances", flat<std::uint32_t>(instances));
    add("slotMaterials", "materials of slots", std::span<const std::uint32_t>(materials));
    add("hiddenFrom", "hidden objects", std::span<const std::uint32_t>(hidden));
    add("terminators", "terminators", std::span<const float>(terminators));
    PartKey lights("lights of triangles");
    lights.add_identity(m_light_of_triangle);
    m_shape_tensors.push_back(m_kept->upload(
        "lights of triangles", std::span<const std::uint32_t>(*m_light_of_triangle), lights));
    view.add_tensor("lightOfTriangle", m_shape_tensors.back());
    view.add_integer("triangleCount", table.triangle_count);
    return view;
}

KernelArgument SceneTables::material_view() const {
    KernelArgument parameters;
    parameters.add_tensor("values", m_values);
    parameters.add_tensor("tangents", m_values);
    parameters.add_tensor("gradients", m_values);
    parameters.add_integer("firstTangent", 0);
    KernelArgument view;
    view.add_tensor("records", m_records);
    view.add_structure("parameters", parameters);
    return view;
}

KernelArgument SceneTables::texture_view() const {
    KernelArgument view;
    view.add_tensor("texels", m_textures.texels);
    view.add_tensor("tangents", m_textures.texels);
    view.add_tensor("gradients", m_textures.texels);
    view.add_integer("hasTangents", 0);
    view.add_integer("hasGradients", 0);
    view.add_tensor("records",
                    m_kept->upload("texture records", flat<std::uint32_t>(m_textures.records)));
    return view;
}

KernelArgument SceneTables::media_view() {
    const auto& device = m_kept->device();
    const std::vector<scene::ObjectMedium> media = scene::media_of(scene());
    Words materials;
    std::ranges::transform(media, std::back_inserter(materials), &scene::ObjectMedium::material);
    const std::size_t rows = media.empty() ? 0 : m_materials->records.size();
    m_coefficients =
        fresh(device, std::vector<float>(rows * scene::layouts::MediumWord::kEnd, 0.0F));
    KernelArgument view;
    view.add_tensor("ofSlot", fresh(device, media_of_slots(scene(), media)));
    view.add_tensor("materials", fresh(device, materials));
    view.add_tensor("coefficients", m_coefficients);
    view.add_tensor("fitted", fresh(device, Words{}));
    view.add_tensor("unknown", fresh(device, Words{}));
    view.add_integer("unknownCount", 0);
    view.add_tensor("derivatives", fresh(device, std::vector<float>{}));
    return view;
}

KernelArgument SceneTables::light_view(const scene::LightTable& table) const {
    const LightChoice choice(*m_kept, table);
    KernelArgument view;
    view.add_tensor("records", choice.records);
    view.add_tensor("alias", choice.alias);
    view.add_tensor("tree", choice.tree);
    view.add_real("treeSelectionProbability", table.tree_selection_probability);
    view.add_tensor("profiles",
                    m_kept->upload("profiles", std::span<const float>(m_lights.profiles)));
    add_environment(view);
    view.add_integer("environmentLight", table.environment_light);
    const std::array<double, 3> strength{m_lights.placed.strength[0], m_lights.placed.strength[1],
                                         m_lights.placed.strength[2]};
    view.add_reals("environmentStrength", strength, std::array{std::ssize(strength)});
    view.add_integer("count", static_cast<std::int64_t>(m_lights.count()));
    view.add_integer("analyticLightCount",
                     static_cast<std::int64_t>(m_lights.analytic_light_count));
    return view;
}

void SceneTables::add_environment(KernelArgument& view) const {
    constexpr std::array<float, 3> kBlack{};
    constexpr std::array<std::int64_t, 2> kMatrix{3, 3};
    const EnvironmentImagesRef& images = m_lights.images;
    std::array<double, 9> to_world = kIdentityRotation;
    std::array<std::int64_t, scene::kEnvironmentViews.size()> layers{};
    if (images) {
        PartKey key("images");
        key.add_identity(images);
        const std::span<const float> texels(images->texels.get(), images->texel_count);
        const std::span<const float> alias(reinterpret_cast<const float*>(images->alias.get()),
                                           3 * images->pixel_count);
        view.add_tensor("environment", m_kept->upload("environment", texels, key));
        view.add_tensor("environmentAlias", m_kept->upload("environment alias", alias, key));
        std::ranges::copy(m_lights.placed.to_world, to_world.begin());
        std::ranges::copy(m_lights.placed.layers, layers.begin());
    } else {
        const std::span<const float> black(kBlack);
        view.add_tensor("environment", m_kept->upload("environment", black));
        view.add_tensor("environmentAlias", m_kept->upload("environment alias", black));
    }
    view.add_reals("environmentToWorld", to_world, kMatrix);
    const auto& environment = scene().environment;
    view.add_integer("environmentWidth", images ? environment->width : 1);
    view.add_integer("environmentHeight", images ? environment->height : 1);
    view.add_integers("environmentLayers", layers);
}

KernelArgument SceneTables::compose(const KernelArgument& lights) const {
    KernelArgument view;
    view.add_structure("geometry", m_geometry_view);
    view.add_structure("materials", material_view());
    view.add_structure("textures", texture_view());
    view.add_structure("lights", lights);
    view.add_structure("media", m_media_view);
    view.add_tensor("tables", m_bsdfs);
    return view;
}

std::vector<TensorRef> SceneTables::shape_tensors() const {
    std::vector<TensorRef> tensors = m_shape_tensors;
    tensors.push_back(m_textures.texels);
    tensors.push_back(m_kept->upload("texture records", flat<std::uint32_t>(m_textures.records)));
    tensors.push_back(m_records);
    return tensors;
}

KernelArgument SceneTables::view_without_lights(std::span<const std::uint32_t> materials) const {
    std::vector<std::uint8_t> left_out;
    for (const std::uint32_t material : m_lights.materials) {
        left_out.push_back(std::ranges::find(materials, material) != materials.end() ? 1 : 0);
    }
    if (std::ranges::find(left_out, 1) == left_out.end()) {
        return m_view;
    }
    const scene::LightTable table = m_lights.table(left_out);
    Words numbers = *m_light_of_triangle;
    for (std::uint32_t& light : numbers) {
        light = light != scene::kNoLight && left_out[light] != 0 ? scene::kNoLight : light;
    }
    const LightChoice choice(*m_kept, table);
    KernelArgument lights = m_light_view;
    lights.set_tensor("records", choice.records);
    lights.set_tensor("alias", choice.alias);
    lights.set_tensor("tree", choice.tree);
    lights.set_real("treeSelectionProbability", table.tree_selection_probability);
    lights.set_integer("count",
                       table.can_be_drawn ? static_cast<std::int64_t>(m_lights.count()) : 0);
    KernelArgument view = compose(lights);
    view.set_tensor("geometry.lightOfTriangle",
                    m_kept->upload("lights of triangles", std::span<const std::uint32_t>(numbers)));
    return view;
}

void SceneTables::set_mean_emission(std::span<const std::array<double, 2>> means) {
    m_lights.set_mean_emission(means);
    m_light_view = light_view(m_lights.table());
    m_view = compose(m_light_view);
}

void SceneTables::restore_values() {
    tensor::upload(*m_values, std::as_bytes(std::span(m_materials->values)));
    KeptParts none(m_kept->device());
    const TextureTensors own = build_texture_tensors(none, m_materials->textures);
    tensor::copy(*m_textures.texels, *own.texels);
}

} // namespace weft::render
