// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"
#include "core/error.hpp"

#include <string>
#include <vector>

namespace weft::dispatch {

/// What Slang said about a generated kernel, as an error of the one who can repair it: of the user if it
/// complains about their text (their module, prelude(), a function that is not public, ...), else of Weft.
/// @param source: the generated text.
/// @param hidden: names of Slang's own that the text uses and the module declares, see hidden_names().
/// @throws CompileError that begins with the function's name and says what to do.
/// @throws InternalError with the generated text.
[[noreturn]] void throw_kernel_error(const core::CompileError& error, const codegen::Kernel& kernel,
                                     const std::string& source,
                                     const std::vector<std::string>& hidden = {});

} // namespace weft::dispatch
