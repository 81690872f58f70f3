// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_globals.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cstddef>

namespace weft::compile {

namespace {

constexpr std::string_view kIdentifierCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// The identifier that `text` starts with.
std::string_view leading_identifier(std::string_view text) {
    return text.substr(0, text.find_first_not_of(kIdentifierCharacters));
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

/// "color" of "color_1".
std::string without_number(std::string_view name) {
    const std::size_t end = name.find_last_not_of("0123456789");
    const bool is_numbered =
        end != std::string_view::npos && end > 0 && name[end] == '_' && end + 1 < name.size();
    return std::string(is_numbered ? name.substr(0, end) : name);
}

/// The fields that `text`, which begins behind the block's pointer, names: "->lamp_0.color_0[2]" -> lamp, color.
MemberPath member_path(std::string_view text) {
    constexpr std::string_view kArrow = "->";
    MemberPath path;
    while (text.starts_with(kArrow) || (!path.empty() && text.starts_with('.'))) {
        text.remove_prefix(text.front() == '.' ? 1 : kArrow.size());
        const std::string_view name = leading_identifier(text);
        text.remove_prefix(name.size());
        path.push_back(without_number(name));
    }
    return path;
}

bool is_whole_word(std::string_view source, std::size_t at, std::size_t size) {
    const auto is_part = [&](std::size_t place) {
        return place < source.size() &&
               kIdentifierCharacters.find(source[place]) != std::string_view::npos;
    };
    return !is_part(at + size) && (at == 0 || !is_part(at - 1));
}

} // namespace

bool CudaGlobals::reads(const MemberPath& path) const {
    return reads_all || std::ranges::any_of(accesses, [&](const MemberPath& access) {
               const std::size_t shared = std::min(path.size(), access.size());
               return std::equal(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(shared),
                                 access.begin());
           });
}

void CudaGlobals::settle(const MemberPath& path, const std::vector<std::string>& names) {
    for (MemberPath& access : accesses) {
        const bool goes_on =
            access.size() > path.size() && std::equal(path.begin(), path.end(), access.begin());
        if (goes_on && std::ranges::find(names, access[path.size()]) == names.end()) {
            access.resize(path.size());
        }
    }
}

CudaGlobals read_cuda_globals(std::string_view source) {
    const std::string_view pointer = pointer_name(source);
    CudaGlobals result;
    if (pointer.empty()) {
        result.is_used = result.reads_all = source.find(kCudaGlobals) != std::string_view::npos;
        return result;
    }
    // The first occurrence is the definition.
    for (std::size_t at = source.find(pointer, source.find(pointer) + 1);
         at != std::string_view::npos; at = source.find(pointer, at + 1)) {
        if (!is_whole_word(source, at, pointer.size())) {
            continue;
        }
        result.is_used = true;
        MemberPath path = member_path(source.substr(at + pointer.size()));
        result.reads_all = result.reads_all || path.empty();
        result.accesses.push_back(std::move(path));
    }
    return result;
}

} // namespace weft::compile
