// SPDX-License-Identifier: Apache-2.0
// One object of a file's text: its members by name and type, and the objects before it that it refers to.
#pragma once

#include "scene_files/archive.hpp"
#include "scene_files/scene_file.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::scene_files {

using Json = nlohmann::json;

using EnvironmentRef = std::shared_ptr<const scene::Environment>;
using LightProfileRef = std::shared_ptr<const scene::LightProfile>;

/// What an object of a file is.
using Made = std::variant<scene::Value, scene::SurfaceRef, scene::MaterialRef, scene::MeshRef,
                          scene::Object, scene::Light, scene::Camera, LightProfileRef,
                          EnvironmentRef, scene::LightPaths, Problem>;

/// An object that was read.
struct Entry {
    std::string type; ///< "Mesh"
    Made made;
    std::size_t depth = 0; ///< how deep parts of materials lie in each other
    std::uint64_t weight =
        0; ///< how many there are, those that are shared as often as they are met
};

/// All that fields refer to. One file's.
struct Context {
    ArchiveReader& archive;
    std::vector<Entry> entries{};
    /// Bytes that copies of objects may still take: a short text may name one object many times.
    std::uint64_t room = 0;
};

/// The members of an object. Each getter marks its member as known; a value of another type is a std::runtime_error or an
/// ArgumentError that says what was expected.
class Fields {
public:
    /// @param type of the object, for messages. All outlive the fields.
    /// @throws std::runtime_error if `fields` is no object.
    Fields(std::string type, const Json& fields, Context& context);

    /// "PointLight 'key'": the type, and the name if there is one.
    [[nodiscard]] const std::string& owner() const noexcept { return m_owner; }
    /// nullptr: there is none, or it is null.
    [[nodiscard]] const Json* find(std::string_view name);
    /// @throws std::runtime_error if there is none.
    [[nodiscard]] const Json& require(std::string_view name);

    // Those with a standard return it if there is no such member.
    [[nodiscard]] double number(std::string_view name, double standard);
    [[nodiscard]] std::optional<double> optional_number(std::string_view name);
    [[nodiscard]] bool truth(std::string_view name, bool standard);
    [[nodiscard]] std::int64_t integer(std::string_view name, std::optional<std::int64_t> standard);
    /// A position among what a mesh has. @throws ArgumentError if it is none.
    [[nodiscard]] std::uint32_t position(std::string_view name,
                                         std::optional<std::int64_t> standard);
    [[nodiscard]] std::string text(std::string_view name, std::optional<std::string> standard = {});
    [[nodiscard]] std::vector<std::string> texts(std::string_view name);
    /// One of `names`, by its place. @throws std::runtime_error that lists them.
    [[nodiscard]] std::size_t choice(std::string_view name,
                                     std::span<const std::string_view> names);
    [[nodiscard]] std::optional<NumberArray> numbers(std::string_view name);
    [[nodiscard]] NumberArray require_numbers(std::string_view name);
    /// Pairs of a mapping, in their order.
    [[nodiscard]] std::vector<std::pair<std::string, const Json*>> map(std::string_view name);
    [[nodiscard]] scene::Value value(std::string_view name);
    [[nodiscard]] std::optional<scene::Value> optional_value(std::string_view name);
    [[nodiscard]] scene::NamedValues values(std::string_view name);
    /// The rows of a transform, (3, 4) or (4, 4). @param standard if there is none, or it is null.
    [[nodiscard]] std::array<double, 12> transform(std::string_view name,
                                                   const std::array<double, 12>* standard);

    /// An object before this one. T: an alternative of Made.
    template <typename T>
    [[nodiscard]] const T& reference_of(const Json& json, std::string_view what) {
        const Entry& entry = entry_of(json);
        const T* const made = std::get_if<T>(&entry.made);
        if (made == nullptr) {
            refuse(what, entry.type);
        }
        return *made;
    }
    template <typename T>
    [[nodiscard]] const T& reference(std::string_view name, std::string_view what) {
        return reference_of<T>(require(name), what);
    }
    /// nullptr: there is none.
    template <typename T>
    [[nodiscard]] const T* optional_reference(std::string_view name, std::string_view what) {
        const Json* const json = find(name);
        return json == nullptr ? nullptr : &reference_of<T>(*json, what);
    }

    [[nodiscard]] scene::Value value_of(const Json& json);
    [[nodiscard]] NumberArray numbers_of(const Json& json);
    /// Takes from the room for copies. @throws std::runtime_error if it does not suffice.
    void charge(std::uint64_t bytes);
    /// @throws std::runtime_error if there is a member that nobody asked for.
    void require_no_more() const;

    [[nodiscard]] std::size_t depth() const noexcept { return m_depth; }
    [[nodiscard]] std::uint64_t weight() const noexcept { return m_weight; }

private:
    const Entry& entry_of(const Json& json);
    [[noreturn]] void refuse(std::string_view what, std::string_view came) const;
    [[noreturn]] void refuse_member(std::string_view name, std::string_view expected,
                                    const Json& came) const;

    std::string m_owner;
    const Json& m_fields;
    Context& m_context;
    std::vector<std::string_view> m_known;
    std::size_t m_depth = 0;
    std::uint64_t m_weight = 1;
};

/// A value of JSON as messages quote it: as Python shows it, shortened if it is long.
[[nodiscard]] std::string shown(const Json& json);
/// @throws std::runtime_error that names the key if `json` is no object or has none.
[[nodiscard]] const Json& require_member(const Json& json, std::string_view name);
/// A number, true or false, or {"float": "inf"} and the like; not set: it is something else.
[[nodiscard]] std::optional<double> number_of(const Json& json);

// Readers of objects, by what they are.
[[nodiscard]] scene::MeshRef read_mesh(Fields& fields);
[[nodiscard]] scene::Object read_object(Fields& fields);
[[nodiscard]] scene::Camera read_camera(Fields& fields);
[[nodiscard]] scene::Light read_light(std::string_view type, Fields& fields);
[[nodiscard]] LightProfileRef read_profile(Fields& fields);
[[nodiscard]] EnvironmentRef read_environment(Fields& fields);
[[nodiscard]] scene::LightPaths read_light_paths(Fields& fields);
/// @param type a class of values or surfaces; not set: it is none.
[[nodiscard]] std::optional<Made> read_part(std::string_view type, Fields& fields);
[[nodiscard]] scene::MaterialRef read_material(Fields& fields);

} // namespace weft::scene_files
