// SPDX-License-Identifier: Apache-2.0
#include "compile/entry_points.hpp"

#include "compile/source_text.hpp"

#include <algorithm>
#include <cctype>

namespace weft::compile {

namespace {

// As long as the words they replace. Declared in shaders/weft/entry_point.slang.
constexpr std::string_view kGroupSize = "weft_group";
constexpr std::string_view kStage = "weft_s";

bool is_space(char c) noexcept {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// True if the word at `at` is an attribute with arguments: "[ word (" or ", word (".
bool is_attribute(std::string_view code, std::size_t at, std::size_t length) {
    std::size_t before = at;
    while (before > 0 && is_space(code[before - 1])) {
        --before;
    }
    std::size_t after = at + length;
    while (after < code.size() && is_space(code[after])) {
        ++after;
    }
    const bool opens = before > 0 && (code[before - 1] == '[' || code[before - 1] == ',');
    return opens && after < code.size() && code[after] == '(';
}

/// ", 1" for each of the three extents that the arguments after `at` leave out; sets `at` to the closing bracket.
std::string missing_extents(std::string_view code, std::size_t& at) {
    int depth = 0;
    int count = 1;
    for (; at < code.size(); ++at) {
        depth += code[at] == '(' ? 1 : 0;
        depth -= code[at] == ')' ? 1 : 0;
        count += code[at] == ',' && depth == 1 ? 1 : 0;
        if (depth == 0 && code[at] == ')') {
            break;
        }
    }
    std::string missing;
    for (; count < 3; ++count) {
        missing += ", 1";
    }
    return missing;
}

void rename(std::string& text, std::string_view from, std::string_view to, bool is_group_size) {
    std::string code = blank_comments(text);
    for (std::size_t at = code.find(from); at != std::string::npos; at = code.find(from, at + 1)) {
        if (!is_attribute(code, at, from.size())) {
            continue;
        }
        text.replace(at, from.size(), to);
        std::size_t end = at + from.size();
        const std::string missing = is_group_size ? missing_extents(code, end) : "";
        if (!missing.empty() && end < code.size()) {
            text.insert(end, missing);
            code.insert(end, missing);
        }
    }
}

} // namespace

std::string rename_entry_point_attributes(std::string_view text) {
    std::string out(text);
    if (out.find("numthreads") != std::string::npos) {
        rename(out, "numthreads", kGroupSize, true);
    }
    if (out.find("shader") != std::string::npos) {
        rename(out, "shader", kStage, false);
    }
    return out;
}

void take_entry_point_attributes(reflect::Function& function) {
    for (const reflect::Attribute& attribute : function.attributes) {
        if (attribute.name != kGroupSize) {
            continue;
        }
        function.is_entry_point = true;
        for (std::size_t i = 0; i < attribute.arguments.size() && i < function.group_size.size();
             ++i) {
            if (const auto* extent = std::get_if<std::int64_t>(&attribute.arguments[i])) {
                function.group_size[i] = static_cast<std::int32_t>(*extent);
            }
        }
    }
    std::erase_if(function.attributes, [](const reflect::Attribute& attribute) {
        return attribute.name == kGroupSize || attribute.name == kStage;
    });
}

} // namespace weft::compile
