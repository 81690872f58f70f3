// SPDX-License-Identifier: Apache-2.0
// Tensor.storage: memory as bytes.
#pragma once

#include "tensor/tensor.hpp"

#include <memory>
#include <pybind11/pybind11.h>

namespace weft::python {

/// The whole buffer behind a tensor. As an argument of a call it takes the element type of its parameter.
struct Storage {
    std::shared_ptr<device::Buffer> buffer;
    reflect::TypeRef dtype; ///< of the tensor that it was asked of

    /// All of it as a row of elements; bytes that are left over stay outside.
    /// @throws ArgumentError if `type` cannot be an element.
    [[nodiscard]] tensor::TensorRef as_row_of(const reflect::TypeRef& type) const;
};

void bind_storage(pybind11::module_& module);

} // namespace weft::python
