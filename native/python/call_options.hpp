// SPDX-License-Identifier: Apache-2.0
// Python values of map(), return_type(), constants() and dispatch() to CallOptions.
#pragma once

#include "dispatch/module.hpp"

#include <array>
#include <pybind11/pybind11.h>
#include <string>

namespace weft::python {

/// (0, 1), 0, (), or a type: weft.float32, float, module.Pixel, "float3".
[[nodiscard]] dispatch::Mapping parse_mapping(pybind11::handle entry,
                                              const dispatch::Module& module);
/// "numpy", numpy.ndarray, "tensor", weft.Tensor. @throws ArgumentError for anything else.
[[nodiscard]] dispatch::ReturnKind parse_return_kind(pybind11::handle type);
/// True, 3, 0.5 as Slang literals; [1, 2] as an initialiser list.
[[nodiscard]] std::string constant_literal(pybind11::handle value);
/// 1024, (32, 32) or (8, 8, 4). @throws ArgumentError for entries below 1 or not integers.
[[nodiscard]] std::array<std::int64_t, 3> parse_thread_count(pybind11::handle count);

} // namespace weft::python
