// SPDX-License-Identifier: Apache-2.0
#include "core/text.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace weft::core {

namespace {

/// How many letters were left out, added, changed or swapped with their neighbour; case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> above(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    const auto same = [&](std::size_t i, std::size_t j) {
        return to_lower(a[i]) == to_lower(b[j]);
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
        next[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            next[j + 1] = std::min({row[j] + (same(i, j) ? 0 : 1), row[j + 1] + 1, next[j] + 1});
            if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j)) {
                next[j + 1] = std::min(next[j + 1], above[j - 1] + 1);
            }
        }
        above.swap(row);
        row.swap(next);
    }
    return row[b.size()];
}

/// Bytes of the UTF-8 sequence that starts with `first`, 0 if none does.
std::size_t sequence_length(unsigned char first) noexcept {
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xc2 && first < 0xe0) {
        return 2;
    }
    if (first >= 0xe0 && first < 0xf0) {
        return 3;
    }
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/// True if a second byte would encode an overlong form, a surrogate or a code point past U+10FFFF.
bool is_bad_second_byte(unsigned char first, unsigned char second) noexcept {
    return (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
           (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
}

} // namespace

std::string to_lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) { return to_lower(c); });
    return out;
}

bool is_whole_word(std::string_view text, std::size_t at, std::size_t size) noexcept {
    const bool begins = at == 0 || !is_name_character(text[at - 1]);
    return begins && (at + size >= text.size() || !is_name_character(text[at + size]));
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) noexcept {
    std::size_t at = word.empty() ? std::string_view::npos : text.find(word, from);
    while (at != std::string_view::npos && !is_whole_word(text, at, word.size())) {
        at = text.find(word, at + 1);
    }
    return at;
}

bool has_word(std::string_view text, std::string_view word) noexcept {
    return find_word(text, word) != std::string_view::npos;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
    std::string result;
    for (const std::string& part : parts) {
        if (&part != parts.data()) {
            result += separator;
        }
        result += part;
    }
    return result;
}

std::string shape_text(std::span<const std::int64_t> shape) {
    std::string result = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        result += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    }
    return result + (shape.size() == 1 ? ",)" : ")");
}

std::vector<std::string> near_misses(std::string_view name,
                                     std::span<const std::string> candidates) {
    constexpr std::size_t kMaxResults = 3;
    const std::size_t limit = std::max<std::size_t>(1, name.size() / 3);
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(name, candidate);
        if (distance <= limit) {
            ranked.emplace_back(distance, candidate);
        }
    }
    std::sort(ranked.begin(), ranked.end());
    ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
    ranked.resize(std::min(ranked.size(), kMaxResults));
    std::vector<std::string> result;
    result.reserve(ranked.size());
    for (auto& [distance, candidate] : ranked) {
        result.push_back(std::move(candidate));
    }
    return result;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
    const std::vector<std::string> names = near_misses(name, candidates);
    if (names.empty()) {
        return "";
    }
    std::string result = ". Did you mean ";
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view separator = i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
        result += text(separator, "'", names[i], "'");
    }
    return result + "?";
}

std::size_t find_invalid_utf8(std::string_view bytes) noexcept {
    std::size_t i = 0;
    while (i < bytes.size()) {
        const auto first = static_cast<unsigned char>(bytes[i]);
        const std::size_t length = sequence_length(first);
        if (length == 0 || length > bytes.size() - i) {
            return i;
        }
        for (std::size_t k = 1; k < length; ++k) {
            const auto next = static_cast<unsigned char>(bytes[i + k]);
            if ((next & 0xc0) != 0x80 || (k == 1 && is_bad_second_byte(first, next))) {
                return i;
            }
        }
        i += length;
    }
    return std::string_view::npos;
}

} // namespace weft::core
