// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace weft::python {

/// What the Python class `DiffPair` holds: a host value and its gradient, as two arrays of one shape, or a tensor
/// with gradients. Guarded by the interpreter lock.
struct DiffPair {
    enum class Form { number, list, array, tensor };

    Form form = Form::number; ///< what the value was given as, and is read as
    pybind11::object value;   ///< a numpy array of floats; of a tensor: the tensor with gradients
    pybind11::object gradient{}; ///< a numpy array; of a tensor: null
    bool needs_gradient = true;  ///< false: calls take the value alone, as a constant
};

void bind_diff_pair(pybind11::module_& module);

} // namespace weft::python
