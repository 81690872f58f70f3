// SPDX-License-Identifier: Apache-2.0
// Display transforms of pictures.
#include "fit/display_transform.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_arrays.hpp"
#include "python/interpreter_lock.hpp"

#include <memory>
#include <vector>

namespace weft::python {

namespace py = pybind11;

namespace {

using fit::DisplayTransform;

std::unique_ptr<DisplayTransform> display_transform(const FitFloats& table, double high,
                                                    double toe) {
    const std::size_t entries = table.ndim() > 0 ? static_cast<std::size_t>(table.shape(0)) : 0;
    return std::make_unique<DisplayTransform>(vector_of(table), entries,
                                              fit::DisplayAxis{.high = high, .toe = toe});
}

py::tuple clip(const DisplayTransform& own) {
    return py::make_tuple(to_array(own.smallest()), to_array(own.largest()));
}

/// What a method makes of pixels without the interpreter lock.
auto computed(const DisplayTransform& own, const FitDoubles& pixels, auto method) {
    const std::span<const double> numbers = span_of(pixels);
    const Unlocked unlocked;
    return (own.*method)(numbers);
}

py::tuple invert(const DisplayTransform& own, const FitDoubles& values) {
    const fit::DisplayedLight found = computed(own, values, &DisplayTransform::invert);
    return py::make_tuple(to_array(found.light), to_array(found.is_shown));
}

} // namespace

void bind_fit_display(py::module_& module) {
    py::classh<DisplayTransform>(
        module, "DisplayTransform",
        "What a display shows of scene light; weft.fit.DisplayTransform says more. Pixels are "
        "three numbers each, in any shape; results are flat.\n\n"
        "Args:\n    table: Display values, shape (n, n, n, 3).\n"
        "    high: Light at the last entry.\n    toe: Light where steps begin to grow.\n")
        .def(py::init(&display_transform), py::arg("table"), py::arg("high"), py::arg("toe"))
        .def_static(
            "light_at",
            [](std::size_t entries, double high, double toe) {
                return to_array(DisplayTransform::light_at(entries, {.high = high, .toe = toe}));
            },
            py::arg("entries"), py::arg("high"), py::arg("toe"),
            "Returns the light at the entries of an axis, from 0 to `high`.")
        .def_property_readonly("clip", &clip,
                               "The smallest and the largest display value of each channel.")
        .def(
            "apply",
            [](const DisplayTransform& own, const FitDoubles& light) {
                return to_array(computed(own, light, &DisplayTransform::apply));
            },
            py::arg("light"), "Returns display values of linear light; below 0 counts as 0.")
        .def(
            "derivative",
            [](const DisplayTransform& own, const FitDoubles& light) {
                return to_array(computed(own, light, &DisplayTransform::derivative));
            },
            py::arg("light"),
            "Returns how display values change with light, nine numbers a pixel: row i, column j "
            "is the derivative of display channel i with respect to light channel j.")
        .def("invert", &invert, py::arg("values"),
             "Returns the light that shows display values, and which pixels some light shows.")
        .def(
            "is_invertible",
            [](const DisplayTransform& own, const FitDoubles& values) {
                return to_array(computed(own, values, &DisplayTransform::is_invertible));
            },
            py::arg("values"), "Returns which pixels tell the light that they show.");
}

} // namespace weft::python
