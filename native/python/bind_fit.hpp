// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Normal equations, steps and error bars of fits.
void bind_fit(pybind11::module_& module);

/// The solver, which calls a model of Python's.
void bind_fit_solver(pybind11::module_& module);

/// Maps of one material that are found together.
void bind_tied_maps(pybind11::module_& module);

} // namespace weft::python
