// SPDX-License-Identifier: Apache-2.0
#include "compile/declarations.hpp"

#include "compile/file_names.hpp"

#include <cctype>

namespace weft::compile {

namespace {

constexpr std::size_t kNone = TokenList::npos;

} // namespace

bool is_in_scope(const TokenList& tokens, const DifferentiableBody& body, std::size_t name,
                 std::size_t at) {
    for (std::size_t i = name; i-- > body.head;) {
        const std::size_t partner = tokens.partner(i);
        if (partner == kNone || partner < name) {
            continue;
        }
        if (tokens.text(i) == "{") {
            return partner >= at;
        }
        if (tokens.text(i) == "(" && tokens.text(i - 1) == "for") { // for (float q = ...
            return tokens.statement_end(i - 1) >= at;
        }
    }
    return true; // a parameter
}

std::size_t find_declaration(const TokenList& tokens, const DifferentiableBody& body,
                             std::string_view name, std::size_t at) {
    for (std::size_t i = at + 1; i-- > body.head;) {
        if (tokens.text(i) == name && tokens.is_word(i) && is_declaration(tokens, i) &&
            is_in_scope(tokens, body, i, at)) {
            return i;
        }
    }
    return kNone;
}

std::size_t declaration_begin(const TokenList& tokens, std::size_t name) {
    const bool is_in_list = tokens.text(name - 1) == ",";
    std::size_t first = name;
    for (; first > 0; --first) {
        const std::string_view sign = tokens.text(first - 1);
        const std::size_t partner = tokens.partner(first - 1);
        if (is_one_of(sign, ";", "{", "}", "(") || (sign == "," && !is_in_list)) {
            break;
        }
        const bool is_closing = is_one_of(sign, ")", "]");
        first = is_closing && partner != kNone ? partner + 1 : first;
    }
    return first;
}

bool is_interface_name(std::string_view name) {
    return name.size() > 1 && name[0] == 'I' &&
           std::isupper(static_cast<unsigned char>(name[1])) != 0;
}

} // namespace weft::compile
