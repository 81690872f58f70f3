// SPDX-License-Identifier: Apache-2.0
// Python values of map(), return_type(), constants() and dispatch() to CallOptions.
#pragma once

#include "device/command_list.hpp"
#include "dispatch/module.hpp"

#include <array>
#include <pybind11/pybind11.h>
#include <string>
#include <string_view>

namespace weft::python {

/// (0, 1), 0, (), or a type: weft.float32, float, module.Pixel, "float3".
[[nodiscard]] dispatch::Mapping parse_mapping(pybind11::handle entry,
                                              const dispatch::Module& module);
/// "numpy", numpy.ndarray, "tensor", weft.Tensor, "torch", torch.Tensor. @throws ArgumentError for anything else.
/// @param parameter names it: "return_type: the type".
[[nodiscard]] dispatch::ReturnKind parse_return_kind(pybind11::handle type,
                                                     std::string_view parameter);
/// parse_return_kind() that knows the usual spellings by their address: literals are interned.
class ReturnKinds {
public:
    ReturnKinds();
    /// @throws ArgumentError as parse_return_kind() does.
    [[nodiscard]] dispatch::ReturnKind parse(PyObject* type, std::string_view function) const;

private:
    pybind11::object m_numpy;
    pybind11::object m_tensor;
    pybind11::handle m_tensor_class;
};

/// True, 3, 0.5 as Slang literals; [1, 2] as an initialiser list.
[[nodiscard]] std::string constant_literal(pybind11::handle value);
/// 1024, (32, 32) or (8, 8, 4). @throws ArgumentError for entries below 1 or not integers.
[[nodiscard]] std::array<std::int64_t, 3> parse_thread_count(pybind11::handle count);

/// @throws ArgumentError{type}, which begins with `function`, for anything but a weft.CommandEncoder.
[[nodiscard]] device::CommandList& encoder_argument(PyObject* value, const char* function);
/// `deterministic=` of a call. @throws ArgumentError{type} for anything but True and False.
[[nodiscard]] bool deterministic_argument(PyObject* value, std::string_view function);

} // namespace weft::python
