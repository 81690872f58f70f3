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

/// How many "(&" stand directly before `text` ends: what they open is closed behind a member. Brackets behind a
/// name are those of a call, whose result is something else.
std::size_t opened_addresses(std::string_view text) {
    constexpr std::string_view kOpen = "(&";
    std::size_t count = 0;
    while (text.ends_with(kOpen)) {
        text.remove_suffix(kOpen.size());
        const bool is_call =
            !text.empty() && kIdentifierCharacters.find(text.back()) != std::string_view::npos;
        if (is_call) {
            break;
        }
        ++count;
    }
    return count;
}

/// The fields that `text`, which begins behind the block's pointer, names: "->lamp_0.color_0[2]" -> lamp, color.
/// @param opened: "(&" before the pointer, as in "(&globalParams_0->lamp_0)->color_0"
MemberPath member_path(std::string_view text, std::size_t opened) {
    constexpr std::string_view kArrow = "->";
    MemberPath path;
    while (text.starts_with(kArrow) || (!path.empty() && text.starts_with('.'))) {
        text.remove_prefix(text.front() == '.' ? 1 : kArrow.size());
        const std::string_view name = leading_identifier(text);
        text.remove_prefix(name.size());
        path.push_back(without_number(name));
        if (opened > 0 && text.starts_with(")->")) {
            text.remove_prefix(1);
            --opened;
        }
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

namespace {

/// "_S7" where the code around a whole member is "Lamp_0 _S7 = slang_ldg_1(&globalParams_0->lamp_0);", else "".
std::string_view copied_to(std::string_view before, std::string_view behind) {
    const std::size_t semicolon = behind.find_first_not_of(')');
    const std::size_t sign = before.rfind(" = ");
    const std::size_t line = before.rfind('\n');
    const bool is_copy = semicolon != std::string_view::npos && behind[semicolon] == ';' &&
                         sign != std::string_view::npos &&
                         (line == std::string_view::npos || line < sign);
    const std::string_view value = is_copy ? before.substr(sign + 3) : "";
    const std::string_view call = value.substr(0, value.find('('));
    if (!is_copy || !(call.empty() || call.find("ldg") != std::string_view::npos)) {
        return {};
    }
    const std::string_view left = before.substr(0, sign);
    const std::string_view name = left.substr(left.find_last_not_of(kIdentifierCharacters) + 1);
    return name.starts_with("_S") ? name : std::string_view{};
}

/// Adds what is read of the copy of a member that begins with `path`.
void add_copy(std::string_view source, std::string_view copy, const MemberPath& path,
              CudaGlobals& out) {
    for (std::size_t at = source.find(copy); at != std::string_view::npos;
         at = source.find(copy, at + 1)) {
        const std::string_view behind = source.substr(at + copy.size());
        if (!is_whole_word(source, at, copy.size()) || behind.starts_with(" = ")) {
            continue;
        }
        MemberPath whole = path;
        if (behind.starts_with('.')) {
            whole.push_back(without_number(leading_identifier(behind.substr(1))));
        } else if (behind.starts_with(")->") && opened_addresses(source.substr(0, at)) > 0) {
            whole.push_back(without_number(leading_identifier(behind.substr(3))));
        }
        out.accesses.push_back(std::move(whole));
    }
}

/// The text behind the members that an access names.
std::string_view behind_member(std::string_view text) {
    return text.substr(std::min(text.find_first_of(");[ ,"), text.size()));
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
        MemberPath path =
            member_path(source.substr(at + pointer.size()), opened_addresses(source.substr(0, at)));
        result.reads_all = result.reads_all || path.empty();
        const std::string_view copy =
            copied_to(source.substr(0, at), behind_member(source.substr(at + pointer.size())));
        if (!path.empty() && !copy.empty()) {
            add_copy(source, copy, path, result);
            continue;
        }
        result.accesses.push_back(std::move(path));
    }
    return result;
}

} // namespace weft::compile
