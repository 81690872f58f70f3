// SPDX-License-Identifier: Apache-2.0
#include "scene_files/fields.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/material_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace weft::scene_files {

using core::ArgumentError;
using core::text;

namespace {

constexpr std::size_t kMaxQuotedLetters = 120; // characters that a message quotes
constexpr std::size_t kMaxDimensions = 4;
constexpr std::uint64_t kMaxWeight = std::uint64_t{1} << 20U;
constexpr std::size_t kMaxDepth = 2 * scene::kMaxNesting; // of surfaces, and of values below

std::string name_of(const Json& fields) {
    const auto found = fields.find("name");
    return found != fields.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// What {"kind": content} has; nullptr: `json` is nothing of the kind.
const Json* tagged(const Json& json, const char* kind) {
    if (!json.is_object() || json.size() != 1 || json.begin().key() != kind) {
        return nullptr;
    }
    return &json.begin().value();
}

bool is_list_of_numbers(const Json& list) {
    return std::ranges::all_of(list,
                               [](const Json& entry) { return number_of(entry).has_value(); });
}

/// Appends the numbers of nested lists, and finds the shape along the first of each.
void gather(const Json& json, std::size_t axis, std::vector<std::uint64_t>& shape,
            std::vector<double>& numbers) {
    if (const auto number = number_of(json)) {
        numbers.push_back(*number);
        return;
    }
    if (!json.is_array() || axis >= kMaxDimensions) {
        throw std::runtime_error(text("numbers were expected, got ", shown(json)));
    }
    if (axis == shape.size()) {
        shape.push_back(json.size());
    }
    if (json.size() != shape[axis]) {
        throw std::runtime_error("the rows of a list differ in length");
    }
    for (const Json& entry : json) {
        gather(entry, axis + 1, shape, numbers);
    }
}

/// The beginning of a text, without a part of a letter.
std::string shortened(const std::string& long_text) {
    const auto is_continued = [](char letter) {
        return (static_cast<unsigned char>(letter) & 0xC0U) == 0x80U;
    };
    std::size_t end = kMaxQuotedLetters;
    while (end > 0 && is_continued(long_text[end])) {
        --end;
    }
    return text(long_text.substr(0, end), "... (", long_text.size(), " characters)");
}

bool is_short_list_of_numbers(const Json& json) {
    return json.is_array() && json.size() <= kMaxQuotedLetters && is_list_of_numbers(json);
}

} // namespace

std::string shown(const Json& json) {
    std::string out;
    if (json.is_string()) {
        out = scene::quoted_text(json.get_ref<const std::string&>());
    } else if (json.is_boolean()) {
        out = json.get<bool>() ? "True" : "False";
    } else if (json.is_null()) {
        out = "None";
    } else if (json.is_number()) {
        out = json.dump();
    } else if (is_short_list_of_numbers(json)) {
        std::vector<std::string> entries;
        std::ranges::transform(json, std::back_inserter(entries), shown);
        out = text("[", core::join(entries, ", "), "]");
    } else {
        // Whatever lies in it may be deep.
        return json.is_array() ? text("a list of ", json.size())
                               : text("a mapping of ", json.size());
    }
    return out.size() > kMaxQuotedLetters ? shortened(out) : out;
}

const Json& require_member(const Json& json, std::string_view name) {
    const auto found = json.is_object() ? json.find(name) : json.end();
    if (!json.is_object() || found == json.end()) {
        throw std::runtime_error(text("'", name, "'")); // as Python names a key that there is not
    }
    return *found;
}

std::optional<double> number_of(const Json& json) {
    if (json.is_number()) {
        return json.get<double>();
    }
    if (json.is_boolean()) {
        return json.get<bool>() ? 1.0 : 0.0;
    }
    const Json* const named = tagged(json, "float");
    if (named == nullptr || !named->is_string()) {
        return std::nullopt;
    }
    const auto& name = named->get_ref<const std::string&>();
    if (name == "nan") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (name == "inf" || name == "-inf") {
        const double infinity = std::numeric_limits<double>::infinity();
        return name == "inf" ? infinity : -infinity;
    }
    return std::nullopt;
}

Fields::Fields(std::string type, const Json& fields, Context& context)
    : m_owner(std::move(type)), m_fields(fields), m_context(context) {
    if (!fields.is_object()) {
        throw std::runtime_error(core::text("the fields of a ", m_owner, " are ", shown(fields)));
    }
    if (const std::string name = name_of(fields); !name.empty()) {
        m_owner += core::text(" '", name, "'");
    }
}

const Json* Fields::find(std::string_view name) {
    const auto found = m_fields.find(name);
    if (found == m_fields.end()) {
        return nullptr;
    }
    m_known.push_back(name);
    return found->is_null() ? nullptr : &*found;
}

const Json& Fields::require(std::string_view name) {
    const Json* const found = find(name);
    if (found == nullptr) {
        throw std::runtime_error(core::text(m_owner, " has no '", name, "'"));
    }
    return *found;
}

void Fields::refuse(std::string_view what, std::string_view came) const {
    throw std::runtime_error(core::text(m_owner, ": ", what, " was expected, got ", came));
}

void Fields::refuse_member(std::string_view name, std::string_view expected,
                           const Json& came) const {
    throw std::runtime_error(
        core::text(m_owner, ": ", name, " must be ", expected, ", got ", shown(came)));
}

double Fields::number(std::string_view name, double standard) {
    return m_fields.contains(name) ? optional_number(name).value_or(standard) : standard;
}

std::optional<double> Fields::optional_number(std::string_view name) {
    const Json* const json = find(name);
    if (json == nullptr) {
        return std::nullopt;
    }
    const auto number = number_of(*json);
    if (!number) {
        refuse_member(name, "a number", *json);
    }
    return number;
}

bool Fields::truth(std::string_view name, bool standard) {
    const Json* const json = find(name);
    if (json == nullptr) {
        return standard;
    }
    const auto number = number_of(*json);
    if (!number) {
        refuse_member(name, "True or False", *json);
    }
    return *number != 0;
}

std::int64_t Fields::integer(std::string_view name, std::optional<std::int64_t> standard) {
    const Json* const json = standard ? find(name) : &require(name);
    if (json == nullptr) {
        return *standard;
    }
    // Larger ones are no int64.
    if (!json->is_number_integer() ||
        (json->is_number_unsigned() && json->get<std::uint64_t>() > std::uint64_t{1} << 62U)) {
        refuse_member(name, "a whole number", *json);
    }
    return json->get<std::int64_t>();
}

std::uint32_t Fields::position(std::string_view name, std::optional<std::int64_t> standard) {
    const std::int64_t index = integer(name, standard);
    if (index < 0 || index >= std::int64_t{1} << 31U) {
        throw ArgumentError(core::text(m_owner, ": the index must be an integer from 0, got ",
                                       index, "; it counts the mesh's own from 0"));
    }
    return static_cast<std::uint32_t>(index);
}

std::string Fields::text(std::string_view name, std::optional<std::string> standard) {
    const Json* const json = standard ? find(name) : &require(name);
    if (json == nullptr) {
        return *standard;
    }
    if (!json->is_string()) {
        refuse_member(name, "a text", *json);
    }
    return json->get<std::string>();
}

std::vector<std::string> Fields::texts(std::string_view name) {
    const Json* const json = find(name);
    std::vector<std::string> out;
    if (json == nullptr) {
        return out;
    }
    if (!json->is_array()) {
        refuse_member(name, "a list of texts", *json);
    }
    for (const Json& entry : *json) {
        if (!entry.is_string()) {
            refuse_member(name, "a list of texts", entry);
        }
        out.push_back(entry.get<std::string>());
    }
    return out;
}

std::size_t Fields::choice(std::string_view name, std::span<const std::string_view> names) {
    const Json* const json = find(name);
    if (json == nullptr) {
        return 0;
    }
    const auto found = json->is_string()
                           ? std::ranges::find(names, json->get_ref<const std::string&>())
                           : names.end();
    if (found == names.end()) {
        const std::vector<std::string> known(names.begin(), names.end());
        refuse_member(name, core::text("one of ", core::join(known, ", ")), *json);
    }
    return static_cast<std::size_t>(found - names.begin());
}

NumberArray Fields::numbers_of(const Json& json) {
    if (const Json* const name = tagged(json, "array"); name != nullptr && name->is_string()) {
        return m_context.archive.array(name->get_ref<const std::string&>() + ".npy");
    }
    std::vector<std::uint64_t> shape;
    std::vector<double> numbers;
    gather(json, 0, shape, numbers);
    return array_of(std::move(numbers), std::move(shape));
}

std::optional<NumberArray> Fields::numbers(std::string_view name) {
    const Json* const json = find(name);
    return json == nullptr ? std::nullopt : std::optional(numbers_of(*json));
}

NumberArray Fields::require_numbers(std::string_view name) {
    return numbers_of(require(name));
}

std::vector<std::pair<std::string, const Json*>> Fields::map(std::string_view name) {
    std::vector<std::pair<std::string, const Json*>> pairs;
    std::unordered_map<std::string, std::size_t> known;
    const Json* const json = find(name);
    if (json == nullptr) {
        return pairs;
    }
    const Json* const list = tagged(*json, "map");
    if (list == nullptr || !list->is_array()) {
        refuse_member(name, "a mapping", *json);
    }
    for (const Json& pair : *list) {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string()) {
            refuse_member(name, "a mapping of names", pair);
        }
        const auto [at, is_new] = known.try_emplace(pair[0].get<std::string>(), pairs.size());
        if (is_new) {
            pairs.emplace_back(at->first, &pair[1]);
        } else {
            pairs[at->second].second = &pair[1]; // as Python's dictionaries
        }
    }
    return pairs;
}

const Entry& Fields::entry_of(const Json& json) {
    const Json* const number = tagged(json, "ref");
    const std::vector<Entry>& entries = m_context.entries;
    if (number == nullptr) {
        refuse("a reference to an object", shown(json));
    }
    if (!number->is_number_integer() || *number < 0 || *number >= entries.size()) {
        throw std::runtime_error(
            core::text("a reference is to object ", shown(*number), ", not to one before it"));
    }
    const Entry& entry = entries[number->get<std::size_t>()];
    m_depth = std::max(m_depth, entry.depth + 1);
    m_weight += entry.weight;
    if (m_depth > kMaxDepth || m_weight > kMaxWeight) {
        throw ArgumentError(core::text("Material: parts lie more than ", kMaxDepth,
                                       " deep in each other, or are more than ", kMaxWeight,
                                       "; nest fewer"));
    }
    return entry;
}

scene::Value Fields::value_of(const Json& json) {
    if (const auto number = number_of(json)) {
        return *number;
    }
    if (json.is_array() && is_list_of_numbers(json)) {
        scene::Numbers numbers;
        std::ranges::transform(json, std::back_inserter(numbers),
                               [](const Json& entry) { return *number_of(entry); });
        return numbers;
    }
    if (const Json* const name = tagged(json, "attribute"); name != nullptr && name->is_string()) {
        for (std::size_t k = 0; k < scene::kAttributes; ++k) {
            const auto attribute = static_cast<scene::Attribute>(k);
            if (scene::attribute_info(attribute).name == name->get_ref<const std::string&>()) {
                return attribute;
            }
        }
        throw std::runtime_error(shown(*name));
    }
    if (tagged(json, "ref") != nullptr) {
        return reference_of<scene::Value>(json, "a value");
    }
    throw ArgumentError(core::text("Material: a value must be numbers, a texture, an attribute or "
                                   "a function, got ",
                                   shown(json)));
}

scene::Value Fields::value(std::string_view name) {
    return value_of(require(name));
}

std::optional<scene::Value> Fields::optional_value(std::string_view name) {
    const Json* const json = find(name);
    return json == nullptr ? std::nullopt : std::optional(value_of(*json));
}

scene::NamedValues Fields::values(std::string_view name) {
    scene::NamedValues out;
    for (auto& [key, json] : map(name)) {
        out.emplace_back(std::move(key), value_of(*json));
    }
    return out;
}

std::array<double, 12> Fields::transform(std::string_view name,
                                         const std::array<double, 12>* standard) {
    const auto given = standard == nullptr ? require_numbers(name) : numbers(name);
    if (!given) {
        return *standard;
    }
    const scene::MeshArray<double> matrix = converted<double>(*given);
    const bool fits = given->has_shape({3, 4}) || given->has_shape({4, 4});
    if (!fits || !std::ranges::all_of(matrix.values, [](double x) { return std::isfinite(x); })) {
        throw ArgumentError(core::text(m_owner, ": ", name,
                                       " must be a finite (4, 4) or (3, 4) matrix, got shape ",
                                       given->shape_text()));
    }
    std::array<double, 12> rows{};
    std::copy_n(matrix.values.begin(), rows.size(), rows.begin());
    return rows;
}

void Fields::charge(std::uint64_t bytes) {
    if (bytes > m_context.room) {
        throw std::runtime_error("its objects are listed far more often than a scene needs");
    }
    m_context.room -= bytes;
}

void Fields::require_no_more() const {
    for (const auto& [name, content] : m_fields.items()) {
        if (std::ranges::find(m_known, name) == m_known.end()) {
            throw std::runtime_error(core::text(m_owner, " has no field ", shown(Json(name))));
        }
    }
}

} // namespace weft::scene_files
