// SPDX-License-Identifier: Apache-2.0
#include "job/read_lights.hpp"

#include "core/file.hpp"
#include "core/text.hpp"
#include "scene/light_kinds.hpp"
#include "scene/ray_kinds.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace weft::job {

namespace {

constexpr std::array<std::string_view, 2> kSpaces{"world", "camera"};

using AnalyticLight = decltype(scene::Light::kind);

/// A light of each kind.
template <std::size_t... kPlaces>
std::array<AnalyticLight, sizeof...(kPlaces)>
analytic_lights(std::index_sequence<kPlaces...> /*places*/) {
    return {AnalyticLight(std::in_place_index<kPlaces>)...};
}

const auto& all_analytic_lights() {
    static const auto known =
        analytic_lights(std::make_index_sequence<std::variant_size_v<AnalyticLight>>());
    return known;
}

std::string kind_of(const AnalyticLight& light) {
    return std::visit(
        [](const auto& own) { return scene::kind_of_light(std::decay_t<decltype(own)>::kName); },
        light);
}

/// The light that `kind` names, as it is made.
AnalyticLight read_kind(TomlTable& table) {
    std::vector<std::string> kinds;
    std::ranges::transform(all_analytic_lights(), std::back_inserter(kinds), kind_of);
    const std::vector<std::string_view> words(kinds.begin(), kinds.end());
    const std::optional<std::size_t> kind = table.choice("kind", words);
    if (!kind) {
        table.fail(
            {}, core::text("a light in 'lights' needs 'kind', one of ", core::join(kinds, ", ")));
    }
    return all_analytic_lights().at(*kind);
}

void read_member(TomlTable& table, std::string_view key, double& into) {
    into = table.number(key).value_or(into);
}

void read_member(TomlTable& table, std::string_view key, bool& into) {
    into = table.flag(key).value_or(into);
}

void read_member(TomlTable& table, std::string_view key, scene::AreaShape& into) {
    if (const auto shape = table.choice(key, scene::kAreaShapes)) {
        into = static_cast<scene::AreaShape>(*shape);
    }
}

template <std::size_t kCount>
void read_member(TomlTable& table, std::string_view key, std::array<double, kCount>& into) {
    if (const auto numbers = table.matrix(key, kCount)) {
        std::ranges::copy(*numbers, into.begin());
    }
}

LightEntry read_light(TomlTable table) {
    LightEntry out;
    out.light.kind = read_kind(table);
    out.is_at_camera = table.choice("space", kSpaces).value_or(0) == 1;
    std::visit(
        [&table](auto& light) {
            std::apply(
                [&](const auto&... field) {
                    (read_member(table, field.name, light.*(field.member)), ...);
                },
                light.fields());
        },
        out.light.kind);
    out.light.name = table.text("name").value_or(kind_of(out.light.kind));
    out.light.casts_shadow = table.flag("casts_shadow").value_or(true);
    out.light.hidden_from =
        scene::ray_kinds(core::text(table.place("hidden_from"), ": ", scene::described(out.light)),
                         table.texts("hidden_from"), scene::kLightRayKinds);
    table.refuse("profile", "a profile cannot stand in a job; give the light to the scene");
    table.require_no_others();
    return out;
}

scene::Rgb strength_of(TomlTable& table) {
    const std::vector<double> numbers = table.numbers("strength");
    if (numbers.empty()) {
        return {1, 1, 1};
    }
    if (numbers.size() != 1 && numbers.size() != 3) {
        table.fail("strength", "'strength' must be one number, or three");
    }
    return {numbers[0], numbers[numbers.size() / 2], numbers.back()};
}

} // namespace

void read_lights(TomlTable& table, TargetEntry& target) {
    constexpr std::string_view kWanted =
        "'lights' must be a list of names and of tables with 'kind'";
    const toml::node* const node = table.find("lights");
    if (node == nullptr) {
        return;
    }
    const toml::array* const list = node->as_array();
    if (list == nullptr) {
        table.fail("lights", kWanted);
    }
    target.shining.emplace();
    for (const toml::node& entry : *list) {
        if (entry.is_string()) {
            target.shining->push_back(**entry.as_string());
        } else if (entry.is_table()) {
            target.own_lights.push_back(read_light(table.within(*entry.as_table(), "a light")));
        } else {
            table.fail("lights", kWanted);
        }
    }
}

std::optional<WorldEntry> read_world(TomlTable& table, const std::filesystem::path& folder) {
    const toml::node* const node = table.find("world");
    if (node == nullptr) {
        return std::nullopt;
    }
    WorldEntry out;
    if (node->is_string()) {
        out.image = folder / core::path_from_utf8(**node->as_string());
        return out;
    }
    if (const toml::table* const inner = node->as_table()) {
        TomlTable world = table.within(*inner, "world");
        const std::optional<std::string> image = world.text("image");
        if (!image) {
            world.fail({}, "'world' needs 'image', the name of a file");
        }
        out.image = folder / core::path_from_utf8(*image);
        out.strength = strength_of(world);
        read_member(world, "rotation", out.rotation);
        out.name = world.text("name").value_or(out.name);
        world.require_no_others();
        return out;
    }
    if (table.flag("world").value_or(true)) {
        table.fail("world",
                   "'world' must be false, the name of an image file, or a table with 'image'");
    }
    return out;
}

} // namespace weft::job
