// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace weft::compile {

/// Reads Slang's machine-readable output (tab-separated). Lines that only say that compiling stopped
/// are dropped; a primary line and its detail become one diagnostic. An activation of mlp with the
/// former name `slope` is told to rename it.
[[nodiscard]] std::vector<core::Diagnostic> parse_diagnostics(std::string_view output);

/// "a.slang:3:7: error 30015: undefined identifier 'y'."
[[nodiscard]] std::string to_string(const core::Diagnostic& diagnostic);

[[nodiscard]] bool is_error(const core::Diagnostic& diagnostic);

/// The message of the exception: "<what>: <first error>", and how many more there are.
[[nodiscard]] core::CompileError make_compile_error(std::string_view what,
                                                    std::vector<core::Diagnostic> diagnostics);

} // namespace weft::compile
