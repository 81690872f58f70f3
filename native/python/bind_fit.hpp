// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Normal equations, steps and error bars of fits.
void bind_fit(pybind11::module_& module);

/// The solver, which calls a model of Python's.
void bind_fit_solver(pybind11::module_& module);

/// Misfits, verdicts and weights by residuals.
void bind_fit_judgement(pybind11::module_& module);

/// Display transforms of pictures.
void bind_fit_display(pybind11::module_& module);

/// The vector of unknowns.
void bind_fit_unknowns(pybind11::module_& module);

/// How many paths iterations take.
void bind_fit_samples(pybind11::module_& module);

/// The views.
void bind_fit_views(pybind11::module_& module);

/// Models of numbers.
void bind_fit_models(pybind11::module_& module);

/// Models of textures.
void bind_fit_textures(pybind11::module_& module);

/// The phases of fits, and what they have found.
void bind_fit_stage(pybind11::module_& module);

} // namespace weft::python
