// SPDX-License-Identifier: Apache-2.0
// From a scene to the members of a file, as Python writes them: fields in the order of its classes, so that what the text
// numbers it numbers alike.
#pragma once

#include "scene_files/archive.hpp"
#include "scene_files/scene_file.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::scene_files {

using Json = nlohmann::json;

/// Gathers objects and arrays. What it is given outlives it.
class Writer {
public:
    /// @throws ArgumentError for what cannot be stored.
    [[nodiscard]] Json parts(const SceneFile& file);
    /// The objects that were gathered, those that others refer to first.
    [[nodiscard]] Json take_objects() { return std::move(m_objects); }
    /// The arrays that were gathered, by their names.
    [[nodiscard]] std::vector<NewMember> take_arrays();
    [[nodiscard]] std::span<const scene::SlangCall* const> calls() const { return m_calls; }

private:
    // What lies where others refer to it: one object of the file.
    Json surface(const scene::SurfaceRef& surface);
    Json material(const scene::MaterialRef& material);
    Json mesh(const scene::MeshRef& mesh);
    Json profile(const std::shared_ptr<const scene::LightProfile>& profile);
    Json environment(const scene::Environment& environment);
    Json object(const scene::Object& object);
    Json light(const scene::Light& light);
    Json camera(const scene::Camera& camera);
    Json light_paths(const scene::LightPaths& limits);
    Json value(const scene::Value& value);
    Json named(const scene::NamedValues& values);
    Json texture(const scene::Texture& texture);
    Json call(const scene::SlangCall& call);
    Json normal_map(const scene::NormalMap& map);
    Json bump(const scene::Bump& bump);
    Json indexed(std::string_view type, std::uint32_t index);

    /// An object by its address: `fields` is called for the first reference to it.
    template <typename Fields>
    Json shared(const void* address, std::string_view type, const Fields& fields);
    Json add(std::string_view type, Json fields);

    template <typename T>
    Json array(std::span<const T> numbers, std::vector<std::uint64_t> shape,
               const std::shared_ptr<const void>& owner = {});
    Json transform(const std::array<double, 12>& rows);
    Json matrix(std::span<const double> numbers, std::vector<std::uint64_t> shape);
    Json sets(const std::vector<scene::AttributeSet>& sets, std::size_t triangles,
              std::size_t width);

    Json m_objects = Json::array();
    std::unordered_map<const void*, std::size_t> m_numbers;
    std::map<std::pair<std::string_view, std::uint32_t>, std::size_t> m_indexed;
    std::map<std::string, NewMember> m_arrays;
    std::vector<const scene::SlangCall*> m_calls;
};

/// A number, or what stands for one that JSON has not.
[[nodiscard]] Json number_json(double number);

template <typename Fields>
Json Writer::shared(const void* address, std::string_view type, const Fields& fields) {
    const auto found = m_numbers.find(address);
    if (found != m_numbers.end()) {
        return {{"ref", found->second}};
    }
    Json made = add(type, fields());
    m_numbers.emplace(address, made.at("ref").template get<std::size_t>());
    return made;
}

} // namespace weft::scene_files
