// SPDX-License-Identifier: Apache-2.0
#include "compile/differentiable_bodies.hpp"

#include "compile/file_names.hpp"

#include <algorithm>
#include <optional>

namespace weft::compile {

namespace {

constexpr std::size_t kNone = TokenList::npos;

bool is_differentiable(std::string_view attribute) {
    return attribute == "Differentiable" || attribute == "BackwardDifferentiable";
}

bool has_derivative_of_its_own(std::string_view attribute) {
    return attribute == "BackwardDerivative" || attribute == "BackwardDerivativeOf" ||
           attribute == "PrimalSubstitute" || attribute == "PrimalSubstituteOf";
}

/// Groups of attributes that follow each other, from the `[` at `first`.
struct Attributes {
    std::size_t end = 0; ///< behind the last `]`
    bool is_differentiable = false;
    bool is_forward_differentiable = false;
    bool has_own_derivative = false;
};

Attributes read_attributes(const TokenList& tokens, std::size_t first) {
    Attributes result{.end = first};
    while (tokens.text(result.end) == "[" && tokens.partner(result.end) != kNone) {
        const std::size_t close = tokens.partner(result.end);
        for (std::size_t i = result.end + 1; i < close; ++i) {
            result.is_differentiable =
                result.is_differentiable || is_differentiable(tokens.text(i));
            result.is_forward_differentiable =
                result.is_forward_differentiable || tokens.text(i) == "ForwardDifferentiable";
            result.has_own_derivative =
                result.has_own_derivative || has_derivative_of_its_own(tokens.text(i));
        }
        result.end = close + 1;
    }
    return result;
}

/// The name of the function whose parameters open at `open`, `other` if it has none.
std::string_view name_before(const TokenList& tokens, std::size_t open, std::string_view other) {
    const std::size_t name = function_name(tokens, open);
    return name == kNone ? other : tokens.text(name);
}

std::optional<DifferentiableBody> with_braces(const TokenList& tokens, DifferentiableBody body,
                                              std::size_t opening) {
    body.opening = opening;
    body.closing = tokens.partner(opening);
    return body.closing == kNone ? std::nullopt : std::optional(body);
}

/// The function behind attributes that end at `begin`.
std::optional<DifferentiableBody> read_body(const TokenList& tokens, std::size_t head,
                                            std::size_t begin) {
    DifferentiableBody body{.name = tokens.text(begin), .head = head};
    bool has_name = false;
    for (std::size_t i = begin; i < tokens.size(); ++i) {
        const std::string_view sign = tokens.text(i);
        if (is_one_of(sign, ";", "}")) {
            return std::nullopt;
        }
        if (sign == "{") {
            return with_braces(tokens, body, i);
        }
        if (!has_name && tokens.opens_generics(i)) {
            i = tokens.closing_angle(i);
        } else if (is_one_of(sign, "(", "[")) {
            if (sign == "(" && !has_name) {
                has_name = true;
                body.name = name_before(tokens, i, body.name);
            }
            if (tokens.partner(i) == kNone) {
                return std::nullopt;
            }
            i = tokens.partner(i);
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<DifferentiableBody> find_differentiable_bodies(const TokenList& tokens) {
    std::vector<DifferentiableBody> found;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens.text(i) != "[" || tokens.partner(i) == kNone || !tokens.is_word(i + 1)) {
            continue;
        }
        const Attributes attributes = read_attributes(tokens, i);
        if (!attributes.is_differentiable && !attributes.is_forward_differentiable) {
            continue;
        }
        const auto body = read_body(tokens, i, attributes.end);
        if (body && !attributes.has_own_derivative) {
            found.push_back(*body);
            found.back().has_reverse_mode = attributes.is_differentiable;
        }
        i = body ? body->closing : attributes.end - 1;
    }
    return found;
}

} // namespace weft::compile
