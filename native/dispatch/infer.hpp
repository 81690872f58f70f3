// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dispatch/bound_call.hpp"

#include <optional>
#include <string>

namespace weft::dispatch {

/// Infers the generic arguments of `function` from the arguments of a call.
/// @return the Slang spelling of the specialisation, "gen<float, 4>"; empty, with the reason in `why`,
///         if a parameter cannot be inferred.
[[nodiscard]] std::optional<std::string> infer_specialization(const reflect::Function& function,
                                                              const ArgumentList& arguments,
                                                              const CallOptions& options,
                                                              std::string& why);

} // namespace weft::dispatch
