// SPDX-License-Identifier: Apache-2.0
#include "compile/reverse_mode.hpp"

#include "compile/carried_numbers.hpp"
#include "compile/constant_values.hpp"
#include "compile/indexed_reads.hpp"
#include "compile/loop_nests.hpp"
#include "compile/written_values.hpp"
#include "core/text.hpp"

namespace weft::compile {

namespace {

/// Slang inlines such a function before it differentiates what calls it, and so makes nests that no text shows.
void keep_calls(const TokenList& tokens, const DifferentiableBody& body,
                std::vector<TextEdit>& edits) {
    constexpr std::string_view kEarly = "__unsafeForceInlineEarly";
    for (std::size_t i = body.head; i < body.opening; ++i) {
        if (tokens.text(i) == kEarly) {
            edits.push_back({tokens[i].begin, kEarly.size(), "ForceInline"});
        }
    }
}

/// True if the text of a macro holds a loop or an index.
bool hides_repair(const MacroDefinition& macro) {
    const TokenList content(macro.body);
    for (std::size_t i = 0; i < content.size(); ++i) {
        const bool is_index =
            content.text(i) == "[" && content.is_word(i + 1) && i > 0 && content.is_word(i - 1);
        if (is_index || is_one_of(content.text(i), "for", "while", "do")) {
            return true;
        }
    }
    return false;
}

/// Macros that hold what would have to be changed: their text is not the function's.
void find_macros(const TokenList& tokens, const DifferentiableBody& body,
                 std::vector<ReverseProblem>& problems) {
    for (const MacroDefinition& macro : tokens.macros()) {
        const bool is_opaque = hides_repair(macro);
        for (std::size_t i = body.opening; is_opaque && i < body.closing; ++i) {
            if (tokens.text(i) == macro.name) {
                problems.push_back({std::string(body.name), tokens.line_of(i),
                                    core::text("the macro '", macro.name,
                                               "' hides a loop or an index from Weft; write it as "
                                               "a function")});
                break;
            }
        }
    }
}

/// A function in which constants were changed for forward mode, `edit` the first of these changes.
ReverseProblem constant_change(const TokenList& tokens, const DifferentiableBody& body,
                               const TextEdit& edit) {
    std::size_t at = body.opening;
    while (at < body.closing && tokens[at].begin < edit.at) {
        ++at;
    }
    return {
        std::string(body.name), tokens.line_of(at),
        "a constant that a call changes, or of which a part is changed, has no form that Weft can "
        "change; let a function "
        "return it, float3 h = same(0.f) with [Differentiable] float same(float x) { return x; "
        "}"};
}

} // namespace

ReverseModeText repair_reverse_mode(std::string_view source) {
    if (source.find("Differentiable") == std::string_view::npos) {
        return {std::string(source), {}, {}, {}};
    }
    const TokenList tokens(source);
    const FileNames names = read_names(tokens);
    std::vector<TextEdit> edits;
    ReverseModeText result;
    for (const DifferentiableBody& body : find_differentiable_bodies(tokens)) {
        const std::size_t before = edits.size();
        repair_constant_values(tokens, body, names, edits);
        if (edits.size() > before) {
            result.forward_changes.push_back(constant_change(tokens, body, edits[before]));
        }
        if (!body.has_reverse_mode) {
            continue;
        }
        keep_calls(tokens, body, edits);
        repair_written_values(tokens, body, names, edits, result.problems);
        repair_carried_numbers(tokens, body, names, edits);
        repair_loop_nests(tokens, body, edits, result.problems);
        repair_indexed_reads(tokens, body, names, edits);
        find_macros(tokens, body, result.problems);
        if (edits.size() > before) {
            result.changes.push_back(
                {std::string(body.name), tokens.line_of(body.opening),
                 "its loops or indexed reads have no form that Weft can change; read arrays "
                 "through "
                 "a function, [Differentiable] float at(float[8] x, no_diff int i) { return x[i]; "
                 "}, "
                 "and put an equal [MaxIters(n)] in front of every loop of a nest"});
        }
    }
    result.text = apply_edits(source, std::move(edits));
    return result;
}

} // namespace weft::compile
