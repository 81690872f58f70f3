// SPDX-License-Identifier: Apache-2.0
#include "python/bind_fit.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/box_blur.hpp"
#include "fit/information.hpp"
#include "fit/normal_equations.hpp"
#include "fit/prior.hpp"
#include "fit/quadratic.hpp"
#include "fit/starts.hpp"
#include "python/fit_arrays.hpp"
#include "python/interpreter_lock.hpp"

#include <algorithm>

namespace weft::python {

namespace py = pybind11;

namespace {

fit::SamplePair pair_of(const FitFloats& residual_a, const FitFloats& jacobian_a,
                        const FitFloats& residual_b, const FitFloats& jacobian_b) {
    return {{span_of(residual_a), span_of(jacobian_a)}, {span_of(residual_b), span_of(jacobian_b)}};
}

fit::NormalEquations normal_equations(const FitFloats& residual_a, const FitFloats& jacobian_a,
                                      const FitFloats& residual_b, const FitFloats& jacobian_b,
                                      std::size_t cluster_size) {
    const fit::SamplePair pair = pair_of(residual_a, jacobian_a, residual_b, jacobian_b);
    const Unlocked unlocked;
    return fit::normal_equations(pair, cluster_size);
}

// NOLINTNEXTLINE(readability-function-size): Python's function has as many parameters.
py::tuple gather_information(const fit::NormalEquations& equations, const FitFloats& residual_a,
                             const FitFloats& jacobian_a, const FitFloats& residual_b,
                             const FitFloats& jacobian_b, const py::object& known,
                             std::size_t cluster_size, const py::object& extent) {
    const fit::SamplePair pair = pair_of(residual_a, jacobian_a, residual_b, jacobian_b);
    fit::InformationSettings settings{.cluster_size = cluster_size};
    const FitDoubles known_array = known.is_none() ? FitDoubles(0) : FitDoubles(known);
    const FitDoubles extent_array = extent.is_none() ? FitDoubles(0) : FitDoubles(extent);
    settings.known = span_of(known_array);
    settings.extent = span_of(extent_array);
    fit::Information found;
    {
        const Unlocked unlocked;
        found = fit::gather_information(equations, pair, settings);
    }
    return to_tuple(found);
}

void bind_equations(py::module_& module) {
    using Equations = fit::NormalEquations;
    py::classh<Equations>(
        module, "NormalEquations",
        "H d = -g of a least-squares problem from two independent sample sets, and their noise; "
        "see normal_equations() and exact_equations().")
        .def_property_readonly(
            "matrix", [](const Equations& own) { return to_array(own.matrix); },
            "H = (J_A' J_B + J_B' J_A) / 2, shape (p, p).")
        .def_property_readonly(
            "gradient", [](const Equations& own) { return to_array(own.gradient); },
            "g = (J_A' r_B + J_B' r_A) / 2, shape (p,).")
        .def_property_readonly(
            "loss", [](const Equations& own) { return own.loss; },
            "r_A' r_B: zero on average where the model explains the target.")
        .def_property_readonly(
            "spread", [](const Equations& own) { return to_array(own.spread); },
            "Diagonal of (J_A' J_A + J_B' J_B) / 2, shape (p,): H_ii with the noise of J.")
        .def_property_readonly(
            "skew", [](const Equations& own) { return to_array(own.skew); },
            "(J_A' J_B - J_B' J_A) / 2, shape (p, p): noise as that of H.")
        .def_property_readonly(
            "gradient_noise", [](const Equations& own) { return to_array(own.gradient_noise); },
            "Covariance of g by the noise of the sample sets, shape (p, p).")
        .def_property_readonly(
            "diagonal_noise", [](const Equations& own) { return to_array(own.diagonal_noise); },
            "Standard deviation of each H_ii by the noise of the sample sets, shape (p,).");
    module.def("normal_equations", &normal_equations, py::arg("residual_a"), py::arg("jacobian_a"),
               py::arg("residual_b"), py::arg("jacobian_b"), py::arg("cluster_size") = 1,
               "Returns the normal equations of two independent sample sets.\n\n"
               "Args:\n    residual_a: Shape (n,).\n    jacobian_a: Shape (n, p).\n"
               "    residual_b: Shape (n,).\n    jacobian_b: Shape (n, p).\n"
               "    cluster_size: So many residuals in a row share their noise; divides n.\n\n"
               "Raises:\n    ArgumentError: Shapes do not fit, or a number is not finite.\n");
    module.def(
        "exact_equations",
        [](const FitDoubles& matrix, const FitDoubles& gradient, double loss) {
            return fit::exact_equations(matrix_of(matrix, "exact_equations: matrix"),
                                        vector_of(gradient), loss);
        },
        py::arg("matrix"), py::arg("gradient"), py::arg("loss"),
        "Returns normal equations without noise; H has shape (p, p), g has shape (p,).");
}

void bind_information(py::module_& module) {
    module.def("gather_information", &gather_information, py::arg("equations"),
               py::arg("residual_a"), py::arg("jacobian_a"), py::arg("residual_b"),
               py::arg("jacobian_b"), py::arg("known") = py::none(), py::arg("cluster_size") = 1,
               py::arg("extent") = py::none(),
               "Returns matrix, covariance, lost, drawn_share and is_silent of "
               "weft.fit.information.Information; "
               "see weft.fit.information.gather_information().");
    module.def(
        "standard_errors",
        [](const FitDoubles& covariance, const FitDoubles& lost) {
            return to_array(
                fit::standard_errors(matrix_of(covariance, "standard_errors: covariance"),
                                     matrix_of(lost, "standard_errors: lost")));
        },
        py::arg("covariance"), py::arg("lost"),
        "Returns one standard error a parameter, infinite in directions that are lost.");
    module.def(
        "eigenvalue_noise",
        [](const FitDoubles& skew, const FitDoubles& diagonal_noise, const FitDoubles& values,
           const FitDoubles& vectors) {
            return to_array(fit::eigenvalue_noise(matrix_of(skew, "eigenvalue_noise: skew"),
                                                  span_of(diagonal_noise), span_of(values),
                                                  matrix_of(vectors, "eigenvalue_noise: vectors")));
        },
        py::arg("skew"), py::arg("diagonal_noise"), py::arg("values"), py::arg("vectors"),
        "Returns the noise of the eigenvalues of H, all on a scale where H has a unit diagonal.\n\n"
        "Args:\n    skew: Shape (p, p); see NormalEquations.\n    diagonal_noise: Shape (p,).\n"
        "    values: Eigenvalues, shape (p,).\n    vectors: Eigenvectors, one a column.\n");
}

void bind_prior(py::module_& module) {
    py::classh<fit::Prior>(module, "Prior",
                           "Independent normal distributions of parameters.\n\n"
                           "Args:\n    expected: Means, shape (p,).\n"
                           "    precision: One over the variance of each; 0: nothing is known.\n")
        .def(py::init([](const FitDoubles& expected, const FitDoubles& precision) {
                 return std::make_unique<fit::Prior>(
                     fit::Prior{vector_of(expected), vector_of(precision)});
             }),
             py::arg("expected"), py::arg("precision"))
        .def_property_readonly(
            "expected", [](const fit::Prior& own) { return to_array(own.expected); },
            "Means, shape (p,).")
        .def_property_readonly(
            "precision", [](const fit::Prior& own) { return to_array(own.precision); },
            "One over the variance of each parameter, shape (p,).")
        .def(
            "loss",
            [](const fit::Prior& own, const FitDoubles& x, double variance) {
                return own.loss(span_of(x), variance);
            },
            py::arg("x"), py::arg("variance"),
            "Returns what it adds to a sum of squared residuals of the given variance.")
        .def(
            "add_to",
            [](const fit::Prior& own, fit::NormalEquations equations, const FitDoubles& x,
               double variance) {
                own.add_to(equations, span_of(x), variance);
                return equations;
            },
            py::arg("equations"), py::arg("x"), py::arg("variance"),
            "Returns normal equations at x that count the prior as further residuals.");
}

void bind_steps(py::module_& module) {
    using fit::Quadratic;
    py::classh<Quadratic>(module, "Quadratic",
                          "The model g'd + d'Hd/2 of a change of the loss; see safe_quadratic().")
        .def_property_readonly(
            "matrix", [](const Quadratic& own) { return to_array(own.matrix); },
            "H on the scale, positive definite, shape (p, p).")
        .def_property_readonly(
            "gradient", [](const Quadratic& own) { return to_array(own.gradient); },
            "g on the scale, shape (p,).")
        .def_property_readonly(
            "ratios", [](const Quadratic& own) { return to_array(own.ratios); },
            "Squared derivative over the variance of its noise, for each eigenvector of H.")
        .def_property_readonly(
            "scale", [](const Quadratic& own) { return to_array(own.scale); },
            "Of each parameter: a step of 1 on the scale is 1 / scale.")
        .def(
            "step",
            [](const Quadratic& own, const FitDoubles& low, const FitDoubles& high) {
                return to_array(own.step(span_of(low), span_of(high)));
            },
            py::arg("low"), py::arg("high"),
            "Returns the step within bounds around 0 that lowers the loss most.");
    module.def("safe_quadratic", &fit::safe_quadratic, py::arg("equations"),
               py::arg("caution") = fit::kCaution,
               "Returns the quadratic model in the directions that noise leaves known: derivatives "
               "below `caution` variances of their noise are shortened.");
    module.def(
        "box_step",
        [](const FitDoubles& matrix, const FitDoubles& gradient, const FitDoubles& low,
           const FitDoubles& high) {
            return to_array(fit::box_step(matrix_of(matrix, "box_step: matrix"), span_of(gradient),
                                          span_of(low), span_of(high)));
        },
        py::arg("matrix"), py::arg("gradient"), py::arg("low"), py::arg("high"),
        "Returns the d within [low, high] with the smallest g'd + d'Hd/2 (Bertsekas 1982).");
    module.def(
        "damped_step",
        [](const fit::NormalEquations& equations, double damping) {
            return to_array(fit::damped_step(equations, damping));
        },
        py::arg("equations"), py::arg("damping"),
        "Returns the step of Levenberg and Marquardt, with a damping in units of each H_ii.");
    module.def(
        "solve_damped",
        [](const FitDoubles& matrix, const FitDoubles& gradient, const FitDoubles& damping,
           double cutoff) {
            return to_array(fit::damped_step(matrix_of(matrix, "solve_damped: matrix"),
                                             span_of(gradient), span_of(damping), cutoff));
        },
        py::arg("matrix"), py::arg("gradient"), py::arg("damping"), py::arg("cutoff"),
        "Returns the smallest d with (H + diag(damping)) d = -g on a scale where the diagonal is "
        "1; "
        "eigenvalues there that are not above `cutoff` count as 0.");
}

void bind_starts(py::module_& module) {
    module.def(
        "neighbor_products",
        [](const FitFloats& a, const FitFloats& b, std::size_t cluster_size) {
            return to_array(fit::neighbor_products({span_of(a), span_of(b)}, cluster_size));
        },
        py::arg("residual_a"), py::arg("residual_b"), py::arg("cluster_size"),
        "Returns products of neighbours' residuals in different sample sets, one for each cluster "
        "but the last.");
    module.def(
        "find_left",
        [](const FitDoubles& products, const FitFloats& derivatives, const FitNumbers& groups,
           std::size_t cluster_size) {
            return to_array(fit::find_left(span_of(products), span_of(derivatives), span_of(groups),
                                           cluster_size));
        },
        py::arg("products"), py::arg("derivatives"), py::arg("groups"), py::arg("cluster_size"),
        "Returns which parameters are of groups in whose residuals more than noise is left.\n\n"
        "Args:\n    products: neighbor_products().\n    derivatives: Shape (n, p).\n"
        "    groups: Number of each parameter's group, shape (p,).\n"
        "    cluster_size: Residuals of a pixel.\n");
    module.def(
        "other_start",
        [](std::size_t number, const FitDoubles& low, const FitDoubles& high) {
            return to_array(fit::other_start(number, span_of(low), span_of(high)));
        },
        py::arg("number"), py::arg("low"), py::arg("high"),
        "Returns another place to start from, far from those before (Kronecker's sequence).");
}

py::array_t<float> box_blur(const FitFloats& image, std::size_t radius) {
    if (image.ndim() < 2) {
        throw core::ArgumentError(core::text("box_blur: image must have rows and columns, got ",
                                             image.ndim(), " dimensions"));
    }
    const auto height = static_cast<std::size_t>(image.shape(0));
    const auto width = static_cast<std::size_t>(image.shape(1));
    const auto size = static_cast<std::size_t>(image.size());
    py::array_t<float> out(std::vector<py::ssize_t>(image.shape(), image.shape() + image.ndim()));
    std::copy(image.data(), image.data() + size, out.mutable_data());
    const std::span<float> pixels(out.mutable_data(), size);
    const Unlocked unlocked;
    fit::box_blur(pixels,
                  {.height = height,
                   .width = width,
                   .channels = size / std::max<std::size_t>(height * width, 1)},
                  radius);
    return out;
}

void bind_images(py::module_& module) {
    module.def(
        "box_blur", &box_blur, py::arg("image"), py::arg("radius") = 2,
        "Returns the mean over the square of side 2 `radius` + 1 around each pixel, as far as "
        "it lies in the image.\n\n"
        "Args:\n    image: Shape (height, width, ...).\n    radius: Pixels, 0 or more.\n");
}

} // namespace

void bind_fit(py::module_& module) {
    bind_images(module);
    bind_equations(module);
    bind_information(module);
    bind_prior(module);
    bind_steps(module);
    bind_starts(module);
    bind_fit_display(module);
    bind_fit_judgement(module);
    bind_fit_unknowns(module);
    bind_fit_views(module);
    bind_fit_samples(module);
    bind_fit_models(module);
    bind_fit_solver(module);
    bind_fit_textures(module);
    bind_fit_stage(module);
}

} // namespace weft::python
