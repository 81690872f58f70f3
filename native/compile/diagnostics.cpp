// SPDX-License-Identifier: Apache-2.0
#include "compile/diagnostics.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace weft::compile {

using core::Diagnostic;

namespace {

/// Columns of one line: code, severity, file, line, column, end line, end column, message.
constexpr std::size_t kColumns = 8;

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> columns;
    while (columns.size() + 1 < kColumns) {
        const std::size_t tab = line.find('\t');
        if (tab == std::string_view::npos) {
            break;
        }
        columns.push_back(line.substr(0, tab));
        line.remove_prefix(tab + 1);
    }
    columns.push_back(line);
    return columns;
}

std::int32_t to_number(std::string_view text) {
    if (text.starts_with('E')) {
        text.remove_prefix(1);
    }
    std::int32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::string to_severity(std::string_view word) {
    return word == "fatal error" || word == "internal error" ? "fatal" : std::string(word);
}

/// "import of module 'x' failed" and "compilation ceased" follow from the errors before them.
bool is_consequence(const Diagnostic& diagnostic) {
    constexpr std::int32_t kImportFailed = 39999;
    constexpr std::int32_t kCompilationCeased = 40003;
    return diagnostic.line == 0 &&
           (diagnostic.code == kImportFailed || diagnostic.code == kCompilationCeased);
}

/// Free text (Slang's internal errors) has no columns; empty lines and "abort compilation" are noise.
std::optional<Diagnostic> parse_free_text(std::string_view line) {
    const bool is_noise = line.find_first_not_of(" \r") == std::string_view::npos ||
                          line.starts_with("abort compilation") || line.starts_with("(0):");
    if (is_noise) {
        return std::nullopt;
    }
    return Diagnostic{.severity = "error",
                      .code = 0,
                      .file = {},
                      .line = 0,
                      .column = 0,
                      .message = std::string(line)};
}

/// IActivation of Weft's module mlp has renamed a member. Slang cannot alias a requirement (a default
/// would ask every structure for `override`), so the error says what to rename. Goes with 0.2.
void explain_renamed_member(std::vector<Diagnostic>& diagnostics) {
    constexpr std::int32_t kMissingMember = 38100;
    for (std::size_t i = 0; i + 1 < diagnostics.size(); i++) {
        Diagnostic& error = diagnostics[i];
        const Diagnostic& note = diagnostics[i + 1];
        // Compiled modules do not know where their interfaces stand.
        const bool may_be_ours = note.file.empty() || note.file.ends_with("activations.slang");
        if (error.code == kMissingMember && error.message.ends_with("'derivative'") &&
            note.severity == "note" && may_be_ours) {
            error.message += "; activations of mlp had 'slope' before: rename it";
        }
    }
}

} // namespace

std::vector<Diagnostic> parse_diagnostics(std::string_view output) {
    std::vector<Diagnostic> result;
    while (!output.empty()) {
        const std::size_t end = std::min(output.find_first_of('\n'), output.size());
        const std::string_view line = output.substr(0, end);
        output.remove_prefix(std::min(end + 1, output.size()));
        const std::vector<std::string_view> columns = split(line);
        if (columns.size() < kColumns || line.starts_with("abort compilation")) {
            if (auto diagnostic = parse_free_text(line)) {
                result.push_back(std::move(*diagnostic));
            }
            continue;
        }
        const std::string_view message = columns[7];
        if (columns[1] != "span") {
            result.push_back({to_severity(columns[1]), to_number(columns[0]),
                              std::string(columns[2]), to_number(columns[3]), to_number(columns[4]),
                              std::string(message)});
        } else if (!result.empty() && !message.empty() &&
                   result.back().code == to_number(columns[0]) &&
                   result.back().line == to_number(columns[3])) {
            result.back().message = message; // the detail repeats the summary and names the culprit
        }
    }
    std::erase_if(result, is_consequence);
    explain_renamed_member(result);
    return result;
}

std::string to_string(const Diagnostic& diagnostic) {
    std::string place = diagnostic.file;
    if (diagnostic.line > 0) {
        place += core::text(place.empty() ? "line " : ":", diagnostic.line, ":", diagnostic.column);
    }
    const std::string code = diagnostic.code != 0 ? core::text(" ", diagnostic.code) : "";
    return core::text(place, place.empty() ? "" : ": ", diagnostic.severity, code, ": ",
                      diagnostic.message);
}

bool is_error(const Diagnostic& diagnostic) {
    return diagnostic.severity == "error" || diagnostic.severity == "fatal";
}

core::CompileError make_compile_error(std::string_view what, std::vector<Diagnostic> diagnostics) {
    const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), is_error);
    const auto count = std::count_if(diagnostics.begin(), diagnostics.end(), is_error);
    std::string message(what);
    if (first != diagnostics.end()) {
        message += ": " + to_string(*first);
    }
    if (count > 1) {
        message += core::text(" (and ", count - 1, count == 2 ? " more error)" : " more errors)");
    }
    return {message, std::move(diagnostics)};
}

} // namespace weft::compile
