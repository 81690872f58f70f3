// SPDX-License-Identifier: Apache-2.0
#include "fit/joint_numbers.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_arrays.hpp"
#include "python/one_at_a_time.hpp"

#include <memory>

namespace weft::python {

namespace py = pybind11;

namespace {

using Numbers = OneAtATime<fit::JointNumbers>;

py::array_t<double> step(Numbers& own, const FitDoubles& matrix, const FitDoubles& gradient,
                         double variance, bool is_averaging) {
    const fit::ReducedEquations reduced{matrix_of(matrix, "JointNumbers.step: matrix"),
                                        vector_of(gradient)};
    const fit::Vector moved =
        own.run([&](auto& numbers) { return numbers.step(reduced, variance, is_averaging); });
    return to_array(std::span<const double>(moved));
}

void add(Numbers& own, const FitFloats& residual_a, const FitFloats& jacobian_a,
         const FitFloats& residual_b, const FitFloats& jacobian_b, const FitDoubles& matrix,
         std::size_t texels) {
    const fit::SamplePair pair{{span_of(residual_a), span_of(jacobian_a)},
                               {span_of(residual_b), span_of(jacobian_b)}};
    const fit::Matrix reduced = matrix_of(matrix, "JointNumbers.add: matrix");
    own.run([&](auto& numbers) { numbers.add(pair, reduced, texels); });
}

py::object information(Numbers& own) {
    const auto found = own.run([](const auto& numbers) { return numbers.information(); });
    return found ? py::object(to_tuple(*found)) : py::object(py::none());
}

void bind_places(py::classh<Numbers>& bound) {
    bound
        .def_property_readonly(
            "x",
            [](Numbers& own) {
                const auto x = own.run([](const auto& numbers) { return numbers.x(); });
                return to_array(std::span<const double>(x));
            },
            "Where the numbers are, shape (p,).")
        .def_property_readonly(
            "fixed",
            [](Numbers& own) {
                return to_array(own.run([](const auto& numbers) { return numbers.fixed(); }));
            },
            "Which of them steps leave alone.")
        .def(
            "start_at",
            [](Numbers& own, const FitDoubles& x, const FitFlags& fixed) {
                const auto place = span_of(x);
                const auto flags = vector_of(fixed);
                own.run([&](auto& numbers) { numbers.start_at(place, flags); });
            },
            py::arg("x"), py::arg("fixed"),
            "Begins elsewhere; steps leave those alone that are `fixed`.")
        .def(
            "move_fixed",
            [](Numbers& own, const FitDoubles& x) {
                const auto place = span_of(x);
                own.run([place](auto& numbers) { numbers.move_fixed(place); });
            },
            py::arg("x"), "Puts the numbers that are fixed at a place; others keep theirs.")
        .def(
            "return_to",
            [](Numbers& own, const FitDoubles& x) {
                const auto place = span_of(x);
                own.run([place](auto& numbers) { numbers.return_to(place); });
            },
            py::arg("x"),
            "Puts the numbers that are not fixed back to where they were; averages begin anew.");
}

void bind_averages(py::classh<Numbers>& bound) {
    bound
        .def_property_readonly(
            "averaged",
            [](Numbers& own) {
                return own.run([](const auto& numbers) { return numbers.averaged(); });
            },
            "Iterations that results are averaged over.")
        .def_property_readonly(
            "information", &information,
            "matrix, covariance, lost and drawn_share of weft.fit.information.Information; None: "
            "nothing is averaged.")
        .def(
            "average",
            [](Numbers& own) { return own.run([](auto& numbers) { return numbers.average(); }); },
            "Counts an iteration that results are averaged over. False: none was counted, for the "
            "numbers have moved on, and averages begin anew.")
        .def("add", &add, py::arg("residual_a"), py::arg("jacobian_a"), py::arg("residual_b"),
             py::arg("jacobian_b"), py::arg("matrix"), py::arg("texels"),
             "Averages the iteration that average() has counted, and finds what all say.\n\n"
             "Args:\n    residual_a: Shape (n,).\n    jacobian_a: Shape (n, p).\n"
             "    residual_b: Shape (n,).\n    jacobian_b: Shape (n, p).\n"
             "    matrix: Of the normal equations, the textures eliminated, shape (p, p).\n"
             "    texels: Floats of the textures that pictures show: they explain noise, too.\n")
        .def(
            "save",
            [](Numbers& own) {
                return to_dict(own.run([](const auto& numbers) { return numbers.save(); }));
            },
            "Returns arrays by name: all that later steps depend on.")
        .def(
            "restore",
            [](Numbers& own, const py::dict& saved, std::size_t texels) {
                const fit::SavedArrays arrays = saved_arrays_of(saved);
                own.run([&](auto& numbers) { numbers.restore(arrays, texels); });
            },
            py::arg("saved"), py::arg("texels"),
            "Goes back to where save() was called; arrays that do not fit raise ArgumentError.");
}

} // namespace

void bind_joint_numbers(py::module_& module) {
    py::classh<Numbers> bound(
        module, "JointNumbers",
        "Numbers that move together with textures; see native/fit/joint_numbers.hpp.\n\n"
        "Args:\n    start: Shape (p,).\n    low: Smallest values.\n    high: Largest values.\n"
        "    prior: What is expected of them.\n");
    bound.def(py::init([](const FitDoubles& start, const FitDoubles& low, const FitDoubles& high,
                          const fit::Prior& prior) {
                  return std::make_unique<Numbers>(vector_of(start), vector_of(low),
                                                   vector_of(high), prior);
              }),
              py::arg("start"), py::arg("low"), py::arg("high"), py::arg("prior"));
    bind_places(bound);
    bound.def("step", &step, py::arg("matrix"), py::arg("gradient"), py::arg("variance"),
              py::arg("is_averaging"),
              "Makes a step within the trust region and the bounds, and returns it.\n\n"
              "Args:\n    matrix: Of the normal equations at x, the textures eliminated.\n"
              "    gradient: Of the same, shape (p,).\n    variance: Of a residual.\n"
              "    is_averaging: All further iterations count alike; else the last few do.\n");
    bind_averages(bound);
}

} // namespace weft::python
