// SPDX-License-Identifier: Apache-2.0
#include "scene/parameter_names.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/material_checks.hpp"
#include "scene/text_scan.hpp"

#include <algorithm>
#include <array>

namespace weft::scene {

namespace {

constexpr std::string_view kSpecial = ".\"\\[]:@";
constexpr std::array<std::pair<char, char>, 3> kEscapes{{{'n', '\n'}, {'t', '\t'}, {'r', '\r'}}};

bool needs_quotes(std::string_view part) {
    const auto is_special = [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return byte < 0x20U || byte == 0x7FU || kSpecial.find(letter) != std::string_view::npos;
    };
    return part.empty() || std::ranges::any_of(part, is_special) || space_at(part, 0) > 0 ||
           space_before(part, part.size()) > 0;
}

struct Part {
    std::string text;
    std::size_t end; ///< in the name
};

/// Where a part that begins with a quote ends, after its last quote; npos: it does not.
std::size_t end_of_quoted(std::string_view name, std::size_t begin) {
    for (std::size_t at = begin + 1; at < name.size(); at++) {
        if (name[at] == '\\') {
            at++;
        } else if (name[at] == '"') {
            return at + 1;
        }
    }
    return std::string_view::npos;
}

std::string unescaped(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); at++) {
        if (text[at] != '\\') {
            result += text[at];
            continue;
        }
        at++;
        const auto known = std::ranges::find(kEscapes, text[at], &std::pair<char, char>::first);
        result += known == kEscapes.end() ? text[at] : known->second;
    }
    return result;
}

Part part_at(std::string_view name, std::size_t begin) {
    if (begin >= name.size() || name[begin] != '"') {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        return {std::string(name.substr(begin, end - begin)), end};
    }
    const std::size_t end = end_of_quoted(name, begin);
    if (end == std::string_view::npos || (end < name.size() && name[end] != '.')) {
        throw core::ArgumentError(core::text(
            "ParameterRef: a part that begins with a quote must end with one and a dot, got ",
            quoted_text(name), R"(; write quotes and backslashes in it as \" and \\)"));
    }
    return {unescaped(name.substr(begin + 1, end - begin - 2)), end};
}

} // namespace

std::string quoted_part(std::string_view part) {
    if (!needs_quotes(part)) {
        return std::string(part);
    }
    std::string quoted = "\"";
    for (const char letter : part) {
        const auto known = std::ranges::find(kEscapes, letter, &std::pair<char, char>::second);
        if (known != kEscapes.end()) {
            quoted += {'\\', known->first};
            continue;
        }
        if (letter == '\\' || letter == '"') {
            quoted += '\\';
        }
        quoted += letter;
    }
    return quoted + '"';
}

std::string join_name(std::span<const std::string> parts) {
    std::vector<std::string> quoted;
    std::ranges::transform(parts, std::back_inserter(quoted), quoted_part);
    return core::join(quoted, ".");
}

std::vector<std::string> split_name(std::string_view name) {
    if (name.empty()) {
        throw core::ArgumentError("ParameterRef: a name is needed, got ''");
    }
    std::vector<std::string> parts;
    for (std::size_t at = 0;; at++) {
        Part part = part_at(name, at);
        parts.push_back(std::move(part.text));
        at = part.end;
        if (at >= name.size()) {
            return parts;
        }
    }
}

NameHead split_owner(std::string_view name) {
    Part part = part_at(name, 0);
    return {std::move(part.text),
            std::string(part.end < name.size() ? name.substr(part.end + 1) : "")};
}

} // namespace weft::scene
