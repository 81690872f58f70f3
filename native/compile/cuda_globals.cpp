// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_globals.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace weft::compile {

namespace {

constexpr std::string_view kIdentifierCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// The identifier that `text` starts with.
std::string_view leading_identifier(std::string_view text) {
    return text.substr(0, text.find_first_not_of(kIdentifierCharacters));
}

/// The identifier that `text` ends with.
std::string_view trailing_identifier(std::string_view text) {
    return text.substr(text.find_last_not_of(kIdentifierCharacters) + 1);
}

/// What the source calls a pointer to the block: "globalParams_0" of "#define globalParams_0 (&SLANG_globalParams)".
std::string_view pointer_name(std::string_view source) {
    constexpr std::string_view kDefine = "#define ";
    const std::size_t value = source.find(core::text("(&", kCudaGlobals, ")"));
    const std::size_t define = source.rfind(kDefine, value);
    if (value == std::string_view::npos || define == std::string_view::npos) {
        return {};
    }
    return leading_identifier(source.substr(define + kDefine.size()));
}

/// Members of the block's structure, whose name stands before "SLANG_globalParams;".
std::vector<std::string_view> member_names(std::string_view source) {
    const std::size_t variable = source.find(core::text(" ", kCudaGlobals, ";"));
    if (variable == std::string_view::npos) {
        return {};
    }
    const std::string_view type = trailing_identifier(source.substr(0, variable));
    const std::size_t structure = source.find(core::text("struct ", type, "\n"));
    const std::size_t open = source.find('{', structure);
    const std::size_t close = source.find("};", structure);
    if (structure == std::string_view::npos || open > close) {
        return {};
    }
    std::vector<std::string_view> names;
    std::string_view body = source.substr(open, close - open);
    for (std::size_t end = body.find(';'); end != std::string_view::npos; end = body.find(';')) {
        names.push_back(trailing_identifier(body.substr(0, end)));
        body.remove_prefix(end + 1);
    }
    return names;
}

bool is_whole_word(std::string_view source, std::size_t at, std::size_t size) {
    const auto is_part = [&](std::size_t place) {
        return place < source.size() &&
               kIdentifierCharacters.find(source[place]) != std::string_view::npos;
    };
    return !is_part(at + size) && (at == 0 || !is_part(at - 1));
}

} // namespace

CudaGlobals read_cuda_globals(std::string_view source) {
    constexpr std::string_view kArrow = "->";
    const std::string_view pointer = pointer_name(source);
    CudaGlobals result;
    if (pointer.empty()) {
        result.is_used = result.reads_all = source.find(kCudaGlobals) != std::string_view::npos;
        return result;
    }
    const std::vector<std::string_view> names = member_names(source);
    // The first occurrence is the definition.
    for (std::size_t at = source.find(pointer, source.find(pointer) + 1);
         at != std::string_view::npos; at = source.find(pointer, at + 1)) {
        if (!is_whole_word(source, at, pointer.size())) {
            continue;
        }
        result.is_used = true;
        std::string_view rest = source.substr(at + pointer.size());
        const bool names_member = rest.substr(0, kArrow.size()) == kArrow;
        rest.remove_prefix(names_member ? kArrow.size() : 0);
        const auto member = std::find(names.begin(), names.end(), leading_identifier(rest));
        if (names_member && member != names.end()) {
            result.members.insert(static_cast<std::size_t>(member - names.begin()));
        } else {
            result.reads_all = true;
        }
    }
    return result;
}

} // namespace weft::compile
