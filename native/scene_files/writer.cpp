// SPDX-License-Identifier: Apache-2.0
#include "scene_files/writer.hpp"

#include "core/error.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weft::scene_files {

using core::ArgumentError;
using core::text;

namespace {

template <typename T>
constexpr std::string_view kDescr;
constexpr bool kIsLittle = std::endian::native == std::endian::little;
template <>
constexpr std::string_view kDescr<float> = kIsLittle ? "<f4" : ">f4";
template <>
constexpr std::string_view kDescr<double> = kIsLittle ? "<f8" : ">f8";
template <>
constexpr std::string_view kDescr<std::uint32_t> = kIsLittle ? "<u4" : ">u4";

template <std::size_t Count>
Json list(const std::array<double, Count>& numbers) {
    Json out = Json::array();
    for (const double number : numbers) {
        out.push_back(number_json(number));
    }
    return out;
}

/// One number where all are equal: what most scenes have.
Json number_or_list(const scene::Rgb& color) {
    const bool is_grey = color[0] == color[1] && color[1] == color[2];
    return is_grey ? number_json(color[0]) : list(color);
}

Json kinds(scene::RayKinds bits) {
    Json names = Json::array();
    for (const scene::RayKindName& kind : scene::kRayKinds) {
        if ((bits & kind.bit) != 0) {
            names.push_back(kind.name);
        }
    }
    return names;
}

Json or_null(const std::optional<std::uint32_t>& count) {
    return count ? Json(*count) : Json();
}

/// A number of a light as JSON has it.
struct LightFieldJson {
    Json operator()(double number) const { return number_json(number); }
    Json operator()(bool is_set) const { return is_set; }
    Json operator()(scene::AreaShape shape) const {
        return scene::kAreaShapes.at(static_cast<std::size_t>(shape));
    }
    template <std::size_t Count>
    Json operator()(const std::array<double, Count>& numbers) const {
        return list(numbers);
    }
};

/// The address stands for a scene's own parts: two objects at one place are one object.
template <typename T>
void require_extent(std::string_view owner, std::span<const T> values, std::uint64_t wanted) {
    if (wanted == 0 || values.size() != wanted) {
        throw ArgumentError(text("Scene.save: ", owner, " must have ", wanted,
                                 " numbers, above 0, got ", values.size(),
                                 "; images that their owner uploads cannot be stored"));
    }
}

} // namespace

Json number_json(double number) {
    if (std::isfinite(number)) {
        return number;
    }
    return {{"float", std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf"}};
}

Json Writer::add(std::string_view type, Json fields) {
    m_objects.push_back({{"type", type}, {"fields", std::move(fields)}});
    return {{"ref", m_objects.size() - 1}};
}

template <typename T>
Json Writer::array(std::span<const T> numbers, std::vector<std::uint64_t> shape,
                   const std::shared_ptr<const void>& owner) {
    const auto bytes = std::as_bytes(numbers);
    std::string hashed = text(kDescr<T>, shape_text(shape));
    hashed.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string name = core::sha256(hashed);
    m_arrays.try_emplace(name, NewMember{.name = name + ".npy",
                                         .head = npy_header(kDescr<T>, shape),
                                         .bytes = bytes,
                                         .owner = owner});
    return {{"array", name}};
}

template Json Writer::array<float>(std::span<const float>, std::vector<std::uint64_t>,
                                   const std::shared_ptr<const void>&);

std::vector<NewMember> Writer::take_arrays() {
    std::vector<NewMember> members;
    members.reserve(m_arrays.size());
    for (auto& [name, member] : m_arrays) {
        members.push_back(std::move(member));
    }
    m_arrays.clear();
    return members;
}

Json Writer::matrix(std::span<const double> numbers, std::vector<std::uint64_t> shape) {
    const auto kept = std::make_shared<const std::vector<double>>(numbers.begin(), numbers.end());
    return array(std::span(*kept), std::move(shape), kept);
}

Json Writer::transform(const std::array<double, 12>& rows) {
    return matrix(rows, {3, 4});
}

Json Writer::sets(const std::vector<scene::AttributeSet>& sets, std::size_t triangles,
                  std::size_t width) {
    Json pairs = Json::array();
    for (const scene::AttributeSet& set : sets) {
        pairs.push_back(Json::array({set.name, array(set.values.values, {triangles, 3, width})}));
    }
    return {{"map", std::move(pairs)}};
}

Json Writer::mesh(const scene::MeshRef& mesh) {
    return shared(mesh.get(), "Mesh", [&] {
        const std::size_t count = mesh->triangle_count();
        Json fields;
        fields["positions"] = array(mesh->positions.values, {mesh->vertex_count(), 3});
        fields["triangles"] = array(mesh->triangles.values, {count, 3});
        fields["normals"] = mesh->normals ? array(mesh->normals->values, {count, 3, 3}) : Json();
        fields["uvs"] = sets(mesh->uvs, count, 2);
        fields["colors"] = sets(mesh->colors, count, 3);
        fields["slots"] = mesh->slots ? array(mesh->slots->values, {count}) : Json();
        fields["name"] = mesh->name;
        return fields;
    });
}

Json Writer::object(const scene::Object& object) {
    scene::require_valid(object);
    Json fields;
    fields["mesh"] = mesh(object.mesh);
    Json& materials = fields["materials"] = Json::array();
    for (const scene::MaterialRef& entry : object.materials) {
        materials.push_back(material(entry));
    }
    fields["transform"] = transform(object.transform);
    fields["name"] = object.name;
    fields["hidden_from"] = kinds(object.hidden_from);
    fields["shadow_terminator_geometry_offset"] =
        number_json(static_cast<double>(object.terminator_offset));
    return add("Object", std::move(fields));
}

Json Writer::profile(const std::shared_ptr<const scene::LightProfile>& profile) {
    if (!profile) {
        return nullptr;
    }
    return shared(profile.get(), "LightProfile", [&] {
        require_extent("the image of a LightProfile", profile->image,
                       std::uint64_t{3} * profile->width * profile->height);
        Json fields;
        fields["image"] = array(profile->image, {profile->height, profile->width, 3});
        fields["distance_power"] = number_json(profile->distance_power);
        fields["smooth"] = number_json(profile->smooth);
        return fields;
    });
}

Json Writer::light(const scene::Light& light) {
    Json fields;
    std::string_view type;
    std::visit(
        [&](const auto& own) {
            using AnalyticLight = std::remove_cvref_t<decltype(own)>;
            type = AnalyticLight::kName;
            std::apply(
                [&](const auto&... field) {
                    ((fields[std::string(field.name)] = LightFieldJson()(own.*field.member)), ...);
                },
                AnalyticLight::fields());
        },
        light.kind);
    if (const auto* const area = std::get_if<scene::AreaLight>(&light.kind)) {
        fields["transform"] = transform(area->transform);
    }
    fields["name"] = light.name;
    fields["profile"] = profile(light.profile);
    fields["hidden_from"] = kinds(light.hidden_from);
    fields["casts_shadow"] = light.casts_shadow;
    return add(type, std::move(fields));
}

Json Writer::camera(const scene::Camera& camera) {
    Json fields;
    fields["width"] = camera.width;
    fields["height"] = camera.height;
    fields["kind"] = scene::kCameraKinds.at(static_cast<std::size_t>(camera.kind));
    fields["fov"] = number_json(camera.fov);
    fields["scale"] = number_json(camera.scale);
    fields["sensor_fit"] = scene::kSensorFits.at(static_cast<std::size_t>(camera.sensor_fit));
    fields["shift"] = list(camera.shift);
    fields["transform"] = transform(camera.transform);
    fields["near"] = number_json(camera.near);
    fields["far"] = number_json(camera.far);
    fields["aperture"] = number_json(camera.aperture);
    fields["focus"] = number_json(camera.focus);
    fields["name"] = camera.name;
    return add("Camera", std::move(fields));
}

Json Writer::environment(const scene::Environment& environment) {
    const std::vector<std::uint64_t> shape{environment.height, environment.width, 3};
    const std::uint64_t wanted = std::uint64_t{3} * environment.width * environment.height;
    const std::string owner = text("an image of Environment '", environment.name, "'");
    require_extent(owner, environment.image, wanted);
    Json fields;
    fields["image"] = array(environment.image, shape);
    fields["rotation"] = matrix(environment.rotation, {3, 3});
    fields["strength"] = number_or_list(environment.strength);
    fields["name"] = environment.name;
    Json views = Json::array();
    for (const scene::EnvironmentView& view : environment.views) {
        require_extent(owner, view.image, wanted);
        views.push_back(
            Json::array({scene::kEnvironmentViews.at(view.kind).name, array(view.image, shape)}));
    }
    fields["views"] = {{"map", std::move(views)}};
    fields["hidden_from"] = kinds(environment.hidden_from);
    return add("Environment", std::move(fields));
}

Json Writer::light_paths(const scene::LightPaths& limits) {
    Json fields;
    fields["diffuse_bounces"] = or_null(limits.diffuse_bounces);
    fields["glossy_bounces"] = or_null(limits.glossy_bounces);
    fields["transmission_bounces"] = or_null(limits.transmission_bounces);
    fields["volume_bounces"] = or_null(limits.volume_bounces);
    fields["clamp_direct"] = number_json(limits.clamp_direct);
    fields["clamp_indirect"] = number_json(limits.clamp_indirect);
    fields["filter_glossy"] = number_json(limits.filter_glossy);
    fields["reflective_caustics"] = limits.reflective_caustics;
    fields["refractive_caustics"] = limits.refractive_caustics;
    return add("LightPaths", std::move(fields));
}

Json Writer::parts(const SceneFile& file) {
    Json objects = Json::array();
    for (const scene::Object& entry : file.scene.objects) {
        objects.push_back(object(entry));
    }
    Json lights = Json::array();
    for (const scene::Light& entry : file.scene.lights) {
        lights.push_back(light(entry));
    }
    Json cameras = Json::array();
    for (const scene::Camera& entry : file.cameras) {
        cameras.push_back(camera(entry));
    }
    Json sky = file.scene.environment ? environment(*file.scene.environment) : Json();
    Json problems = Json::array();
    for (const Problem& entry : file.problems) {
        problems.push_back(add("Problem", {{"where", entry.where},
                                           {"message", entry.message},
                                           {"used_instead", entry.used_instead}}));
    }
    Json parts{{"objects", std::move(objects)},
               {"lights", std::move(lights)},
               {"cameras", std::move(cameras)},
               {"environment", std::move(sky)},
               {"problems", std::move(problems)}};
    if (file.scene.light_paths != scene::LightPaths{}) {
        parts["light_paths"] = light_paths(file.scene.light_paths);
    }
    return parts;
}

} // namespace weft::scene_files
