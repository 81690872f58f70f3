// SPDX-License-Identifier: Apache-2.0
#include "compile/tensor_generics.hpp"

#include "compile/source_text.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

namespace weft::compile {

using core::text;

namespace {

constexpr std::array<std::string_view, 3> kInterfaces{"IDiffTensor", "IWDiffTensor",
                                                      "IRWDiffTensor"};
constexpr std::string_view kSpaces = " \t\r\n";

/// Where the bracket around `inside` opens.
std::optional<std::size_t> enclosing(std::string_view code, std::size_t inside) {
    int depth = 0;
    for (std::size_t at = inside; at-- > 0;) {
        if (code[at] == ';' || code[at] == '{' || code[at] == '}') {
            return std::nullopt;
        }
        depth += code[at] == ')' ? 1 : code[at] == '(' ? -1 : 0;
        if (depth < 0) {
            return at;
        }
    }
    return std::nullopt;
}

struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
};

bool starts_word(std::string_view code, std::size_t at) {
    return at == 0 || !core::is_name_character(code[at - 1]);
}

bool is_name_next(std::string_view code, std::size_t at) {
    const std::size_t next = code.find_first_not_of(kSpaces, at);
    return next != std::string_view::npos && core::is_name_character(code[next]);
}

/// The types of the tensor parameters of each declaration, by the place of its opening bracket.
std::map<std::size_t, std::vector<Range>> find_parameters(std::string_view code) {
    std::map<std::size_t, std::vector<Range>> found;
    for (const std::string_view interface : kInterfaces) {
        for (std::size_t at = code.find(interface); at != std::string_view::npos;
             at = code.find(interface, at + 1)) {
            const std::size_t open = code.find_first_not_of(kSpaces, at + interface.size());
            if (!starts_word(code, at) || open == std::string_view::npos || code[open] != '<') {
                continue;
            }
            const auto close = find_closing(code, open);
            const auto bracket = enclosing(code, at);
            if (close && bracket && is_name_next(code, *close + 1)) {
                found[*bracket].push_back({at, *close + 1});
            }
        }
    }
    for (auto& [bracket, types] : found) {
        std::sort(types.begin(), types.end(),
                  [](const Range& a, const Range& b) { return a.begin < b.begin; });
    }
    return found;
}

/// Where the name of a differentiable function that is not generic ends; nullopt for anything else.
std::optional<std::size_t> declared_name_end(std::string_view code, std::size_t bracket) {
    const std::size_t last = code.find_last_not_of(kSpaces, bracket == 0 ? 0 : bracket - 1);
    if (bracket == 0 || last == std::string_view::npos || !core::is_name_character(code[last])) {
        return std::nullopt;
    }
    const std::size_t start = code.find_last_of(";{}", last) + 1; // npos + 1 is 0
    const std::string_view head = code.substr(start, last - start);
    const auto close = find_closing(code, bracket);
    const std::size_t next =
        close ? code.find_first_not_of(kSpaces, *close + 1) : std::string_view::npos;
    const bool is_declaration =
        next != std::string_view::npos && (code[next] == '{' || code[next] == ';');
    if (head.find("Differentiable") == std::string_view::npos || !is_declaration) {
        return std::nullopt;
    }
    return last + 1;
}

/// The line breaks inside `part`, so that what follows keeps its line.
std::string line_breaks(std::string_view part) {
    return std::string(static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n')), '\n');
}

std::string on_one_line(std::string_view part) {
    std::string line(part);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

} // namespace

std::string make_tensor_parameters_generic(std::string_view source) {
    const std::string code = blank_comments(source);
    std::string result;
    std::size_t copied = 0;
    const auto copy_up_to = [&](std::size_t end) {
        result += source.substr(copied, end - copied);
        copied = end;
    };
    for (const auto& [bracket, types] : find_parameters(code)) {
        const auto name_end = declared_name_end(code, bracket);
        if (!name_end) {
            continue;
        }
        std::vector<std::string> constraints;
        for (const Range& type : types) {
            constraints.push_back(text(
                kTensorGeneric, constraints.size(), " : ",
                on_one_line(std::string_view(code).substr(type.begin, type.end - type.begin))));
        }
        copy_up_to(*name_end);
        result += text("<", core::join(constraints, ", "), ">");
        for (std::size_t i = 0; i < types.size(); ++i) {
            copy_up_to(types[i].begin);
            result +=
                text(kTensorGeneric, i,
                     line_breaks(source.substr(types[i].begin, types[i].end - types[i].begin)));
            copied = types[i].end;
        }
    }
    copy_up_to(source.size());
    return result;
}

} // namespace weft::compile
