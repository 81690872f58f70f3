// SPDX-License-Identifier: Apache-2.0
// The stages of fits: phases over models that Python has made.
#include "core/error.hpp"
#include "device/fork_guard.hpp"
#include "fit/joint_stage.hpp"
#include "fit/scalar_stage.hpp"
#include "fit/texture_stage.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_objects.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft::python {

namespace py = pybind11;

namespace {

using Scalars = std::shared_ptr<ScalarModelObject>;
using Textures = std::shared_ptr<TextureModelObject>;

fit::FitSettings settings_of(const py::object& given) {
    fit::FitSettings out;
    const auto read = [&given](const char* name, auto& target) {
        target = py::cast<std::decay_t<decltype(target)>>(given.attr(name));
    };
    read("samples", out.samples);
    read("bounces", out.bounces);
    read("seed", out.seed);
    read("tolerance", out.tolerance);
    read("max_iterations", out.max_iterations);
    read("texture_iterations", out.texture_iterations);
    read("starts", out.starts);
    read("information", out.information);
    return out;
}

/// What other threads see while a step is under way: how things were before it.
struct Seen {
    fit::FitState state{}; ///< without values and problems
    bool is_settled = false;
    fit::Vector x{};
    fit::Vector errors{};
    std::optional<fit::Information> information{};
};

class StageObject {
public:
    StageObject(Scalars scalars, Textures textures, const fit::FitSettings& settings,
                std::vector<std::vector<bool>> shown)
        : m_scalars(std::move(scalars)), m_textures(std::move(textures)),
          m_views(m_scalars ? m_scalars->views : m_textures->views) {
        const FitTurn turn(*m_views);
        // The threads of a solver's pool are those of the process that created it.
        m_stage = device::share_until_fork(make_stage(settings, std::move(shown)));
        look_around();
    }

    void step() {
        if (m_is_running) {
            throw core::ArgumentError("step: a step of this fit is under way in another call; "
                                      "wait for it");
        }
        m_is_running = true;
        const struct Ending {
            ~Ending() { is_running = false; }
            bool& is_running;
        } ending{m_is_running};
        change([](fit::Stage& stage) { stage.step(); });
        // A phase whose beginning a signal has interrupted begins with the next step; the signal counts all the same.
        if (PyErr_Occurred() != nullptr) {
            throw py::error_already_set();
        }
    }

    /// Does something to the stage in turn.
    template <typename Work>
    void change(const Work& work) {
        const FitTurn turn(*m_views);
        work(*m_stage);
        look_around();
    }
    /// Reads something of the stage in turn.
    template <typename Read>
    auto read(const Read& read_stage) const {
        const FitTurn turn(*m_views);
        return read_stage(*m_stage);
    }

    [[nodiscard]] const Seen& seen() const noexcept { return m_seen; }
    [[nodiscard]] FitViews& views() const noexcept { return *m_views; }
    /// Draws in turn; see Stage::look_at_result().
    [[nodiscard]] fit::Look look() const {
        return [this](std::int64_t samples, std::uint64_t draw) {
            return m_stage->look_at_result(std::nullopt)(samples, draw);
        };
    }

private:
    [[nodiscard]] std::unique_ptr<fit::Stage>
    make_stage(const fit::FitSettings& settings, std::vector<std::vector<bool>> shown) const {
        if (!m_textures) {
            return std::make_unique<fit::ScalarStage>(m_scalars->model, settings);
        }
        if (!m_scalars) {
            return std::make_unique<fit::TextureStage>(m_textures->model, settings);
        }
        return std::make_unique<fit::JointStage>(m_scalars->model, m_textures->model, settings,
                                                 [flags = std::move(shown)] { return flags; });
    }

    void look_around() {
        const fit::Stage& stage = *m_stage;
        Seen now{.is_settled = stage.is_settled(),
                 .x = stage.x(),
                 .errors = stage.errors(),
                 .information = stage.information()};
        now.state.loss = stage.loss();
        now.state.noise_floor = stage.noise_floor();
        now.state.is_done = stage.is_done();
        now.state.has_converged = stage.has_converged();
        stage.phases().describe(now.state);
        m_seen = std::move(now);
    }

    Scalars m_scalars;   ///< null: textures move alone
    Textures m_textures; ///< null: numbers move alone
    std::shared_ptr<FitViews> m_views;
    std::shared_ptr<fit::Stage> m_stage;
    Seen m_seen;
    bool m_is_running = false; ///< changed under the interpreter lock
};

std::unique_ptr<StageObject> create(Scalars scalars, Textures textures, const py::object& settings,
                                    const std::vector<FitFlags>& shown) {
    if (!scalars && !textures) {
        throw core::ArgumentError("FitStage: there is nothing to find; give a model of numbers, "
                                  "one of textures, or both");
    }
    if (scalars && textures && scalars->views != textures->views) {
        throw core::ArgumentError("FitStage: both models must have the same views");
    }
    const std::vector<fit::View>& views = (scalars ? scalars->views : textures->views)->views;
    std::vector<std::vector<bool>> flags;
    std::ranges::transform(shown, std::back_inserter(flags), &vector_of<bool>);
    const bool is_both = scalars && textures;
    bool fits = flags.size() == (is_both ? views.size() : 0);
    for (std::size_t number = 0; fits && number < flags.size(); ++number) {
        fits = flags[number].size() == views[number].lost().size();
    }
    if (!fits) {
        throw core::ArgumentError("FitStage: shown must have one flag a pixel of each view's "
                                  "picture where there are numbers and textures, and be empty "
                                  "elsewhere");
    }
    return std::make_unique<StageObject>(std::move(scalars), std::move(textures),
                                         settings_of(settings), std::move(flags));
}

py::list validate(const StageObject& own, std::int64_t samples, std::optional<std::int64_t> bounces,
                  std::int64_t paths) {
    return to_list(own.read([&](fit::Stage& stage) {
        return fit::draw_validations(stage.look_at_result(bounces), stage.views(), samples, paths);
    }));
}

void bind_progress(py::classh<StageObject>& bound) {
    const auto state = [&bound](const char* name, auto member, const char* what) {
        bound.def_property_readonly(
            name, [member](const StageObject& own) { return own.seen().state.*member; }, what);
    };
    using State = fit::FitState;
    state("is_done", &State::is_done, "Whether all phases are done.");
    state("has_converged", &State::has_converged,
          "At the end: whether errors are as small as asked for, and textures are at rest.");
    state("loss", &State::loss,
          "Mean product of the residuals of both sample sets, relative to the light around, "
          "squared; infinite before any step.");
    state("noise_floor", &State::noise_floor,
          "Standard deviation that the noise of renders gives the loss.");
    state("progress", &State::progress, "Fraction of the expected work that is done, in [0, 1].");
    state("seconds_left", &State::seconds_left,
          "Expected seconds of the iterations left; infinite before two were timed.");
    state("phase", &State::phase,
          "Which phase has made the last iteration: \"scalars\", \"textures\" or \"polish\", with "
          "a number from the second of a kind on; \"\" before any.");
    bound.def_property_readonly(
        "is_settled", [](const StageObject& own) { return own.seen().is_settled; },
        "Whether the loss of textures has ceased to fall; there may be none.");
}

void bind_numbers(py::classh<StageObject>& bound) {
    bound
        .def_property_readonly(
            "x", [](const StageObject& own) { return to_array(own.seen().x); },
            "The numbers as they were found so far, shape (p,).")
        .def_property_readonly(
            "errors", [](const StageObject& own) { return to_array(own.seen().errors); },
            "Standard errors of x; infinite while nothing is known.")
        .def_property_readonly(
            "information",
            [](const StageObject& own) -> py::object {
                const auto& found = own.seen().information;
                return found ? py::object(to_tuple(*found)) : py::object(py::none());
            },
            "matrix, covariance, lost, drawn_share and is_silent of "
            "weft.fit.information.Information; None: "
            "nothing is known.")
        .def(
            "error_factors",
            [](const StageObject& own, double ratio) {
                return to_array(own.read(
                    [ratio](const fit::Stage& stage) { return stage.error_factors(ratio); }));
            },
            py::arg("ratio"),
            "Returns by which errors grow where neighbours share residuals, shape (p,).\n\n"
            "Args:\n    ratio: Of residuals to noise: what they grow by if nothing better is "
            "known (Birge 1932).\n");
}

} // namespace

void bind_fit_stage(py::module_& module) {
    py::classh<StageObject> bound(
        module, "FitStage",
        "A fit while it runs: its phases, and what they have found; see native/fit/stage.hpp. "
        "Other threads may read what it has found while a step is under way; they see how things "
        "were before it.\n\n"
        "Args:\n    scalars: Model of the numbers; None: textures move alone.\n"
        "    textures: Model of the textures, with the same views; None: numbers move alone.\n"
        "    settings: A weft.fit.FitSettings.\n"
        "    shown: Where there are both: which pixels show textures that change, or lie close to "
        "one that does, one flag a pixel of each view's picture.\n");
    bound.def(py::init(&create), py::arg("scalars"), py::arg("textures"), py::arg("settings"),
              py::arg("shown") = py::list());
    bind_progress(bound);
    bind_numbers(bound);
    bound
        .def("step", &StageObject::step,
             "Samples new paths and takes one optimisation step of the phase under way. If it "
             "raises, the fit is as it was.")
        .def(
            "write", [](StageObject& own) { own.change([](fit::Stage& stage) { stage.write(); }); },
            "Leaves the scene on the device with what was found. Later steps are as if it had not.")
        .def("validate", &validate, py::arg("samples"), py::arg("bounces") = py::none(),
             py::arg("paths") = std::int64_t{1} << 20U,
             "Draws all pixels that count, or those of tiles all over large pictures, at what was "
             "found; returns counts, a, b, weights and trust of weft.fit.validation.Validation, a "
             "tuple a view.\n\n"
             "Args:\n    samples: Paths a pixel in each sample set, at least.\n"
             "    bounces: Surfaces that a path may leave; None: as many as in iterations.\n"
             "    paths: Of all views.\n")
        .def(
            "differences",
            [](const StageObject& own, const std::vector<FitWords>& pixels, std::int64_t samples,
               std::uint64_t draw) {
                return draw_differences(own.views(), own.look(), pixels, samples, draw);
            },
            py::arg("pixels"), py::arg("samples"), py::arg("draw"),
            "Renders some pixels of the pictures at what was found, whether or not they count; "
            "returns render minus picture, shape (pixels, 3), one array a view.\n\n"
            "Args:\n    pixels: Of each view.\n"
            "    samples: Paths a pixel in each sample set.\n"
            "    draw: Number that the samples follow from.\n")
        .def(
            "save",
            [](const StageObject& own) {
                return to_dict(own.read([](const fit::Stage& stage) { return stage.save(); }));
            },
            "Returns arrays by name: all that later steps depend on.")
        .def(
            "restore",
            [](StageObject& own, const py::dict& saved) {
                const fit::SavedArrays arrays = saved_arrays_of(saved);
                own.change([&arrays](fit::Stage& stage) { stage.restore(arrays); });
            },
            py::arg("saved"),
            "Goes back to where save() was called, by a fit that was made of the same; arrays that "
            "do not fit raise ArgumentError and change nothing.");
}

} // namespace weft::python
