// SPDX-License-Identifier: Apache-2.0
// Tables of a TOML file, read key by key: a wrong one is told with file and line, and so is one that nobody asked for.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::job {

/// One table of a file. Getters return what stands there, or nothing where the key is absent.
/// All throw ArgumentError that begins with "<file>:<line>: " for a value of another kind.
class TomlTable {
public:
    /// @param title what messages call it: "[settings]". @param table of the file; it outlives this.
    TomlTable(const std::filesystem::path& file, std::string title, const toml::table& table);

    [[nodiscard]] std::optional<std::string> text(std::string_view key);
    [[nodiscard]] std::optional<bool> flag(std::string_view key);
    /// A finite or infinite number.
    [[nodiscard]] std::optional<double> number(std::string_view key);
    /// An integer of at least `least`.
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, std::int64_t least);
    /// One number, or a list of them.
    [[nodiscard]] std::vector<double> numbers(std::string_view key);
    /// A list of numbers of this length.
    [[nodiscard]] std::optional<std::vector<double>> numbers(std::string_view key,
                                                             std::size_t count);
    /// The same, in any nesting of lists: rows of a matrix.
    [[nodiscard]] std::optional<std::vector<double>> matrix(std::string_view key,
                                                            std::size_t count);
    [[nodiscard]] std::vector<std::string> texts(std::string_view key);
    /// One of a list of words, by its place there.
    [[nodiscard]] std::optional<std::size_t> choice(std::string_view key,
                                                    std::span<const std::string_view> words);
    /// The value as it stands; nullptr: absent. For what has several kinds.
    [[nodiscard]] const toml::node* find(std::string_view key);
    [[nodiscard]] std::optional<TomlTable> table(std::string_view key);
    /// A table that stands in a list of this one, which find() has found. @param title what messages call it.
    [[nodiscard]] TomlTable within(const toml::table& table, std::string title) const;
    /// Of [[key]], in order.
    [[nodiscard]] std::vector<TomlTable> tables(std::string_view key);

    /// @throws ArgumentError that says why, if the key is there.
    void refuse(std::string_view key, std::string_view why);
    /// @throws ArgumentError with all keys that there are, if the table has one that nobody asked for.
    void require_no_others() const;

    /// "job.toml:12": of a key, or of the table where it has no such key.
    [[nodiscard]] std::string place(std::string_view key = {}) const;
    /// @throws ArgumentError: "<place of the key>: <what>".
    [[noreturn]] void fail(std::string_view key, std::string_view what) const;

private:
    template <typename T>
    std::optional<T> value(std::string_view key, std::string_view wanted);
    /// A list whose entries are all of a kind; nullptr: the key is absent. @param wanted completes "must be".
    const toml::array* list(std::string_view key, bool (toml::node::*accepts)() const,
                            std::string_view wanted);
    double number_of(std::string_view key, const toml::node& node, std::string_view wanted) const;

    std::filesystem::path m_file;
    std::string m_title;
    const toml::table* m_table;
    std::vector<std::string> m_asked;
};

/// The file's text as tables.
/// @throws ArgumentError if there is no such file, it has more than 16 MB, or it is invalid TOML.
[[nodiscard]] toml::table read_toml(const std::filesystem::path& file);

} // namespace weft::job
