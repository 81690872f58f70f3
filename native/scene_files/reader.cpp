// SPDX-License-Identifier: Apache-2.0
#include "scene_files/reader.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace weft::scene_files {

namespace {

constexpr std::uint64_t kMaxText = std::uint64_t{1} << 28U;
constexpr std::size_t kMaxTextDepth = 64; // of brackets: what Weft writes has ten
constexpr std::uint64_t kFreeCopies = std::uint64_t{1} << 24U;
constexpr std::uint64_t kCopiesPerByte = 64; // bytes of copies that a byte of text may ask for

bool opens_bracket(char letter) {
    return letter == '[' || letter == '{';
}

bool closes_bracket(char letter) {
    return letter == ']' || letter == '}';
}

/// Before a parser makes memory for each bracket.
void require_shallow(std::string_view text) {
    std::size_t depth = 0;
    bool is_quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (is_quoted) {
            at += letter == '\\' ? 1U : 0U;
            is_quoted = letter != '"';
        } else if (letter == '"') {
            is_quoted = true;
        } else if (opens_bracket(letter)) {
            if (++depth > kMaxTextDepth) {
                throw std::runtime_error("its text is nested too deep");
            }
        } else if (closes_bracket(letter) && depth > 0) {
            --depth;
        }
    }
}

Made read_made(const std::string& type, Fields& fields) {
    if (auto part = read_part(type, fields)) {
        return std::move(*part);
    }
    if (type == "Material") {
        return read_material(fields);
    }
    if (type == "Mesh") {
        return read_mesh(fields);
    }
    if (type == "Object") {
        return read_object(fields);
    }
    if (type == "Camera") {
        return read_camera(fields);
    }
    if (type == "Environment") {
        return read_environment(fields);
    }
    if (type == "LightProfile") {
        return read_profile(fields);
    }
    if (type == "LightPaths") {
        return read_light_paths(fields);
    }
    if (type == "Problem") {
        return Problem{.where = fields.text("where"),
                       .message = fields.text("message"),
                       .used_instead = fields.text("used_instead", "")};
    }
    constexpr std::array<std::string_view, 4> kLightTypes{
        scene::PointLight::kName, scene::SpotLight::kName, scene::SunLight::kName,
        scene::AreaLight::kName};
    if (std::ranges::find(kLightTypes, type) == kLightTypes.end()) {
        throw std::runtime_error(shown(Json(type)));
    }
    return read_light(type, fields);
}

/// What is shared is no part of those that share it: it is evaluated once.
bool is_met_once(const Made& made) {
    const auto* const value = std::get_if<scene::Value>(&made);
    return value != nullptr && (std::holds_alternative<std::shared_ptr<scene::SlangCall>>(*value) ||
                                std::holds_alternative<std::shared_ptr<scene::Texture>>(*value));
}

bool is_part(const Made& made) {
    return std::holds_alternative<scene::Value>(made) ||
           std::holds_alternative<scene::SurfaceRef>(made);
}

void add_entry(const Json& json, Context& context, ReadScene& read) {
    const Json& type = require_member(json, "type");
    if (!type.is_string()) {
        throw std::runtime_error(shown(type));
    }
    Fields fields(type.get<std::string>(), require_member(json, "fields"), context);
    Entry entry{.type = type.get<std::string>(), .made = read_made(type, fields)};
    fields.require_no_more();
    if (is_part(entry.made)) {
        entry.depth = fields.depth();
        entry.weight = is_met_once(entry.made) ? 1 : fields.weight();
    }
    if (const auto* const value = std::get_if<scene::Value>(&entry.made)) {
        if (const auto* const call = std::get_if<std::shared_ptr<scene::SlangCall>>(value)) {
            read.calls.push_back(*call);
        }
    }
    context.entries.push_back(std::move(entry));
}

std::uint64_t bytes_of(const scene::Object& object) {
    return sizeof(object) + object.name.size() +
           object.materials.size() * sizeof(scene::MaterialRef);
}
std::uint64_t bytes_of(const scene::Light& light) {
    return sizeof(light) + light.name.size();
}
std::uint64_t bytes_of(const scene::Camera& camera) {
    return sizeof(camera) + camera.name.size();
}
std::uint64_t bytes_of(const Problem& problem) {
    return sizeof(problem) + problem.where.size() + problem.message.size() +
           problem.used_instead.size();
}

template <typename T>
std::vector<T> list_of(Fields& parts, std::string_view name, std::string_view what) {
    std::vector<T> out;
    const Json* const list = parts.find(name);
    if (list == nullptr) {
        return out;
    }
    if (!list->is_array()) {
        throw std::runtime_error(core::text("a scene's ", name, " are ", shown(*list)));
    }
    for (const Json& entry : *list) {
        const T& made = parts.reference_of<T>(entry, what);
        parts.charge(bytes_of(made));
        out.push_back(made);
    }
    return out;
}

void require_known_parts(const Json& parts) {
    constexpr std::string_view kParts = "objects, lights, cameras, environment, problems, "
                                        "light_paths";
    for (const auto& [name, content] : parts.items()) {
        if (core::text(", ", kParts, ",").find(core::text(", ", name, ",")) == std::string::npos) {
            throw std::runtime_error(
                core::text("a scene has no ", shown(Json(name)), "; it has ", kParts));
        }
    }
}

SceneFile read_parts(const Json& json, Context& context) {
    Fields parts("Scene", json, context);
    require_known_parts(json);
    SceneFile file;
    file.scene.objects = list_of<scene::Object>(parts, "objects", "an object");
    file.scene.lights = list_of<scene::Light>(parts, "lights", "a light");
    file.cameras = list_of<scene::Camera>(parts, "cameras", "a camera");
    file.problems = list_of<Problem>(parts, "problems", "a problem");
    if (const auto* const sky =
            parts.optional_reference<EnvironmentRef>("environment", "an environment")) {
        file.scene.environment = *sky;
    }
    if (const auto* const limits =
            parts.optional_reference<scene::LightPaths>("light_paths", "limits of paths")) {
        file.scene.light_paths = *limits;
    }
    return file;
}

} // namespace

ReadScene read_scene(ArchiveReader& archive) {
    const std::string text = archive.text(kTextName, kMaxText);
    require_shallow(text);
    const Json json = Json::parse(text);
    if (require_member(json, "weft") != "scene") {
        throw std::runtime_error("it is something else");
    }
    const Json& version = require_member(json, "version");
    if (!version.is_number_integer()) {
        throw std::runtime_error(core::text("its version is ", shown(version)));
    }
    ReadScene read{.version = version.get<std::int64_t>()};
    if (read.version > kVersion) {
        return read;
    }
    Context context{.archive = archive, .room = kFreeCopies + kCopiesPerByte * text.size()};
    const Json& objects = require_member(json, "objects");
    if (!objects.is_array()) {
        throw std::runtime_error(core::text("its objects are ", shown(objects)));
    }
    context.entries.reserve(objects.size());
    for (const Json& entry : objects) {
        add_entry(entry, context, read);
    }
    read.file = read_parts(require_member(json, "scene"), context);
    return read;
}

} // namespace weft::scene_files
