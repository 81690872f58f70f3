// SPDX-License-Identifier: Apache-2.0
#include "job/toml_table.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace weft::job {

namespace {

using core::ArgumentError;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 24U;

std::string place_of(const std::filesystem::path& file, const toml::node& node) {
    const auto line = node.source().begin.line;
    return line == 0 ? core::utf8_path(file) : core::text(core::utf8_path(file), ':', line);
}

} // namespace

TomlTable::TomlTable(const std::filesystem::path& file, std::string title, const toml::table& table)
    : m_file(file), m_title(std::move(title)), m_table(&table) {}

const toml::node* TomlTable::find(std::string_view key) {
    m_asked.emplace_back(key);
    return m_table->get(key);
}

std::string TomlTable::place(std::string_view key) const {
    const toml::node* const node = key.empty() ? nullptr : m_table->get(key);
    return place_of(m_file, node != nullptr ? *node : *m_table);
}

void TomlTable::fail(std::string_view key, std::string_view what) const {
    throw ArgumentError(core::text(place(key), ": ", what));
}

template <typename T>
std::optional<T> TomlTable::value(std::string_view key, std::string_view wanted) {
    const toml::node* const node = find(key);
    if (node == nullptr) {
        return std::nullopt;
    }
    std::optional<T> out = node->value_exact<T>();
    if (!out) {
        fail(key, core::text("'", key, "' must be ", wanted));
    }
    return out;
}

std::optional<std::string> TomlTable::text(std::string_view key) {
    return value<std::string>(key, "a string");
}

std::optional<bool> TomlTable::flag(std::string_view key) {
    return value<bool>(key, "true or false");
}

std::optional<double> TomlTable::number(std::string_view key) {
    const toml::node* const node = find(key);
    if (node == nullptr) {
        return std::nullopt;
    }
    return number_of(key, *node, "a number");
}

std::optional<std::int64_t> TomlTable::integer(std::string_view key, std::int64_t least) {
    const auto out = value<std::int64_t>(key, "an integer");
    if (out && *out < least) {
        fail(key, core::text("'", key, "' must be ", least, " or more, got ", *out));
    }
    return out;
}

std::vector<double> TomlTable::numbers(std::string_view key) {
    constexpr std::string_view kWanted = "a number or a list of numbers";
    const toml::node* const node = find(key);
    if (node == nullptr) {
        return {};
    }
    std::vector<double> out;
    if (const toml::array* const list = node->as_array()) {
        for (const toml::node& entry : *list) {
            out.push_back(number_of(key, entry, kWanted));
        }
    } else {
        out.push_back(number_of(key, *node, kWanted));
    }
    if (out.empty()) {
        fail(key, core::text("'", key, "' must be ", kWanted));
    }
    return out;
}

std::optional<std::vector<double>> TomlTable::numbers(std::string_view key, std::size_t count) {
    const std::string wanted = core::text("a list of ", count, " numbers");
    const toml::node* const node = find(key);
    if (node == nullptr) {
        return std::nullopt;
    }
    const toml::array* const list = node->as_array();
    if (list == nullptr || list->size() != count) {
        fail(key, core::text("'", key, "' must be ", wanted));
    }
    std::vector<double> out;
    for (const toml::node& entry : *list) {
        out.push_back(number_of(key, entry, wanted));
    }
    return out;
}

std::optional<std::vector<double>> TomlTable::matrix(std::string_view key, std::size_t count) {
    const toml::node* const node = find(key);
    if (node == nullptr) {
        return std::nullopt;
    }
    const std::string wanted = core::text("rows of ", count, " numbers together");
    std::vector<double> out;
    const auto add = [&](const auto& self, const toml::node& entry) -> void {
        if (const toml::array* const list = entry.as_array()) {
            for (const toml::node& inner : *list) {
                self(self, inner);
            }
        } else {
            out.push_back(number_of(key, entry, wanted));
        }
    };
    add(add, *node);
    if (out.size() != count) {
        fail(key, core::text("'", key, "' must be ", wanted, ", got ", out.size()));
    }
    return out;
}

TomlTable TomlTable::within(const toml::table& table, std::string title) const {
    return {m_file, std::move(title), table};
}

const toml::array* TomlTable::list(std::string_view key, bool (toml::node::*accepts)() const,
                                   std::string_view wanted) {
    const toml::node* const node = find(key);
    if (node == nullptr) {
        return nullptr;
    }
    const toml::array* const out = node->as_array();
    const bool is_right =
        out != nullptr && std::ranges::all_of(*out, [accepts](const toml::node& entry) {
            return (entry.*accepts)();
        });
    if (!is_right) {
        fail(key, core::text("'", key, "' must be ", wanted));
    }
    return out;
}

std::vector<std::string> TomlTable::texts(std::string_view key) {
    std::vector<std::string> out;
    if (const toml::array* const found = list(key, &toml::node::is_string, "a list of strings")) {
        for (const toml::node& entry : *found) {
            out.push_back(**entry.as_string());
        }
    }
    return out;
}

std::optional<std::size_t> TomlTable::choice(std::string_view key,
                                             std::span<const std::string_view> words) {
    const std::optional<std::string> word = text(key);
    if (!word) {
        return std::nullopt;
    }
    const auto found = std::ranges::find(words, *word);
    if (found == words.end()) {
        fail(key, core::text("'", key, "' must be one of ",
                             core::join(std::vector<std::string>(words.begin(), words.end()), ", "),
                             ", got '", *word, "'"));
    }
    return static_cast<std::size_t>(found - words.begin());
}

std::optional<TomlTable> TomlTable::table(std::string_view key) {
    const toml::node* const node = find(key);
    if (node == nullptr) {
        return std::nullopt;
    }
    if (!node->is_table()) {
        fail(key, core::text("'", key, "' must be a table, written [", key, "]"));
    }
    return TomlTable(m_file, core::text('[', key, ']'), *node->as_table());
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
    const std::string title = core::text("[[", key, "]]");
    std::vector<TomlTable> out;
    if (const toml::array* const found =
            list(key, &toml::node::is_table, core::text("a table, written ", title))) {
        for (const toml::node& entry : *found) {
            out.push_back(within(*entry.as_table(), title));
        }
    }
    return out;
}

double TomlTable::number_of(std::string_view key, const toml::node& node,
                            std::string_view wanted) const {
    if (const auto* const integer = node.as_integer()) {
        return static_cast<double>(**integer);
    }
    const auto* const number = node.as_floating_point();
    if (number == nullptr) {
        fail(key, core::text("'", key, "' must be ", wanted));
    }
    return **number;
}

void TomlTable::refuse(std::string_view key, std::string_view why) {
    if (find(key) != nullptr) {
        fail(key, why);
    }
}

void TomlTable::require_no_others() const {
    for (const auto& [key, node] : *m_table) {
        if (std::ranges::find(m_asked, key.str()) == m_asked.end()) {
            const std::string title = m_title.empty() ? "a job" : m_title;
            throw ArgumentError(core::text(place_of(m_file, node), ": there is no key '", key.str(),
                                           "' in ", title, "; it has ", core::join(m_asked, ", ")));
        }
    }
}

toml::table read_toml(const std::filesystem::path& file) {
    const std::string name = core::utf8_path(file);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) {
        throw ArgumentError(core::text("fit: there is no file '", name, "'; check the path"),
                            ArgumentError::Kind::not_found);
    }
    const auto bytes = core::try_read_file(file, kMaxBytes);
    if (!bytes) {
        throw ArgumentError(core::text("fit: '", name, "' cannot be read, or has more than ",
                                       kMaxBytes >> 20U, " MB, which no job has"));
    }
    try {
        return toml::parse(
            std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()), name);
    } catch (const toml::parse_error& error) {
        const auto& begin = error.source().begin;
        throw ArgumentError(core::text(name, ':', begin.line, ':', begin.column,
                                       ": invalid TOML: ", error.description()));
    }
}

} // namespace weft::job
