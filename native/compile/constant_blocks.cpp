// SPDX-License-Identifier: Apache-2.0
#include "compile/constant_blocks.hpp"

#include "compile/source_text.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>

namespace weft::compile {

namespace {

constexpr std::array<std::string_view, 2> kKeywords{"cbuffer", "tbuffer"};
constexpr std::string_view kPackOffset = "packoffset";
constexpr std::string_view kSpaces = " \t\r\n";

std::string_view word_at(std::string_view code, std::size_t at) {
    std::size_t end = at;
    while (end < code.size() && core::is_name_character(code[end])) {
        ++end;
    }
    return code.substr(at, end - at);
}

/// True if a declaration can begin at `at`: behind another one, an attribute or a line for the preprocessor.
bool may_begin_declaration(std::string_view code, std::size_t at) {
    const std::size_t last = code.substr(0, at).find_last_not_of(kSpaces);
    if (last == std::string_view::npos || code[last] == ';' || code[last] == '}' ||
        code[last] == ']' || code[last] == '{') {
        return true;
    }
    const std::size_t line = code.rfind('\n', last);
    const std::size_t first =
        code.find_first_not_of(kSpaces, line == std::string_view::npos ? 0 : line);
    return code[first] == '#' && code.find('\n', last) < at;
}

struct BlockRange {
    std::size_t keyword = 0;
    std::size_t open = 0;
    std::size_t close = 0;
    std::string_view name;
};

std::vector<BlockRange> find_blocks(std::string_view code) {
    std::vector<BlockRange> blocks;
    for (const std::string_view keyword : kKeywords) {
        for (std::size_t at = code.find(keyword); at != std::string_view::npos;
             at = code.find(keyword, at + 1)) {
            const std::size_t open = code.find('{', at);
            const std::size_t end = code.find_first_of(";}", at);
            if (!core::is_whole_word(code, at, keyword.size()) ||
                !may_begin_declaration(code, at) || open == std::string_view::npos || end < open) {
                continue;
            }
            const std::size_t name = code.find_first_not_of(kSpaces, at + keyword.size());
            if (const auto close = find_closing(code, open)) {
                blocks.push_back({at, open, *close, word_at(code, name)});
            }
        }
    }
    return blocks;
}

/// Where the statement that begins at `at` has its semicolon, `close` if it has none.
std::size_t statement_end(std::string_view code, std::size_t at, std::size_t close) {
    int depth = 0;
    std::size_t end = at;
    for (; end < close && (depth > 0 || code[end] != ';'); ++end) {
        depth += code[end] == '{' ? 1 : code[end] == '}' ? -1 : 0;
    }
    return end;
}

/// Where each statement of a block begins and ends (at its semicolon). What is no variable is left out.
std::vector<std::string_view> find_members(std::string_view code, const BlockRange& block) {
    std::vector<std::string_view> members;
    std::size_t at = block.open + 1;
    while (true) {
        at = code.find_first_not_of(kSpaces, at);
        if (at >= block.close) {
            return members;
        }
        if (code[at] == '#') {
            at = std::min(code.find('\n', at), block.close);
            continue;
        }
        const std::size_t end = statement_end(code, at, block.close);
        const std::string_view statement = code.substr(at, end - at);
        const std::string_view first = word_at(code, at);
        if (!statement.empty() && first != "struct" && first != "enum") {
            members.push_back(statement);
        }
        at = end + 1;
    }
}

/// True behind the name that a statement declares, inside `depth` brackets, the sign's own included.
bool ends_name(char sign, int depth) {
    return (depth == 0 || (depth == 1 && sign == '[')) && is_one_of(sign, ":=[,");
}

bool starts_word(std::string_view code, std::size_t at) {
    return core::is_name_character(code[at]) && (at == 0 || !core::is_name_character(code[at - 1]));
}

/// "color", "power" of "float3 color : packoffset(c0), power[2] = {1, 2}".
std::vector<std::string> declared_names(std::string_view statement) {
    std::vector<std::string> names;
    std::string_view last;
    int depth = 0;
    bool is_named = false;
    const std::string closed = std::string(statement) + ',';
    for (std::size_t i = 0; i < closed.size(); ++i) {
        const char c = closed[i];
        depth += is_one_of(c, "<({[") ? 1 : 0;
        if (ends_name(c, depth) && !is_named) {
            names.emplace_back(last);
            is_named = true;
        }
        is_named = is_named && !(depth == 0 && c == ',');
        depth -= is_one_of(c, ">)}]") ? 1 : 0;
        if (depth == 0 && starts_word(closed, i)) {
            last = word_at(closed, i);
        }
    }
    return names;
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        text[i] = text[i] == '\n' ? '\n' : ' ';
    }
}

/// ": packoffset(c0.y)" says where a member lies in a buffer that is no more.
void blank_pack_offsets(std::string_view code, const BlockRange& block, std::string& text) {
    for (std::size_t at = code.find(kPackOffset, block.open);
         at != std::string_view::npos && at < block.close; at = code.find(kPackOffset, at + 1)) {
        const std::size_t colon = code.find_last_not_of(kSpaces, at - 1);
        const auto close = find_closing(code, std::min(code.find('(', at), code.size()));
        if (colon != std::string_view::npos && code[colon] == ':' && close) {
            blank(text, colon, *close + 1);
        }
    }
}

bool may_have_blocks(std::string_view text) {
    return std::ranges::any_of(kKeywords, [&](std::string_view keyword) {
        return text.find(keyword) != std::string_view::npos;
    });
}

} // namespace

std::vector<ConstantBlock> constant_blocks(std::string_view text) {
    std::vector<ConstantBlock> result;
    if (!may_have_blocks(text)) {
        return result;
    }
    const std::string code = blank_comments(text);
    for (const BlockRange& range : find_blocks(code)) {
        ConstantBlock& block = result.emplace_back();
        block.name = range.name;
        for (const std::string_view member : find_members(code, range)) {
            for (std::string& name : declared_names(member)) {
                block.members.push_back(std::move(name));
            }
        }
    }
    return result;
}

std::string open_constant_blocks(std::string_view text) {
    std::string result(text);
    if (!may_have_blocks(text)) {
        return result;
    }
    const std::string code = blank_comments(text);
    std::vector<std::size_t> members; ///< where each begins
    for (const BlockRange& block : find_blocks(code)) {
        blank(result, block.keyword, block.open + 1);
        blank(result, block.close, block.close + 1);
        blank_pack_offsets(code, block, result);
        for (const std::string_view member : find_members(code, block)) {
            if (word_at(member, 0) != "uniform") {
                members.push_back(static_cast<std::size_t>(member.data() - code.data()));
            }
        }
    }
    std::ranges::sort(members, std::greater<>());
    for (const std::size_t at : members) {
        result.insert(at, "uniform ");
    }
    return result;
}

} // namespace weft::compile
