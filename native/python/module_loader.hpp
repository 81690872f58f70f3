// SPDX-License-Identifier: Apache-2.0
// Arguments of Module.load_from_* to compile::ModuleDesc.
#pragma once

#include "python/session.hpp"

#include <pybind11/pybind11.h>
#include <string>

namespace weft::python {

/// Finds the file: absolute, relative to the working folder, then in the device's include paths; the
/// ending .slang may be left out. Options: "defines", "include_paths".
/// @throws ArgumentError{not_found} listing where it looked; ArgumentError for unknown options.
[[nodiscard]] compile::ModuleDesc describe_file(const Session& session, pybind11::handle path,
                                                const pybind11::dict& options);
[[nodiscard]] compile::ModuleDesc describe_source(const Session& session, std::string name,
                                                  std::string source,
                                                  const pybind11::dict& options);
/// `desc` for the device of `session` with more options.
[[nodiscard]] compile::ModuleDesc describe_again(const Session& session, compile::ModuleDesc desc,
                                                 const pybind11::dict& options);

} // namespace weft::python
