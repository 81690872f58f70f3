// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/compiler.hpp"

#include <pybind11/pybind11.h>
#include <string>

namespace weft::python {

/// A str or os.PathLike as UTF-8 text.
/// @throws ArgumentError{type} for another type, ArgumentError for a path that is not Unicode.
[[nodiscard]] std::string path_argument(pybind11::handle path, const char* function,
                                        const char* parameter);
/// {"N": 4, "DEBUG": True} as preprocessor definitions.
[[nodiscard]] compile::Definitions definitions_argument(const pybind11::dict& defines);

} // namespace weft::python
