// SPDX-License-Identifier: Apache-2.0
// What the names in a module's sources say beyond its reflection, which lists own declarations only.
#pragma once

#include "compile/compiler.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace weft::dispatch {

/// True if a file other than the module's own mentions `name`.
[[nodiscard]] bool is_named_in_imports(const compile::LoadedModule& module, std::string_view name);
/// True if any file of the module mentions `name`.
[[nodiscard]] bool is_named_in(const compile::LoadedModule& module, std::string_view name);
/// True if a file of the module declares a cbuffer of this name.
[[nodiscard]] bool is_constant_block(const compile::LoadedModule& module, std::string_view name);
/// Kernels are text in which the module's names are visible: some names must stay free there.
/// @throws ArgumentError that names a function or structure called weft_..., or like a built-in type.
void require_free_names(const compile::LoadedModule& module);

/// Names of Slang's own, such as asfloat or vector, that generated `source` uses and a file of the module declares.
[[nodiscard]] std::vector<std::string> hidden_names(const compile::LoadedModule& module,
                                                    std::string_view source);

} // namespace weft::dispatch
