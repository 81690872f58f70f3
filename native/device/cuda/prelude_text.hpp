// SPDX-License-Identifier: Apache-2.0
// What of C++ has to be read to tell the declarations of Slang's prelude apart.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace weft::device::cuda {

using Names = std::unordered_set<std::string>;

/// The end of the line at `at`, its newline included, and of those that it continues on.
[[nodiscard]] std::size_t directive_end(std::string_view text, std::size_t at);
/// 1 if a line opens a conditional, -1 if it closes one, else 0.
[[nodiscard]] int conditional_step(std::string_view line);

/// A text without the branches that `#if NAME`, `#ifdef NAME` and their opposites leave out, if the name is known. An
/// #elif behind one is not understood; the prelude has none.
[[nodiscard]] std::string without_dead_branches(std::string_view text, const Names& defined,
                                                const Names& undefined);

/// A directive, or a declaration.
struct Item {
    std::string text;
    Names provides; ///< any of these leads to it; empty: it always stays
    Names
        takes; ///< vectors like "float3", of which one has to be in use as well; empty: nothing has
    Names mentions; ///< what it leads to
};

/// The macros of a text. Where a name has several definitions, all of them are taken.
class Macros {
public:
    explicit Macros(std::string_view text);

    /// Whether it is a macro with parameters.
    [[nodiscard]] bool contains(std::string_view name) const;
    /// Whether it is one without, for calls of those with.
    [[nodiscard]] bool is_list(std::string_view name) const;
    /// Whether expand() gives exactly what the compiler takes a call for.
    [[nodiscard]] bool is_plain(std::string_view name) const;
    /// What a call stands for, the macros within it left. @param call: "NAME(a, b)", or "NAME" of is_list()
    [[nodiscard]] std::string expand(std::string_view call) const;
    /// All identifiers of a text, and of what its macros stand for.
    void add_names(std::string_view text, Names& out, int depth = 0) const;

private:
    struct Macro {
        std::vector<std::string> parameters;
        std::string body; ///< its own: the text may go
    };
    std::unordered_map<std::string, std::vector<Macro>> m_macros;
    std::unordered_map<std::string, std::string> m_plain; ///< bodies of those without parameters
};

/// The parts of a text in order, calls of macros between them replaced by the declarations that they stand for; nullopt
/// if they cannot be told apart.
[[nodiscard]] std::optional<std::vector<Item>> split(std::string_view text, const Macros& macros);

} // namespace weft::device::cuda
