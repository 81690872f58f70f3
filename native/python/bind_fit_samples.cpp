// SPDX-License-Identifier: Apache-2.0
// How many paths iterations of a fit take.
#include "fit/sample_counts.hpp"
#include "python/bind_fit.hpp"

namespace weft::python {

namespace py = pybind11;

void bind_fit_samples(py::module_& module) {
    module.attr("MAX_SAMPLES_FACTOR") = fit::kMaxSamplesFactor;
    module.attr("MIN_PATHS") = fit::kMinPaths;
    module.attr("PATHS_PER_SCALAR") = fit::kPathsPerNumber;
    module.def("iteration_samples", &fit::iteration_samples, py::arg("pixels"), py::arg("scalars"),
               py::arg("wanted"), py::arg("least"),
               "Returns the paths a pixel in each sample set of an iteration: more where pixels "
               "are few.\n\n"
               "Args:\n    pixels: Of all views that are drawn.\n    scalars: Number of unknowns.\n"
               "    wanted: Samples of the settings.\n    least: Samples that are enough.\n");
}

} // namespace weft::python
