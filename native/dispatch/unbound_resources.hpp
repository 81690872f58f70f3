// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/compiler.hpp"

#include <string_view>

namespace weft::dispatch {

/// A driver that meets a descriptor without a resource reads zeros or ends the process.
/// @throws ArgumentError that names `function` and the textures, samplers and so on that `code` uses.
void require_bindable(const compile::KernelCode& code, std::string_view function);

/// For code that Slang cannot compile for this device: a resource may be the reason.
/// @throws ArgumentError that names `function` and the resources that the module declares, if it does.
void require_no_resources(const compile::LoadedModule& module, const core::CompileError& error,
                          std::string_view function);

/// What to write instead of a resource whose type Slang spells `type`.
[[nodiscard]] std::string_view resource_remedy(std::string_view type) noexcept;

} // namespace weft::dispatch
