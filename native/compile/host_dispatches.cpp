// SPDX-License-Identifier: Apache-2.0
#include "compile/host_dispatches.hpp"

#include "compile/slang_tokens.hpp"
#include "core/text.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace weft::compile {

using core::text;

namespace {

constexpr std::string_view kDispatch = "__dispatch_kernel";
constexpr std::string_view kOwnDispatch = "recordLaunchOf_"; // shorter, so that columns can stay

struct Parameter {
    std::string declaration;
    std::string name;
    bool is_tensor = false;
};

/// FNV-1a, 32 bits; weft/slangtorch/host.py has the same.
std::uint32_t hash_of(std::string_view name) {
    std::uint32_t hash = 2166136261U;
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    return hash;
}

/// The parameter between two tokens: its name is the last word before "=", ":" or "[".
std::optional<Parameter> read_parameter(const TokenList& tokens, std::size_t begin,
                                        std::size_t end) {
    Parameter parameter;
    for (std::size_t at = begin; at < end; ++at) {
        const std::string_view word = tokens.text(at);
        if (is_one_of(word, "=", ":")) {
            break;
        }
        if (word == "[" && !parameter.name.empty()) {
            parameter.declaration += tokens.source_of(at, end);
            break;
        }
        const std::size_t after = tokens.closing_angle(at + 1);
        const bool is_generic = tokens.opens_generics(at + 1);
        if (word == "TensorView" && is_generic) {
            parameter.is_tensor = true;
            parameter.declaration += text("TorchTensor", tokens.source_of(at + 1, after + 1), " ");
            at = after;
            continue;
        }
        if (tokens.is_word(at)) {
            parameter.name = word;
        }
        if (is_generic) {
            parameter.declaration += tokens.source_of(at, after + 1);
            at = after;
        } else {
            parameter.declaration += word;
        }
        parameter.declaration += " ";
    }
    return parameter.name.empty() ? std::nullopt : std::optional(parameter);
}

/// The parameters between the tokens `open` and `close`.
std::vector<Parameter> read_parameters(const TokenList& tokens, std::size_t open,
                                       std::size_t close) {
    std::vector<Parameter> parameters;
    std::size_t begin = open + 1;
    for (std::size_t end = begin; end <= close; ++end) {
        const std::size_t generic =
            tokens.text(end) == "<" ? tokens.closing_angle(end) : TokenList::npos;
        if (generic != TokenList::npos) {
            end = generic;
            continue;
        }
        if (end != close && tokens.text(end) != ",") {
            continue;
        }
        if (const auto parameter = read_parameter(tokens, begin, end)) {
            parameters.push_back(*parameter);
        }
        begin = end + 1;
    }
    return parameters;
}

/// The parameters of the function `name`; nothing if the source does not declare it.
std::optional<std::vector<Parameter>> find_parameters(const TokenList& tokens,
                                                      std::string_view name) {
    for (std::size_t at = 1; at + 1 < tokens.size(); ++at) {
        const bool is_head =
            tokens.text(at - 1) == "void" && tokens.text(at) == name && tokens.text(at + 1) == "(";
        const std::size_t close = is_head ? tokens.partner(at + 1) : TokenList::npos;
        if (close != TokenList::npos) {
            return read_parameters(tokens, at + 1, close);
        }
    }
    return std::nullopt;
}

/// A structure that is called with the kernel's arguments, and the function that makes one.
std::string recorder(std::string_view kernel, const std::vector<Parameter>& parameters) {
    std::string declared;
    std::string body;
    for (const Parameter& parameter : parameters) {
        declared += text(declared.empty() ? "" : ", ", parameter.declaration);
        body += text(parameter.is_tensor ? "weft_put_tensor(" : "weft_put_value(", parameter.name,
                     "); ");
    }
    const std::string type = text("SlangTorchLaunch_", kernel);
    return text("struct ", type, " { uint3 grid; uint3 block; void operator()(", declared,
                ") { weft_put_dispatch(", hash_of(kernel), "u, grid, block); ", body, "} }; ", type,
                " ", kOwnDispatch, kernel, "(uint3 grid, uint3 block) { return {grid, block}; }\n");
}

} // namespace

std::string record_dispatches(std::string_view source) {
    std::string out(source);
    if (source.find(kDispatch) == std::string_view::npos) {
        return out;
    }
    const TokenList tokens(source);
    std::map<std::string, std::string, std::less<>> recorders;
    for (std::size_t at = 0; at + 3 < tokens.size(); ++at) {
        const bool is_dispatch = tokens.text(at) == kDispatch && tokens.text(at + 1) == "(" &&
                                 tokens.is_word(at + 2) && tokens.text(at + 3) == ",";
        if (!is_dispatch) {
            continue;
        }
        const std::string kernel(tokens.text(at + 2));
        if (const auto parameters = find_parameters(tokens, kernel)) {
            recorders[kernel] = recorder(kernel, *parameters);
        }
        // "__dispatch_kernel(k," has one letter more than "recordLaunchOf_k(".
        const std::size_t begin = tokens[at].begin;
        const std::size_t length = tokens[at + 3].end() - begin;
        std::string call = text(kOwnDispatch, kernel, "(");
        call.resize(length, ' ');
        out.replace(begin, length, call);
    }
    out += out.ends_with('\n') ? "" : "\n";
    for (const auto& [kernel, declarations] : recorders) {
        out += declarations;
    }
    return out;
}

} // namespace weft::compile
