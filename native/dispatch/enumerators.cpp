// SPDX-License-Identifier: Apache-2.0
#include "dispatch/enumerators.hpp"

#include "core/text.hpp"
#include "dispatch/match.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>

namespace weft::dispatch {

using core::text;
using reflect::Type;
using reflect::TypeKind;

namespace {

/// The enumeration that the values of a type, or the elements of a tensor, are made of; null if there is none.
const Type* enumeration_in(const Type& type) {
    const bool holds_others = type.kind == TypeKind::tensor || type.kind == TypeKind::pointer;
    const Type& leaf = reflect::leaf(holds_others && type.element ? *type.element : type);
    return leaf.kind == TypeKind::enumeration ? &leaf : nullptr;
}

std::string remedy(const Type& type, std::string_view name) {
    std::vector<std::string> names;
    names.reserve(type.enumerators.size());
    for (const reflect::Enumerator& entry : type.enumerators) {
        names.push_back(entry.name);
    }
    return text(tensor::display_name(type), " has no ", quoted_text(name), ", its names are ",
                core::join(names, ", "), core::suggestion(name, names));
}

} // namespace

std::optional<NamedNumbers> find_numbers(const ArgumentList& arguments, std::uint32_t node,
                                         const Type& type, std::string& why) {
    const Type* const enumeration = enumeration_in(type);
    if (enumeration == nullptr) {
        why = "only enumerations take names: " + (type.kind == TypeKind::structure
                                                      ? structure_remedy(type)
                                                      : std::string("pass a number or an array"));
        return std::nullopt;
    }
    NamedNumbers named{.node = node, .numbers = {}};
    if (enumeration->scalar == reflect::ScalarKind::uint64) {
        named.scalar = reflect::ScalarKind::uint64;
    }
    for (const std::string_view name : arguments.names_of(arguments.nodes[node])) {
        const auto found =
            std::ranges::find(enumeration->enumerators, name,
                              [](const auto& entry) -> std::string_view { return entry.name; });
        if (found == enumeration->enumerators.end()) {
            why = remedy(*enumeration, name);
            return std::nullopt;
        }
        named.numbers.push_back(found->value);
    }
    return named;
}

bool Matcher::accept_names(const MatchRequest& request) {
    std::string why;
    auto named = find_numbers(m_arguments, request.node, *request.type, why);
    if (!named) {
        return refuse(request, why);
    }
    m_call.names.push_back(std::move(*named));
    return true;
}

} // namespace weft::dispatch
