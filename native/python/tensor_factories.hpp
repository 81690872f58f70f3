// SPDX-License-Identifier: Apache-2.0
// Arguments of Tensor.empty() and its sisters.
#pragma once

#include "python/session.hpp"
#include "tensor/tensor.hpp"

#include <cstdint>
#include <memory>
#include <pybind11/pybind11.h>
#include <vector>

namespace weft::python {

/// @throws ArgumentError{type} if `value` is no weft.Device.
[[nodiscard]] std::shared_ptr<Session> device_argument(pybind11::handle value,
                                                       const char* function);

/// An integer or a sequence of integers. @throws ArgumentError{type} with the entry at fault.
[[nodiscard]] std::vector<std::int64_t> shape_argument(pybind11::handle value,
                                                       const char* function);

/// The dtype argument, or `fallback` for None.
[[nodiscard]] reflect::TypeRef dtype_argument(pybind11::handle value, const char* function,
                                              reflect::ScalarKind fallback);

/// The dtype of the values' own: of a Python number or a numpy array.
[[nodiscard]] reflect::TypeRef dtype_of_value(pybind11::handle value, const char* function);

/// start, start + step, ... below stop; (stop) alone starts at 0.
[[nodiscard]] tensor::TensorRef make_range(const Session& session, pybind11::handle start,
                                           pybind11::handle stop, pybind11::handle step,
                                           pybind11::handle dtype);

/// A tensor that holds the values of an array; `dtype` None takes the array's.
[[nodiscard]] tensor::TensorRef make_from_array(const Session& session, pybind11::handle values,
                                                pybind11::handle dtype);

/// Stores `values` in the tensor as from_numpy does. @param context begins messages.
void store_values(tensor::Tensor& tensor, pybind11::handle values, const char* context);

} // namespace weft::python
