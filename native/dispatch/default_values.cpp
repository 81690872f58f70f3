// SPDX-License-Identifier: Apache-2.0
#include "dispatch/default_values.hpp"

#include "compile/file_names.hpp"
#include "compile/slang_tokens.hpp"
#include "core/text.hpp"

#include <sstream>

namespace weft::dispatch {

using core::text;

namespace {

std::string number_text(const reflect::Literal& literal) {
    if (const bool* flag = std::get_if<bool>(&literal)) {
        return *flag ? "true" : "false";
    }
    if (const std::int64_t* integer = std::get_if<std::int64_t>(&literal)) {
        return text(*integer);
    }
    std::ostringstream stream;
    stream.precision(17);
    stream << std::showpoint << std::get<double>(literal);
    return std::move(stream).str();
}

/// True for a bracket without its counterpart.
bool is_unmatched(const compile::TokenList& tokens, std::size_t at) {
    const std::string_view sign = tokens.text(at);
    const bool is_bracket = compile::opens_bracket(sign) || compile::closes_bracket(sign);
    return (is_bracket && tokens.partner(at) == compile::TokenList::npos) ||
           (sign == "<" && !tokens.opens_generics(at));
}

/// True if it means the same in every file.
bool is_portable(const std::string& expression, const std::string& own_type) {
    const compile::TokenList tokens(expression);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (is_unmatched(tokens, i)) {
            return false;
        }
        const std::string_view word = tokens.text(i);
        const bool is_known = compile::is_core_type(word) || word == own_type ||
                              compile::is_one_of(word, "true", "false") ||
                              (i > 0 && tokens.text(i - 1) == ".");
        if (tokens.is_word(i) && !is_known) {
            return false;
        }
    }
    return tokens.size() > 0;
}

} // namespace

std::string default_expression(const reflect::Parameter& parameter) {
    if (parameter.default_value) {
        return text(parameter.type->full_name, "(", number_text(*parameter.default_value), ")");
    }
    const bool is_usable =
        parameter.has_default && is_portable(parameter.default_text, parameter.type->full_name);
    return is_usable ? parameter.default_text : "";
}

} // namespace weft::dispatch
