// SPDX-License-Identifier: Apache-2.0
#include "compile/memory_names.hpp"

#include "compile/file_names.hpp"

#include <algorithm>

namespace weft::compile {

namespace {

constexpr std::size_t kNone = TokenList::npos;

using Names = std::set<std::string_view>;

const Names kMemoryTypes{"RWTensor",
                         "IRWTensor",
                         "WTensor",
                         "IWTensor",
                         "NDBuffer",
                         "RWNDBuffer",
                         "RWStructuredBuffer",
                         "RWByteAddressBuffer",
                         "RasterizerOrderedStructuredBuffer",
                         "RasterizerOrderedByteAddressBuffer",
                         "RWBuffer",
                         "Ptr"};

/// What may stand in front of the declaration of a pointer.
const Names kBeforePointers{"",       ";",       "{",       "}",     "]",       "uniform",
                            "public", "no_diff", "private", "const", "internal"};

/// Reads `typealias A = B;` and `typedef B A;`.
void read_alias(const TokenList& tokens, std::size_t at, Names& types) {
    const std::string_view word = tokens.text(at);
    if (!is_one_of(word, "typealias", "typedef")) {
        return;
    }
    const std::size_t end = tokens.statement_end(at);
    if (word == "typealias" && tokens.text(end - 2) == "*") {
        types.insert(tokens.text(at + 1));
    }
    for (std::size_t i = at; i < end; ++i) {
        if (types.contains(tokens.text(i))) {
            types.insert(word == "typedef" ? tokens.text(end - 2) : tokens.text(at + 1));
        }
    }
}

/// Aliases and generic parameters of memory, with the types themselves.
Names find_types(const TokenList& tokens) {
    Names types = kMemoryTypes;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        read_alias(tokens, i, types);
        if (tokens.is_word(i) && tokens.text(i + 1) == ":" && types.contains(tokens.text(i + 2))) {
            types.insert(tokens.text(i)); // T : IRWTensor<float, 1>
        }
    }
    return types;
}

/// `float* p;` and `float* p = q;` as a statement, which no product is.
std::size_t pointer_name(const TokenList& tokens, std::size_t at) {
    if (at > 0 && !kBeforePointers.contains(tokens.text(at - 1))) {
        return kNone;
    }
    std::size_t name = type_end(tokens, at);
    if (tokens.text(name) != "*" || is_statement_word(tokens.text(at))) {
        return kNone;
    }
    while (tokens.text(name) == "*") {
        ++name;
    }
    const std::string_view next = tokens.text(name + 1);
    return tokens.is_word(name) && (next == ";" || next == "=" || next == "[") ? name : kNone;
}

/// The last token of the arguments in brackets that a token opens; the token itself if it opens none.
std::size_t group_end(const TokenList& tokens, std::size_t at) {
    if (tokens.opens_generics(at)) {
        return tokens.closing_angle(at);
    }
    const bool is_open = opens_bracket(tokens.text(at)) && tokens.partner(at) != kNone;
    return is_open ? tokens.partner(at) : at;
}

/// The parameters between two brackets.
std::vector<MemoryParameter> read_parameters(const TokenList& tokens, std::size_t open) {
    std::vector<MemoryParameter> parameters;
    const std::size_t close = tokens.partner(open);
    MemoryParameter parameter;
    bool is_named = false;
    for (std::size_t i = open + 1; i <= close; ++i) {
        const std::string_view word = tokens.text(i);
        if (word == "," || i == close) {
            if (!parameter.name.empty()) {
                parameters.push_back(parameter);
            }
            parameter = {};
            is_named = false;
            continue;
        }
        i = group_end(tokens, i);
        is_named = is_named || is_one_of(word, "=", ":");
        parameter.is_written = parameter.is_written || is_one_of(word, "out", "inout", "ref");
        parameter.is_read = parameter.is_read && word != "out";
        if (tokens.is_word(i) && !is_named) {
            parameter.name = tokens.text(i);
            parameter.at = i;
        }
    }
    return parameters;
}

/// Names of pointers among parameters.
void find_pointer_parameters(const TokenList& tokens, const FunctionText& function,
                             std::set<std::size_t>& found) {
    for (std::size_t i = function.head + 1; i < tokens.partner(function.head); ++i) {
        if (tokens.text(i) == "*" && tokens.is_word(i + 1)) {
            found.insert(i + 1);
        }
    }
}

std::vector<FunctionText> find_functions(const TokenList& tokens) {
    std::vector<FunctionText> found;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
        if (tokens.text(i) != "(" || tokens.partner(i) == kNone) {
            continue;
        }
        const std::size_t name = function_name(tokens, i);
        if (name == kNone || !declares(tokens, name)) {
            continue;
        }
        std::size_t opening = tokens.partner(i) + 1;
        while (opening < tokens.size() && !is_one_of(tokens.text(opening), "{", ";", "}", "=")) {
            ++opening;
        }
        if (tokens.text(opening) == "{" && tokens.partner(opening) != kNone) {
            found.push_back({tokens.text(name), read_parameters(tokens, i), i, opening,
                             tokens.partner(opening)});
        }
    }
    return found;
}

std::set<std::size_t> find_memory(const TokenList& tokens,
                                  const std::vector<FunctionText>& functions) {
    std::set<std::size_t> found;
    const Names types = find_types(tokens);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens.is_word(i)) {
            continue;
        }
        if (const std::size_t pointer = pointer_name(tokens, i); pointer != kNone) {
            found.insert(pointer);
        }
        const std::size_t name = type_end(tokens, i);
        if (types.contains(tokens.text(i)) && tokens.is_word(name)) {
            found.insert(name);
        }
    }
    for (const FunctionText& function : functions) {
        find_pointer_parameters(tokens, function, found);
    }
    return found;
}

Names find_static_variables(const TokenList& tokens) {
    Names names;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!is_one_of(tokens.text(i), "static", "groupshared")) {
            continue;
        }
        std::size_t type = i + 1;
        while (is_one_of(tokens.text(type), "public", "uniform", "static")) {
            ++type;
        }
        if (!tokens.is_word(type) || tokens.text(type) == "const") {
            continue;
        }
        const std::size_t name = type_end(tokens, type);
        if (tokens.is_word(name) && is_one_of(tokens.text(name + 1), ";", "=", "[")) {
            names.insert(tokens.text(name));
        }
    }
    return names;
}

} // namespace

bool declares(const TokenList& tokens, std::size_t name) {
    if (name > 1 && tokens.text(name - 1) == "*" && pointer_name(tokens, name - 2) == name) {
        return true;
    }
    if (!is_declaration(tokens, name)) {
        return false;
    }
    const std::string_view before = name == 0 ? std::string_view() : tokens.text(name - 1);
    for (std::size_t i = name; before != "," && i-- > 0;) {
        const std::string_view sign = tokens.text(i);
        if (sign == "=") {
            return false;
        }
        if (is_one_of(sign, ";", "{", "}", "(")) {
            break;
        }
    }
    return true;
}

MemoryText::MemoryText(std::string_view source)
    : tokens(source), functions(find_functions(tokens)), memory(find_memory(tokens, functions)) {}

void add_names(const MemoryText& file, MemoryNames& names) {
    for (const std::size_t name : file.memory) {
        const bool is_local =
            std::ranges::any_of(file.functions, [&](const FunctionText& function) {
                return function.head < name && name < function.closing;
            });
        if (!is_local) {
            names.memory.insert(file.tokens.text(name));
        }
    }
    FileNames read = read_names(file.tokens);
    names.mutating.merge(read.mutating);
    names.types.merge(read.types);
    names.variables.merge(find_static_variables(file.tokens));
}

} // namespace weft::compile
