// SPDX-License-Identifier: Apache-2.0
// What is left of the residuals of a fit, and what that says of its pictures.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/misfit.hpp"
#include "fit/picture_noise.hpp"
#include "fit/validation_plan.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_arrays.hpp"
#include "python/interpreter_lock.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <utility>

namespace weft::python {

namespace py = pybind11;

namespace {

/// @param what names the array. @param shape that it must have.
template <typename T>
std::vector<T> numbers_of(const FitArray<T>& array, const char* what,
                          const std::vector<std::size_t>& shape) {
    const bool fits = static_cast<std::size_t>(array.ndim()) == shape.size() &&
                      std::equal(shape.begin(), shape.end(), array.shape(),
                                 [](std::size_t wanted, py::ssize_t found) {
                                     return wanted == static_cast<std::size_t>(found);
                                 });
    if (!fits) {
        std::vector<std::string> numbers;
        numbers.reserve(shape.size());
        for (const std::size_t extent : shape) {
            numbers.push_back(std::to_string(extent));
        }
        throw core::ArgumentError(core::text(what, " must have shape (", core::join(numbers, ", "),
                                             "), as the picture; got an array of ", array.size(),
                                             " numbers"));
    }
    return vector_of(array);
}

std::unique_ptr<fit::Observation> observation(const FitFloats& image, const FitFloats& mask,
                                              const std::optional<FitFloats>& rounding,
                                              std::size_t grain, std::string name, bool robust) {
    if (image.ndim() != 3) {
        throw core::ArgumentError(
            core::text("Observation: image must have shape (height, width, 3), got ", image.ndim(),
                       " dimensions"));
    }
    auto out = std::make_unique<fit::Observation>();
    out->camera.height = image.shape(0);
    out->camera.width = image.shape(1);
    const auto height = static_cast<std::size_t>(image.shape(0));
    const auto width = static_cast<std::size_t>(image.shape(1));
    out->image = numbers_of(image, "Observation: image", {height, width, fit::kChannels});
    out->mask = numbers_of(mask, "Observation: mask", {height, width});
    if (rounding) {
        out->rounding =
            numbers_of(*rounding, "Observation: rounding", {height, width, fit::kChannels});
    }
    out->grain = grain;
    out->name = std::move(name);
    out->robust = robust;
    return out;
}

py::array_t<float> noise_weights(const fit::Observation& own,
                                 const std::optional<FitFloats>& display_noise) {
    const auto height = static_cast<std::size_t>(own.camera.height);
    const auto width = static_cast<std::size_t>(own.camera.width);
    std::vector<float> hidden;
    if (display_noise) {
        hidden = numbers_of(*display_noise, "noise_weights: display_noise",
                            {height, width, fit::kChannels});
    }
    const std::vector<float> weights = fit::noise_weights(own, hidden);
    const std::vector<std::size_t> shape{height, width, fit::kChannels};
    return py::array_t<float>(shape, weights.data());
}

/// Residuals of a picture, with the picture that they are of.
class PictureResiduals {
public:
    PictureResiduals(std::shared_ptr<fit::Observation> picture, const FitFlags& counts,
                     const FitFloats& a, const FitFloats& b, const FitFloats& weights,
                     const FitFloats& trust)
        : m_picture(std::move(picture)), m_own{.observation = m_picture.get()} {
        const std::vector<std::size_t> pixels{m_own.height(), m_own.width()};
        const std::vector<std::size_t> numbers{m_own.height(), m_own.width(), fit::kChannels};
        m_own.counts = numbers_of(counts, "PictureResiduals: counts", pixels);
        m_own.a = numbers_of(a, "PictureResiduals: a", numbers);
        m_own.b = numbers_of(b, "PictureResiduals: b", numbers);
        m_own.weights = numbers_of(weights, "PictureResiduals: weights", numbers);
        m_own.trust = numbers_of(trust, "PictureResiduals: trust", pixels);
    }

    [[nodiscard]] const fit::Validation& get() const noexcept { return m_own; }

private:
    std::shared_ptr<fit::Observation> m_picture;
    fit::Validation m_own;
};

std::pair<double, double> shared_residual(const FitFloats& a, const FitFloats& b,
                                          const FitFlags& counts, std::size_t grain) {
    if (counts.ndim() != 2) {
        throw core::ArgumentError(
            core::text("shared_residual: counts must have shape (height, width), got ",
                       counts.ndim(), " dimensions"));
    }
    const auto height = static_cast<std::size_t>(counts.shape(0));
    const auto width = static_cast<std::size_t>(counts.shape(1));
    const std::vector<std::size_t> numbers{height, width, fit::kChannels};
    const std::vector<float> first = numbers_of(a, "shared_residual: a", numbers);
    const std::vector<float> second = numbers_of(b, "shared_residual: b", numbers);
    const std::vector<bool> flags = vector_of(counts);
    const Unlocked unlocked;
    const fit::SharedResidual found = fit::find_shared(
        {.height = height, .width = width, .a = first, .b = second, .grain = grain}, flags);
    return {found.product, found.certainty};
}

fit::Misfit measure(const PictureResiduals& own) {
    const Unlocked unlocked;
    return fit::measure(own.get());
}

void bind_pictures(py::module_& module) {
    py::classh<fit::Observation>(module, "Observation",
                                 "A picture that a fit explains, as the engine has it.\n\n"
                                 "Args:\n    image: Radiance, linear Rec.709, shape (height, "
                                 "width, 3).\n    mask: Weights in [0, 1], shape (height, width).\n"
                                 "    rounding: Standard deviation of what steps of a file have "
                                 "made of each number, the shape of `image`; None: nothing.\n"
                                 "    grain: Pixels over which noise of the picture is shared.\n"
                                 "    name: In messages.\n    robust: Pixels that nothing explains "
                                 "lose their say.\n")
        .def(py::init(&observation), py::arg("image"), py::arg("mask"),
             py::arg("rounding") = py::none(), py::arg("grain") = 1, py::arg("name") = "target",
             py::arg("robust") = false)
        .def("noise_weights", &noise_weights, py::arg("display_noise") = py::none(),
             "Returns one weight a pixel and channel, for noise that grows with the radiance "
             "around, the shape of the image.\n\n"
             "Args:\n    display_noise: Light that a display hardly tells apart, the shape of the "
             "image: what it hides counts less; None: nothing.\n");
    py::classh<PictureResiduals>(
        module, "PictureResiduals",
        "A picture beside new draws of what a fit has found.\n\n"
        "Args:\n    picture: Which.\n    counts: Which pixels were drawn, shape (height, width).\n"
        "    a: Residuals of one half times `weights`, shape (height, width, 3); 0 where nothing "
        "was drawn.\n    b: Of the other half.\n    weights: One a pixel and channel.\n"
        "    trust: What a robust loss leaves of each pixel, in (0, 1], shape (height, width).\n")
        .def(py::init<std::shared_ptr<fit::Observation>, const FitFlags&, const FitFloats&,
                      const FitFloats&, const FitFloats&, const FitFloats&>(),
             py::arg("picture"), py::arg("counts"), py::arg("a"), py::arg("b"), py::arg("weights"),
             py::arg("trust"))
        .def("measure", &measure, "Returns what is left of the residuals.");
}

void bind_misfit(py::module_& module) {
    using fit::Misfit;
    py::classh<Misfit>(module, "Misfit",
                       "What is left of the residuals of some pixels; all in units of the light "
                       "around them.")
        .def_readonly("power", &Misfit::power,
                      "Mean square of residuals without noise of draws: noise of the picture, and "
                      "misfit.")
        .def_readonly("misfit", &Misfit::misfit,
                      "Mean product of neighbours: what the scene does not explain, squared.")
        .def_readonly("noise", &Misfit::noise, "Mean square of the picture's noise.")
        .def_readonly("certainty", &Misfit::certainty,
                      "Standard deviations by which neighbours are alike.")
        .def_readonly("outliers", &Misfit::outliers,
                      "Share of pixels that are far off alone, or that a robust loss leaves out.")
        .def_readonly("rounding", &Misfit::rounding,
                      "Mean square of what the steps of the file make.")
        .def_readonly("brightness", &Misfit::brightness, "Picture over render.")
        .def_readonly("pixels", &Misfit::pixels, "That were drawn.")
        .def_readonly("grain", &Misfit::grain, "Pixels over which noise of the picture is shared.")
        .def_property_readonly("exceeds_noise", &fit::exceeds_noise,
                               "Whether residuals are more than noise.")
        .def(
            "judge", [](const Misfit& own) { return fit::judge(own); },
            "Returns what that makes of the picture.");
    using Verdict = fit::ViewVerdict;
    py::classh<Verdict>(module, "PictureVerdict",
                        "Numbers of weft.fit.ViewVerdict, which says what they are.")
        .def_property_readonly(
            "level",
            [](const Verdict& own) {
                return fit::kVerdictLevels[static_cast<std::size_t>(own.level)];
            },
            "\"explained\", \"doubtful\" or \"wrong\".")
        .def_readonly("ratio", &Verdict::ratio, "Residuals over noise.")
        .def_readonly("misfit", &Verdict::misfit, "Of the picture's light.")
        .def_readonly("noise", &Verdict::noise, "Of the picture's light.");
    module.def("shared_residual", &shared_residual, py::arg("a"), py::arg("b"), py::arg("counts"),
               py::arg("grain") = 1,
               "Returns the mean product of neighbours and how many standard deviations from 0 it "
               "is, of the scale where it is most certain.\n\n"
               "Args:\n    a: Residuals of one half, shape (height, width, 3).\n"
               "    b: Of the other.\n    counts: Which pixels count, shape (height, width).\n"
               "    grain: Pixels over which noise of the picture is shared: 8 for JPEG.\n");
}

} // namespace

void bind_fit_judgement(py::module_& module) {
    module.attr("FEW_OUTLIERS") = fit::kFewOutliers;
    module.attr("LEFT_OUT_TRUST") = fit::kLeftOut;
    module.attr("MAX_VALIDATION_SAMPLES") = fit::kMostValidationSamples;
    module.attr("MEDIAN_DEVIATION_FACTOR") = fit::kNormal;
    module.attr("MISFIT_SIGMAS") = fit::kMisfitSigmas;
    module.attr("RENDERER_DIFFERENCE") = fit::kSmall;
    module.attr("VALIDATION_PATHS_AT_ONCE") = fit::kValidationPathsAtOnce;
    bind_pictures(module);
    bind_misfit(module);
}

} // namespace weft::python
