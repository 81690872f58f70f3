// SPDX-License-Identifier: Apache-2.0
#include "scene/material_checks.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace weft::scene {

namespace {

using core::ArgumentError;

constexpr std::size_t kMaxShown = 80; // characters of a name

bool is_inside_character(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; // UTF-8
}

/// The first characters of a text in UTF-8.
std::string_view begin_of(std::string_view text) {
    std::size_t end = 0;
    for (std::size_t count = 0; end < text.size() && count < kMaxShown; count++) {
        for (end++; end < text.size() && is_inside_character(text[end]); end++) {
        }
    }
    return text.substr(0, end);
}

std::size_t length_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, std::not_fn(is_inside_character)));
}

/// Slang reads whatever is not ASCII as a letter.
bool is_letter(char letter) noexcept {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
           static_cast<unsigned char>(letter) >= 0x80U;
}

/// Where a name that begins at `at` ends; `at`: there is none.
std::size_t end_of_name(std::string_view text, std::size_t at, std::string_view also = "") {
    if (at >= text.size() || !is_letter(text[at])) {
        return at;
    }
    const auto is_part = [&](char letter) {
        return is_letter(letter) || core::is_digit(letter) ||
               also.find(letter) != std::string_view::npos;
    };
    while (at < text.size() && is_part(text[at])) {
        at++;
    }
    return at;
}

/// "<3, float>".
bool is_generic_list(std::string_view text) {
    return text.size() >= 2 && text.front() == '<' && text.back() == '>' &&
           std::ranges::all_of(text.substr(1, text.size() - 2), [](char letter) {
               return is_letter(letter) || core::is_digit(letter) || letter == ',' || letter == ' ';
           });
}

/// "wave", "noise::wave", "wave<3, float>".
bool is_function_name(std::string_view text) {
    std::size_t at = end_of_name(text, 0);
    if (at == 0) {
        return false;
    }
    while (text.substr(at).starts_with("::")) {
        const std::size_t begin = at + 2;
        at = end_of_name(text, begin);
        if (at == begin) {
            return false;
        }
    }
    return at == text.size() || is_generic_list(text.substr(at));
}

/// "", "weft.nodes".
bool is_module_name(std::string_view text) {
    std::size_t at = end_of_name(text, 0, "-");
    while (at > 0 && at < text.size() && text[at] == '.') {
        const std::size_t begin = at + 1;
        at = end_of_name(text, begin, "-");
        if (at == begin) {
            return false;
        }
    }
    return at == text.size();
}

void require_size(std::string_view owner, std::string_view name, std::size_t size,
                  std::initializer_list<std::size_t> wanted) {
    if (std::ranges::find(wanted, size) != wanted.end()) {
        return;
    }
    std::vector<std::string> texts;
    std::ranges::transform(wanted, std::back_inserter(texts),
                           [](std::size_t count) { return core::text(count); });
    throw ArgumentError(core::text(owner, ": ", name, " takes ", core::join(texts, " or "),
                                   " numbers, got ", size));
}

std::vector<std::string> names_of_inputs(const ClosureSpec& spec) {
    std::vector<std::string> names;
    names.reserve(spec.inputs.size() + spec.normals.size() + spec.tangents.size() +
                  spec.options.size());
    for (const auto& [name, input] : spec.inputs) {
        names.push_back(name);
    }
    std::ranges::copy(spec.normals, std::back_inserter(names));
    std::ranges::copy(spec.tangents, std::back_inserter(names));
    std::ranges::transform(spec.options, std::back_inserter(names), &ClosureOption::name);
    return names;
}

std::string escaped(unsigned char letter) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return {'\\', 'x', kDigits[letter >> 4U], kDigits[letter & 0xFU]};
}

/// Around a text in Python's way.
char quote_of(std::string_view text) {
    const bool has_single = text.find('\'') != std::string_view::npos;
    return has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
}

} // namespace

std::string quoted_text(std::string_view text) {
    const char quote = quote_of(text);
    std::string quoted(1, quote);
    for (const char letter : text) {
        switch (letter) {
        case '\n': quoted += "\\n"; break;
        case '\r': quoted += "\\r"; break;
        case '\t': quoted += "\\t"; break;
        default:
            if (letter == '\\' || letter == quote) {
                quoted += '\\';
            }
            const auto byte = static_cast<unsigned char>(letter);
            quoted += byte < 0x20U || byte == 0x7FU ? escaped(byte) : std::string(1, letter);
        }
    }
    return quoted + quote;
}

void require_constant(std::string_view name, std::span<const double> numbers,
                      std::string_view shown) {
    const bool are_finite =
        std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
    if (name.empty() || numbers.empty() || numbers.size() > 4 || !are_finite) {
        throw ArgumentError(
            core::text("Constant: a name and one to four finite numbers are needed, got ",
                       quoted_text(name), ", ", shown));
    }
}

void require_slang_call(std::string_view function, std::string_view source, std::string_view module,
                        std::int64_t size) {
    if (!is_function_name(function) || !is_module_name(module)) {
        throw ArgumentError(core::text(
            "SlangCall: function must be a name such as 'wave' or 'wave<3>', and module one such "
            "as 'weft.nodes', got ",
            quoted_text(begin_of(function)), " and ", quoted_text(begin_of(module))));
    }
    if (source.empty() == module.empty() || size < 1 || size > 4) {
        throw ArgumentError(core::text("SlangCall '", function,
                                       "': either source or module must be given, and "
                                       "size be 1 to 4, got ",
                                       length_of(source), " characters, ", quoted_text(module),
                                       " and ", size));
    }
}

void require_normal_map(std::size_t color, std::size_t strength) {
    require_size("NormalMap", "color", color, {3, 4});
    require_size("NormalMap", "strength", strength, {1});
}

NormalSpace normal_space(std::string_view name, std::string_view shown) {
    const auto found = std::ranges::find(kNormalSpaces, name);
    if (found == kNormalSpaces.end()) {
        const std::vector<std::string> names(kNormalSpaces.begin(), kNormalSpaces.end());
        throw ArgumentError(core::text("NormalMap: space must be one of ", core::join(names, ", "),
                                       ", got ", shown));
    }
    return static_cast<NormalSpace>(found - kNormalSpaces.begin());
}

void require_bump(std::size_t height, std::size_t strength, std::size_t distance,
                  std::optional<std::size_t> normal) {
    require_size("Bump", "height", height, {1, 3, 4});
    require_size("Bump", "strength", strength, {1});
    require_size("Bump", "distance", distance, {1});
    if (normal) {
        require_size("Bump", "normal", *normal, {3});
    }
}

void require_bump_step(double step, std::string_view shown) {
    if (!(step > 0)) {
        throw ArgumentError(core::text("Bump: step must be above 0 metres, got ", shown));
    }
}

void require_bump_filter_width(double width, std::string_view shown) {
    if (!(width > 0) || std::isinf(width)) {
        throw ArgumentError(core::text("Bump: filter_width must be above 0 pixels, got ", shown));
    }
}

const ClosureSpec& require_closure(std::string_view kind, std::string_view shown) {
    const ClosureSpec* const spec = find_closure(kind);
    if (spec == nullptr) {
        std::vector<std::string> kinds;
        std::ranges::transform(closure_table(), std::back_inserter(kinds), &ClosureSpec::kind);
        throw ArgumentError(
            core::text("Closure: ", shown, " is not one of ", core::join(kinds, ", ")));
    }
    return *spec;
}

void require_option(const ClosureSpec& spec, std::string_view name, std::string_view value,
                    std::string_view shown) {
    const ClosureOption* const option = spec.find_option(name);
    std::vector<std::string> values;
    values.reserve(option->values.size());
    for (const auto& [entry, flags] : option->values) {
        if (entry == value) {
            return;
        }
        values.push_back(quoted_text(entry));
    }
    throw ArgumentError(core::text("Closure '", spec.kind, "': option '", name, "' is one of ",
                                   core::join(values, ", "), ", got ", shown));
}

void require_input(const ClosureSpec& spec, std::string_view name) {
    if (spec.find_input(name) == nullptr && !has_name(spec.normals, name) &&
        !has_name(spec.tangents, name)) {
        throw ArgumentError(core::text("Closure '", spec.kind, "': there is no input ",
                                       quoted_text(name), "; it has ",
                                       core::join(names_of_inputs(spec), ", ")));
    }
}

void refuse_text(const ClosureSpec& spec, std::string_view name, std::string_view shown) {
    throw ArgumentError(core::text("Closure '", spec.kind, "': input '", name,
                                   "' takes numbers, a texture or a function, got ", shown));
}

void require_input_size(const ClosureSpec& spec, std::string_view name, std::size_t size) {
    require_input(spec, name);
    const ClosureInput* const input = spec.find_input(name);
    if (input == nullptr && size != 3) {
        throw ArgumentError(core::text("Closure '", spec.kind, "': input '", name,
                                       "' takes a vector of 3 numbers, got ", size,
                                       "; a texture of normals goes through NormalMap"));
    }
    const std::size_t wanted = input == nullptr ? 3 : input->size();
    if (size != wanted && size != 1 && (wanted != 3 || size != 4)) {
        throw ArgumentError(core::text("Closure '", spec.kind, "': input '", name, "' takes ",
                                       wanted, " numbers, got ", size));
    }
}

void require_material(std::string_view name, bool has_varying_volume) {
    if (name.empty()) {
        throw ArgumentError("Material: a name is needed, got ''");
    }
    if (has_varying_volume) {
        throw ArgumentError(
            core::text("Material '", name,
                       "': the volume must be the same everywhere, a texture or "
                       "something of the surface drives it; use numbers, or functions of numbers"));
    }
}

} // namespace weft::scene
