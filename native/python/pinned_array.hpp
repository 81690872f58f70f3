// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.hpp"

#include <pybind11/numpy.h>

namespace weft::python {

/// The values of a tensor in `out`, which is returned; None: in a new array.
/// @throws ArgumentError unless it is a writeable array without gaps, of the shape and dtype of the new one.
[[nodiscard]] pybind11::object tensor_to_array(const tensor::Tensor& tensor,
                                               const pybind11::object& out);

/// pinned_empty().
void bind_pinned_array(pybind11::module_& module);

} // namespace weft::python
