// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_copies.hpp"

#include "core/text.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace weft::compile {

namespace {

constexpr std::string_view kSpace = " \t\r";
constexpr std::string_view kIdentifierCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
/// What Slang calls the structure of values that the forward part leaves to the backward part.
constexpr std::string_view kContext = "s_minCtx_";
constexpr std::string_view kArray = "FixedArray<";
/// The forward part of weft_read (shaders/weft/parameter.slang), which indexed reads of arrays are changed into.
constexpr std::string_view kRead = " s_apply_weft_read_";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kSpace);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string_view take_line(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return line;
}

/// "FixedArray<float, 8>" and "value1_0" of "FixedArray<float, 8>  value1_0"; the type is empty if there is only a name.
std::pair<std::string_view, std::string_view> split_declaration(std::string_view text) {
    const std::size_t space = text.find_last_of(kSpace);
    return space == std::string_view::npos
               ? std::pair{std::string_view(), text}
               : std::pair{trimmed(text.substr(0, space)), text.substr(space + 1)};
}

/// The indices of an element of a tensor, "FixedArray<longlong, 2>": no rounds of a loop, and registers if nobody takes their
/// address. Kept in memory they cost a gather three to four times its time (H200).
bool is_index(std::string_view type) {
    constexpr std::string_view kIndices = "FixedArray<longlong, ";
    constexpr std::string_view kRanks = "12345"; // of tensors: shaders/weft/access_by_rank.slang
    return type.starts_with(kIndices) && type.size() == kIndices.size() + 2 &&
           kRanks.find(type[kIndices.size()]) != std::string_view::npos;
}

/// The structures of a source: which of them hold what reverse mode keeps of the rounds of a loop.
class Structures {
public:
    explicit Structures(std::string_view source) {
        constexpr std::string_view kStruct = "struct ";
        std::vector<std::string_view>* fields = nullptr;
        while (!source.empty()) {
            const std::string_view line = take_line(source);
            if (line.starts_with(kStruct) && line.find_first_of("{;:") == std::string_view::npos) {
                fields = &m_fields[trimmed(line.substr(kStruct.size()))];
            } else if (line.starts_with('}')) {
                fields = nullptr;
            } else if (fields != nullptr && line.ends_with(';')) {
                const auto [type, name] =
                    split_declaration(trimmed(line.substr(0, line.size() - 1)));
                fields->push_back(type);
                m_types[name] = type;
            }
        }
    }

    /// Of a field by its name, which Slang gives to one structure only; empty for any other name.
    std::string_view type_of(std::string_view field) const {
        const auto found = m_types.find(field);
        return found == m_types.end() ? std::string_view() : found->second;
    }

    bool holds_rounds(std::string_view type) const {
        while (type.starts_with(kArray)) {
            type = trimmed(type.substr(kArray.size(), type.rfind(',') - kArray.size()));
        }
        const auto found = m_fields.find(type);
        if (found == m_fields.end()) {
            return false;
        }
        for (const std::string_view field : found->second) {
            const bool is_kept =
                type.starts_with(kContext) && field.starts_with(kArray) && !is_index(field);
            if (is_kept || holds_rounds(field)) {
                return true;
            }
        }
        return false;
    }

private:
    std::map<std::string_view, std::vector<std::string_view>> m_fields;
    std::map<std::string_view, std::string_view> m_types;
};

struct Copy {
    std::string_view from_root; ///< the variable that holds what is copied
    bool is_pointer = false;    ///< the variable points to it
    std::string_view type;      ///< empty if the line does not tell
};

/// The type of the field that an expression ends with, "" if it is not known.
std::string_view last_field_type(const Structures& structures, std::string_view expression) {
    const std::size_t last = expression.find_last_not_of(kIdentifierCharacters);
    return last == std::string_view::npos ? std::string_view()
                                          : structures.type_of(expression.substr(last + 1));
}

/// The type of what "declared to = from" copies, "" if the line does not tell.
std::string_view copied_type(const Structures& structures, std::string_view declared,
                             std::string_view to, std::string_view from) {
    if (!declared.empty()) {
        return declared;
    }
    const std::string_view type = last_field_type(structures, to);
    return type.empty() ? last_field_type(structures, from) : type;
}

/// What a line "(&a)->b_0 = c.d_1;" copies; nullopt if it is no assignment of a variable or a field.
std::optional<Copy> read_copy(std::string_view line, const Structures& structures) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos || !line.ends_with(';')) {
        return std::nullopt;
    }
    const std::string_view to = trimmed(line.substr(0, equals));
    std::string_view from = trimmed(line.substr(equals + 3, line.size() - equals - 4));
    const auto [declared, name] = split_declaration(to);
    Copy copy;
    copy.type = copied_type(structures, declared, name, from);
    const bool is_followed = from.starts_with('*');
    const bool is_address = from.starts_with("(&");
    from.remove_prefix(is_followed ? 1 : is_address ? 2 : 0);
    copy.from_root = from.substr(0, from.find_first_not_of(kIdentifierCharacters));
    const std::string_view behind = from.substr(copy.from_root.size());
    copy.is_pointer = is_followed || (!is_address && behind.starts_with("->"));
    const bool is_plain = behind.find_first_not_of(core::text(kIdentifierCharacters, ".->)")) ==
                          std::string_view::npos;
    return is_plain && !copy.from_root.empty() ? std::optional(copy) : std::nullopt;
}

bool stays_in_function(std::string_view line) {
    return line.empty() || kSpace.find(line.front()) != std::string_view::npos ||
           line.front() == '{' || line.front() == '#';
}

bool must_stay_apart(const Copy& copy, const Structures& structures, bool is_read) {
    return structures.holds_rounds(copy.type) ||
           (is_read && copy.is_pointer && copy.type.starts_with(kArray));
}

} // namespace

std::string keep_copies_apart(std::string_view source) {
    if (source.find(kContext) == std::string_view::npos &&
        source.find(kRead) == std::string_view::npos) {
        return std::string(source);
    }
    const Structures structures(source);
    std::string result;
    result.reserve(source.size() + source.size() / 16);
    bool is_read = false;
    for (std::string_view rest = source; !rest.empty();) {
        const std::string_view line = take_line(rest);
        result.append(line);
        const bool is_inside = stays_in_function(line);
        is_read = line.find(kRead) != std::string_view::npos ? !is_inside : is_read && is_inside;
        if (const auto copy = read_copy(line, structures);
            copy && must_stay_apart(*copy, structures, is_read)) {
            result += core::text(" asm volatile(\"\" :: \"l\"(", copy->is_pointer ? "" : "&",
                                 copy->from_root, "));");
        }
        result += '\n';
    }
    return result;
}

} // namespace weft::compile
