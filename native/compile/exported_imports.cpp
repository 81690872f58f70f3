// SPDX-License-Identifier: Apache-2.0
#include "compile/exported_imports.hpp"

#include "compile/source_text.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <vector>

namespace weft::compile {

namespace {

constexpr std::string_view kKeyword = "import";
constexpr std::string_view kExported = "__exported";
constexpr std::string_view kSpaces = " \t\r\n";

bool follows_exported(std::string_view code, std::size_t at) {
    const std::size_t last = code.substr(0, at).find_last_not_of(kSpaces);
    return last != std::string_view::npos && code.substr(0, last + 1).ends_with(kExported);
}

/// True if the word at `at` begins a statement that is to be exported.
bool is_plain_import(std::string_view code, std::size_t at) {
    const bool starts = at == 0 || !core::is_name_character(code[at - 1]);
    return starts && !core::is_name_character(code[at + kKeyword.size()]) &&
           !follows_exported(code, at);
}

} // namespace

std::string exported_imports(std::string_view source) {
    const std::string blanked = blank_comments(source);
    const std::string_view code = blanked;
    std::vector<std::string> found;
    for (std::size_t at = code.find(kKeyword); at != std::string_view::npos;
         at = code.find(kKeyword, at + 1)) {
        const std::size_t end = at + kKeyword.size();
        const std::size_t stop = code.find(';', end);
        if (stop == std::string_view::npos || !is_plain_import(code, at)) {
            continue;
        }
        // From the source itself: a name in quotes is blank in `code`.
        std::string statement = "__exported import";
        statement += source.substr(end, stop + 1 - end);
        const bool is_one_line = statement.find('\n') == std::string::npos;
        if (is_one_line && std::find(found.begin(), found.end(), statement) == found.end()) {
            found.push_back(std::move(statement));
        }
    }
    std::string result;
    for (const std::string& statement : found) {
        result += (result.empty() ? "" : " ") + statement;
    }
    return result;
}

} // namespace weft::compile
