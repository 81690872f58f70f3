// SPDX-License-Identifier: Apache-2.0
#include "job/job_text.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "fit/unknown_environment.hpp"
#include "job/read_lights.hpp"
#include "job/toml_table.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace weft::job {

namespace {

constexpr std::array<std::string_view, 2> kColorSpaces{"linear", "srgb"};
constexpr std::array<std::string_view, 2> kScales{"linear", "log"};
constexpr double kMaxTexels = 1U << 16U; ///< along a side

std::string required_text(TomlTable& table, std::string_view key) {
    std::optional<std::string> out = table.text(key);
    if (!out) {
        table.fail({}, core::text("the key '", key, "' is missing; add it"));
    }
    return std::move(*out);
}

template <typename T, typename U>
void set(T& into, const std::optional<U>& given) {
    if (given) {
        into = static_cast<T>(*given);
    }
}

fit::Bounds pair_of(const std::vector<double>& numbers) {
    return {numbers.at(0), numbers.at(1)};
}

void set_bounds(fit::Bounds& into, TomlTable& table) {
    if (const auto bounds = table.numbers("bounds", 2)) {
        into = pair_of(*bounds);
    }
}

void read_camera(TomlTable& table, TargetEntry& target) {
    const toml::node* const camera = table.find("camera");
    if (camera == nullptr) {
        return;
    }
    if (camera->is_string()) {
        target.camera = **camera->as_string();
    } else if (camera->is_integer()) {
        target.camera = **camera->as_integer();
    } else {
        table.fail("camera", "'camera' must be a name or a number");
    }
}

TargetEntry read_target(TomlTable table, const std::filesystem::path& folder) {
    TargetEntry out{.place = table.place()};
    out.image = folder / core::path_from_utf8(required_text(table, "image"));
    read_camera(table, out);
    if (const auto space = table.choice("color_space", kColorSpaces)) {
        out.color_space = static_cast<ColorSpace>(*space);
    }
    if (const auto mask = table.text("mask")) {
        out.mask = folder / core::path_from_utf8(*mask);
    }
    out.mask_from = table.text("mask_from").value_or("");
    set(out.exposure, table.number("exposure"));
    out.saturation = table.number("saturation");
    set(out.filter, table.choice("filter", render::kPixelFilters));
    set(out.filter_width, table.number("filter_width"));
    out.name = table.text("name").value_or(core::utf8_path(out.image.stem()));
    out.robust = table.flag("robust");
    set(out.resize, table.flag("resize"));
    read_lights(table, out);
    out.world = read_world(table, folder);
    table.require_no_others();
    return out;
}

std::optional<fit::ExpectedValue> read_prior(TomlTable& table) {
    const toml::node* const prior = table.find("prior");
    if (prior == nullptr) {
        return std::nullopt;
    }
    constexpr std::string_view kWanted = "'prior' must be [mean, standard deviation]";
    const auto number = [&table, kWanted](const toml::node& node) {
        const std::optional<double> found = node.value<double>();
        if (!found || node.is_boolean()) {
            table.fail("prior", kWanted);
        }
        return *found;
    };
    const toml::array* const list = prior->as_array();
    if (list == nullptr || list->size() != 2) {
        table.fail("prior", kWanted);
    }
    fit::ExpectedValue out{.mean = {}, .deviation = number((*list)[1])};
    if (const toml::array* const means = (*list)[0].as_array()) {
        for (const toml::node& mean : *means) {
            out.mean.push_back(number(mean));
        }
    } else {
        out.mean.push_back(number((*list)[0]));
    }
    return out;
}

fit::Parameter read_parameter(TomlTable table) {
    fit::Parameter out{.name = required_text(table, "name")};
    if (const auto bounds = table.numbers("bounds", 2)) {
        out.bounds = pair_of(*bounds);
    }
    if (const auto scale = table.choice("transform", kScales)) {
        out.scale = static_cast<scene::Scale>(*scale);
    }
    out.start = table.numbers("start");
    out.tied = table.texts("tied");
    out.prior = read_prior(table);
    table.require_no_others();
    return out;
}

fit::Exposure read_exposure(TomlTable table) {
    fit::Exposure out;
    out.observation = table.text("target").value_or("");
    set(out.white_balance, table.flag("white_balance"));
    set_bounds(out.bounds, table);
    set(out.start, table.number("start"));
    table.require_no_others();
    return out;
}

fit::LightParameter read_light(TomlTable table) {
    fit::LightParameter out{.light = required_text(table, "light")};
    set(out.color, table.flag("color"));
    set_bounds(out.bounds, table);
    set(out.start, table.number("start"));
    table.require_no_others();
    return out;
}

TextureEntry read_texture(TomlTable table) {
    TextureEntry out{.place = table.place()};
    out.parameter.name = required_text(table, "name");
    set_bounds(out.parameter.bounds, table);
    set(out.parameter.smoothness, table.number("smoothness"));
    if (const auto resolution = table.numbers("resolution", 2)) {
        out.resolution.emplace();
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const double size = (*resolution)[axis];
            const bool is_size = size >= 1 && size <= kMaxTexels && size == std::floor(size);
            if (!is_size) {
                table.fail("resolution", "'resolution' must be two integers from 1 to 65536");
            }
            (*out.resolution)[axis] = static_cast<std::uint32_t>(size);
        }
    }
    out.start = table.numbers("start");
    if (const auto wrap = table.choice("wrap", scene::kTextureWraps)) {
        out.wrap = static_cast<scene::TextureWrap>(*wrap);
    }
    table.require_no_others();
    return out;
}

fit::EnvironmentParameter read_environment(TomlTable table) {
    constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::min(); // require_valid() says
    fit::EnvironmentParameter out;
    set(out.width, table.integer("width", kAny));
    set(out.height, table.integer("height", kAny));
    set(out.smoothness, table.number("smoothness"));
    set(out.name, table.text("name"));
    const std::vector<double> start = table.numbers("start");
    if (start.size() == 1) {
        out.start = {start[0], start[0], start[0]};
    } else if (start.size() == 3) {
        out.start = {start[0], start[1], start[2]};
    } else if (table.find("start") != nullptr) {
        table.fail("start", "'start' must be one or three numbers");
    }
    table.require_no_others();
    try {
        fit::require_valid(out);
    } catch (const core::ArgumentError& error) {
        table.fail({}, error.what());
    }
    return out;
}

void read_settings(TomlTable table, JobText& job) {
    fit::FitSettings& settings = job.settings;
    set(settings.samples, table.integer("samples", 1));
    set(settings.bounces, table.integer("bounces", 1));
    set(settings.seed, table.integer("seed", 0));
    set(settings.tolerance, table.number("tolerance"));
    set(settings.max_iterations, table.integer("max_iterations", 1));
    set(settings.starts, table.integer("starts", 1));
    set(settings.information, table.number("information"));
    job.time_limit = table.number("time_limit");
    if (job.time_limit && !(*job.time_limit >= 0)) {
        table.fail("time_limit", "'time_limit' must be 0 seconds or more");
    }
    set(settings.texture_iterations, table.integer("texture_iterations", 1));
    table.require_no_others();
}

} // namespace

void refuse(const TargetEntry& target, const std::string& what) {
    throw core::ArgumentError(core::text(target.place, ": target '", target.name, "': ", what));
}

JobText read_job_text(const std::filesystem::path& file) {
    const toml::table content = read_toml(file);
    TomlTable top(file, "", content);
    JobText job{.file = file};
    const std::filesystem::path folder = file.parent_path();
    const std::optional<std::string> scene = top.text("scene");
    if (!scene) {
        throw core::ArgumentError(core::text(core::utf8_path(file),
                                             ": the key 'scene' is missing; name a file that "
                                             "weft.Scene.save() has written"));
    }
    job.scene = folder / core::path_from_utf8(*scene);
    for (TomlTable& table : top.tables("targets")) {
        job.targets.push_back(read_target(std::move(table), folder));
    }
    if (job.targets.empty()) {
        throw core::ArgumentError(
            core::text(core::utf8_path(file), ": there is no [[targets]]; add one with 'image'"));
    }
    for (TomlTable& table : top.tables("parameters")) {
        job.parameters.push_back(read_parameter(std::move(table)));
    }
    for (TomlTable& table : top.tables("exposures")) {
        job.exposures.push_back(read_exposure(std::move(table)));
    }
    for (TomlTable& table : top.tables("lights")) {
        job.lights.push_back(read_light(std::move(table)));
    }
    for (TomlTable& table : top.tables("textures")) {
        job.textures.push_back(read_texture(std::move(table)));
    }
    if (auto settings = top.table("settings")) {
        read_settings(std::move(*settings), job);
    }
    if (auto environment = top.table("environment")) {
        job.environment = read_environment(std::move(*environment));
    }
    if (auto report = top.table("report")) {
        static_cast<void>(report->integer("samples", 1)); // of pictures, which only Python draws
        report->require_no_others();
    }
    top.require_no_others();
    return job;
}

} // namespace weft::job
