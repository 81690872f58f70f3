// SPDX-License-Identifier: Apache-2.0
#include "dispatch/kernel_error.hpp"

#include "compile/compiler.hpp"
#include "compile/diagnostics.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

namespace weft::dispatch {

using core::Diagnostic;
using core::text;

namespace {

// Slang's numbers of messages about generated text whose cause lies in what the text uses.
constexpr std::int32_t kNotAssignable = 30011;
constexpr std::int32_t kTypeMismatch = 30019;
constexpr std::int32_t kMayThrow = 30094;
constexpr std::int32_t kNotAccessible = 30600;
constexpr std::int32_t kNotInThisStage = 36107;
constexpr std::int32_t kUnresolved = 45001;
constexpr std::int32_t kAborted = 99997; ///< a fault of Slang's own

bool is_generated(const Diagnostic& diagnostic) {
    return diagnostic.file.starts_with(compile::kGeneratedFile);
}

/// The first error and the notes that explain it.
std::span<const Diagnostic> first_error(std::span<const Diagnostic> all) {
    const auto first = std::find_if(all.begin(), all.end(), compile::is_error);
    if (first == all.end()) {
        return {};
    }
    const auto end = std::find_if(first + 1, all.end(),
                                  [](const Diagnostic& next) { return next.severity != "note"; });
    return {first, end};
}

/// prelude() and constants() put text of the user's behind the imports.
bool is_in_prelude(const Diagnostic& error, const codegen::Kernel& kernel) {
    const auto first = static_cast<std::ptrdiff_t>(kernel.imports.size()) + 1;
    const auto lines = std::count(kernel.prelude.begin(), kernel.prelude.end(), '\n') + 1;
    return !kernel.prelude.empty() && error.line >= first && error.line < first + lines;
}

/// Slang ends its sentences, we go on.
std::string without_stop(std::string message) {
    while (message.ends_with('.')) {
        message.pop_back();
    }
    return message;
}

/// " (where: what)" of the first note about the user's own text.
std::string explanation(std::span<const Diagnostic> notes) {
    const auto note = std::find_if(notes.begin(), notes.end(), [](const Diagnostic& candidate) {
        return candidate.line > 0 && !is_generated(candidate);
    });
    return note == notes.end() ? "" : text(" (", compile::to_string(*note), ")");
}

/// What the user can do about an error in generated text; "" if it is none of their making.
std::string remedy(const Diagnostic& error, const codegen::Kernel& kernel) {
    switch (error.code) {
    case kNotAssignable:
        return "a structure in its signature has a field that cannot be written; declare the field "
               "without const";
    case kTypeMismatch:
        if (error.message.find("Atomic<") != std::string::npos) {
            return "Slang passes no pointer to Atomic values; take a pointer to the numbers "
                   "themselves, with InterlockedAdd() and its kin";
        }
        return "pass a structure that implements the interface: struct Name : Interface { ... }";
    case kMayThrow: return "call it from a function of yours that catches what it throws";
    case kNotAccessible:
        return "its module marks names as public or private, and hides the others; declare it "
               "public";
    case kNotInThisStage: return "take what only other targets or shader stages have out of it";
    default: break;
    }
    return is_in_prelude(error, kernel) ? "correct the text given to prelude() or constants()" : "";
}

const char* derivative_name(const codegen::Kernel& kernel) {
    return kernel.derivative == codegen::Derivative::backward ? ".bwds" : ".fwds";
}

// Slang 2026.12 crashes on the backward derivative of a function that calls bwd_diff, and aborts on the forward one.
constexpr const char* kHigherOrder =
    "; if it takes derivatives itself: Slang differentiates what calls fwd_diff once, and not what "
    "calls "
    "bwd_diff; write it so, or give it a derivative of its own ([BackwardDerivative], "
    "[ForwardDerivative])";

std::string user_message(std::span<const Diagnostic> error, const codegen::Kernel& kernel) {
    const Diagnostic& first = error.front();
    if (first.code == kAborted && kernel.derivative != codegen::Derivative::none) {
        return text(kernel.callee, derivative_name(kernel),
                    ": Slang cannot differentiate it: ", without_stop(first.message), kHigherOrder);
    }
    if (!is_generated(first)) {
        return text(kernel.callee,
                    ": it does not compile: ", without_stop(compile::to_string(first)),
                    first.code == kUnresolved ? "; define it, give it a value with constants(), or "
                                                "name the module that exports it in link=[...]"
                                              : "");
    }
    const std::string what = remedy(first, kernel);
    return what.empty()
               ? ""
               : text(kernel.callee, ": it cannot be called: ", without_stop(first.message),
                      explanation(error.subspan(1)), "; ", what);
}

bool is_thin(const reflect::Type& type) {
    const reflect::Type* at = &type;
    while (at->kind == reflect::TypeKind::array && at->element) {
        at = at->element.get();
    }
    return at->kind == reflect::TypeKind::matrix && (at->rows == 1 || at->columns == 1);
}

/// What is wrong with the user's names or types, whatever Slang says of the generated text; "" if nothing is known.
std::string known_reason(std::span<const Diagnostic> error, const codegen::Kernel& kernel,
                         const std::vector<std::string>& hidden) {
    if (!error.empty() && is_generated(error.front()) && !hidden.empty()) {
        return text("its module declares '", core::join(hidden, "', '"),
                    "', which hides what Slang calls so and the code around calls uses; rename it");
    }
    bool has_thin = kernel.has_result && is_thin(*kernel.result.type);
    codegen::for_each_operand(kernel, [&](const codegen::Operand& operand) {
        has_thin = has_thin || is_thin(*operand.type);
    });
    const bool is_unsaid = error.empty() || error.front().code == kNotInThisStage;
    return has_thin && is_unsaid
               ? "Slang makes no code for matrices of one row or one column on this device; take a "
                 "vector, or an array of vectors"
               : "";
}

std::string all_errors(std::span<const Diagnostic> diagnostics) {
    std::string lines;
    for (const Diagnostic& diagnostic : diagnostics) {
        if (compile::is_error(diagnostic)) {
            lines += "\n" + compile::to_string(diagnostic);
        }
    }
    return lines;
}

} // namespace

void throw_kernel_error(const core::CompileError& error, const codegen::Kernel& kernel,
                        const std::string& source, const std::vector<std::string>& hidden) {
    const auto first = first_error(error.diagnostics());
    if (const std::string reason = known_reason(first, kernel, hidden); !reason.empty()) {
        throw core::CompileError(text(kernel.callee, ": it cannot be called: ", reason),
                                 error.diagnostics());
    }
    if (first.empty() && kernel.derivative != codegen::Derivative::none) {
        throw core::CompileError(
            text(kernel.callee, derivative_name(kernel), ": ", error.what(), kHigherOrder),
            error.diagnostics());
    }
    if (first.empty()) {
        throw error; // out of time or memory: says all of it
    }
    if (const std::string message = user_message(first, kernel); !message.empty()) {
        throw core::CompileError(message, error.diagnostics());
    }
    throw core::InternalError(text(kernel.callee, ": Slang rejects the kernel generated for it:",
                                   all_errors(error.diagnostics()), "\nThe kernel:\n", source));
}

} // namespace weft::dispatch
