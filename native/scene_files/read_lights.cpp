// SPDX-License-Identifier: Apache-2.0
// Lights, environments and limits of paths of files.
#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/light_kinds.hpp"
#include "scene_files/fields.hpp"

#include <algorithm>
#include <cmath>

namespace weft::scene_files {

using core::ArgumentError;
using core::text;

namespace {

/// Reads members of one light.
class AnalyticLightReader {
public:
    explicit AnalyticLightReader(Fields& fields) : m_fields(fields) {}

    template <typename AnalyticLight>
    AnalyticLight read() {
        AnalyticLight light;
        std::apply([&](const auto&... field) { (read(field.name, light.*field.member), ...); },
                   AnalyticLight::fields());
        return light;
    }

private:
    void read(std::string_view name, double& out) { out = m_fields.number(name, out); }
    void read(std::string_view name, bool& out) { out = m_fields.truth(name, out); }
    void read(std::string_view name, scene::AreaShape& out) {
        out = static_cast<scene::AreaShape>(m_fields.choice(name, scene::kAreaShapes));
    }
    void read(std::string_view name, scene::LightTransform& out) {
        out = m_fields.transform(name, nullptr);
    }
    template <std::size_t Count>
    void read(std::string_view name, std::array<double, Count>& out) {
        const bool has_standard = name != "position" && name != "direction";
        const auto given =
            has_standard ? m_fields.numbers(name) : std::optional(m_fields.require_numbers(name));
        if (!given) {
            return;
        }
        if (!given->has_shape({Count})) {
            throw ArgumentError(text(m_fields.owner(), ": ", name, " must be ",
                                     Count == 3 ? "three" : "two", " numbers, got shape ",
                                     given->shape_text()));
        }
        std::ranges::copy(converted<double>(*given).values, out.begin());
    }

    Fields& m_fields;
};

/// Reads the light whose class is `type`. @return its standard name; "": there is no such light.
template <std::size_t Index = 0, typename... AnalyticLights>
std::string read_kind(std::string_view type, Fields& fields,
                      std::variant<AnalyticLights...>& kind) {
    if constexpr (Index == sizeof...(AnalyticLights)) {
        return "";
    } else {
        using AnalyticLight = std::variant_alternative_t<Index, std::variant<AnalyticLights...>>;
        if (type != AnalyticLight::kName) {
            return read_kind<Index + 1>(type, fields, kind);
        }
        kind = AnalyticLightReader(fields).read<AnalyticLight>();
        return scene::kind_of_light(type);
    }
}

/// (height, width, 3) floats, or one colour, (3,); a fourth channel is left out.
struct Image {
    scene::MeshArray<float> pixels{};
    std::uint32_t width = 0;
    std::uint32_t height = 0;
};

scene::MeshArray<float> three_of_four(const scene::MeshArray<float>& pixels) {
    std::vector<float> out;
    out.reserve(pixels.values.size() / 4 * 3);
    for (std::size_t at = 0; at < pixels.values.size(); at += 4) {
        const auto color = pixels.values.subspan(at, 3);
        out.insert(out.end(), color.begin(), color.end());
    }
    return out;
}

Image environment_image(const std::string& owner, const NumberArray& array) {
    Image image{.pixels = converted<float>(array), .width = 1, .height = 1};
    const bool is_color = array.has_shape({3});
    if (!is_color &&
        ((!array.has_shape({0, 0, 3}) && !array.has_shape({0, 0, 4})) || array.size() == 0)) {
        throw ArgumentError(text(owner,
                                 ": image must be (height, width, 3) or one colour, got "
                                 "shape ",
                                 array.shape_text()));
    }
    scene::require_radiance(owner, image.pixels.values);
    if (!is_color) {
        image.height = static_cast<std::uint32_t>(array.shape[0]);
        image.width = static_cast<std::uint32_t>(array.shape[1]);
        if (array.shape[2] == 4) {
            image.pixels = three_of_four(image.pixels);
        }
    }
    return image;
}

void read_views(Fields& fields, scene::Environment& environment, std::vector<Image>& images) {
    for (const auto& [kind, json] : fields.map("views")) {
        const auto found =
            std::ranges::find(scene::kEnvironmentViews, kind, &scene::RayKindName::name);
        if (found == scene::kEnvironmentViews.end()) {
            scene::refuse_ray_kind(fields.owner(), shown(Json(kind)), scene::kEnvironmentViews);
        }
        const NumberArray array = fields.numbers_of(*json);
        const Image& first = images.front();
        images.push_back(environment_image(fields.owner(), array));
        const Image& image = images.back();
        if (image.width != first.width || image.height != first.height) {
            throw ArgumentError(text(fields.owner(), ": what '", kind,
                                     "' rays see must have the shape of the image, (", first.height,
                                     ", ", first.width, ", 3), got ", array.shape_text()));
        }
        environment.views.push_back(
            {.kind = static_cast<std::size_t>(found - scene::kEnvironmentViews.begin()),
             .image = image.pixels.values});
    }
}

void read_placement(Fields& fields, scene::Environment& environment) {
    if (const auto rotation = fields.numbers("rotation")) {
        if (!rotation->has_shape({3, 3})) {
            throw ArgumentError(text(fields.owner(),
                                     ": rotation must be a matrix of shape (3, 3), "
                                     "got shape ",
                                     rotation->shape_text()));
        }
        std::ranges::copy(converted<double>(*rotation).values, environment.rotation.begin());
    }
    if (const auto strength = fields.numbers("strength")) {
        const scene::MeshArray<double> factors = converted<double>(*strength);
        const std::size_t count = factors.values.size();
        if ((count != 1 && count != 3) || strength->shape.size() > 1) {
            throw ArgumentError(text(fields.owner(),
                                     ": strength must be one number or linear RGB, "
                                     "got shape ",
                                     strength->shape_text()));
        }
        for (std::size_t k = 0; k < environment.strength.size(); ++k) {
            environment.strength.at(k) = factors.values[count == 1 ? 0 : k];
        }
    }
}

std::optional<std::uint32_t> bounces(Fields& fields, std::string_view name) {
    constexpr std::int64_t kMaxBounces = 62;
    const Json* const json = fields.find(name);
    if (json == nullptr) {
        return std::nullopt;
    }
    if (!json->is_number_integer() || *json < 0 || *json > kMaxBounces) {
        throw ArgumentError(text("LightPaths: ", name, " must be a whole number from 0 to ",
                                 kMaxBounces, " or None, got ", shown(*json)));
    }
    return json->get<std::uint32_t>();
}

double from_zero(Fields& fields, std::string_view name) {
    const double value = fields.number(name, 0);
    const bool is_valid = value >= 0 && std::isfinite(value);
    if (!is_valid) {
        throw ArgumentError(text("LightPaths: ", name, " must be a number from 0, got ", value));
    }
    return value;
}

} // namespace

scene::Light read_light(std::string_view type, Fields& fields) {
    scene::Light light;
    const std::string standard = read_kind(type, fields, light.kind);
    light.name = fields.text("name", standard);
    light.hidden_from =
        scene::ray_kinds(fields.owner(), fields.texts("hidden_from"), scene::kLightRayKinds);
    light.casts_shadow = fields.truth("casts_shadow", true);
    if (const auto* const profile =
            fields.optional_reference<LightProfileRef>("profile", "a profile")) {
        light.profile = *profile;
    }
    if (const auto* const area = std::get_if<scene::AreaLight>(&light.kind)) {
        scene::require_spread(fields.owner(), area->spread);
    }
    return light;
}

LightProfileRef read_profile(Fields& fields) {
    const NumberArray array = fields.require_numbers("image");
    if (!array.has_shape({0, 0, 3}) || array.size() == 0) {
        throw ArgumentError(
            text("LightProfile: image must be (height, width, 3), got shape ", array.shape_text()));
    }
    const auto image = std::make_shared<scene::MeshArray<float>>(converted<float>(array));
    scene::LightProfile profile{.image = image->values,
                                .width = static_cast<std::uint32_t>(array.shape[1]),
                                .height = static_cast<std::uint32_t>(array.shape[0]),
                                .distance_power = fields.number("distance_power", 0),
                                .smooth = fields.number("smooth", 0),
                                .owner = image};
    scene::require_profile(profile, text(profile.distance_power), text(profile.smooth));
    return std::make_shared<const scene::LightProfile>(std::move(profile));
}

EnvironmentRef read_environment(Fields& fields) {
    scene::Environment environment{.name = fields.text("name", "environment")};
    auto images = std::make_shared<std::vector<Image>>();
    images->reserve(1 + scene::kEnvironmentViews.size());
    images->push_back(environment_image(fields.owner(), fields.require_numbers("image")));
    environment.image = images->front().pixels.values;
    environment.width = images->front().width;
    environment.height = images->front().height;
    read_views(fields, environment, *images);
    read_placement(fields, environment);
    environment.hidden_from =
        scene::ray_kinds(fields.owner(), fields.texts("hidden_from"), scene::kObjectRayKinds);
    environment.owner = images;
    return std::make_shared<const scene::Environment>(std::move(environment));
}

scene::LightPaths read_light_paths(Fields& fields) {
    return {.diffuse_bounces = bounces(fields, "diffuse_bounces"),
            .glossy_bounces = bounces(fields, "glossy_bounces"),
            .transmission_bounces = bounces(fields, "transmission_bounces"),
            .volume_bounces = bounces(fields, "volume_bounces"),
            .clamp_direct = from_zero(fields, "clamp_direct"),
            .clamp_indirect = from_zero(fields, "clamp_indirect"),
            .filter_glossy = from_zero(fields, "filter_glossy"),
            .reflective_caustics = fields.truth("reflective_caustics", true),
            .refractive_caustics = fields.truth("refractive_caustics", true)};
}

} // namespace weft::scene_files
