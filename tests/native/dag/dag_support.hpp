// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/compiler.hpp"
#include "dag/build.hpp"
#include "dag/interpret.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace weft::dag {

/// The text as a module.
[[nodiscard]] compile::LoadedModuleRef load_text(std::string_view text);

/// SPIR-V of an entry point that imports the module.
[[nodiscard]] std::vector<std::byte> compile_source(const compile::LoadedModuleRef& module,
                                                    const std::string& source,
                                                    std::string_view entry_point);

/// SPIR-V of a kernel whose statements call functions of `text` with `reals[i]`, `integers[i]` and store to `real_results[i]`,
/// `integer_results[i]`.
[[nodiscard]] std::vector<std::byte> compile_call(std::string_view text,
                                                  std::string_view statements);

/// The same as a DAG.
[[nodiscard]] Function function_of(std::string_view text, std::string_view statements,
                                   const BuildOptions& options = {});

/// Results of a function of reals: rows of inputs, one column an element.
[[nodiscard]] std::vector<std::vector<float>>
reals_of(const Function& function, const std::vector<std::vector<float>>& inputs);

/// The message of the core::ArgumentError that `work` ends with. Fails the test if it ends without one.
template <typename Work>
std::string refusal_of(Work&& work) {
    try {
        work();
    } catch (const core::ArgumentError& error) {
        return error.what();
    }
    throw std::runtime_error("expected an ArgumentError, but nothing was thrown");
}

} // namespace weft::dag
