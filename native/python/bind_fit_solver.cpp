// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/text.hpp"
#include "device/fork_guard.hpp"
#include "fit/gauss_newton.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_arrays.hpp"
#include "python/interpreter_lock.hpp"

#include <pybind11/stl.h>

#include <optional>

namespace weft::python {

namespace py = pybind11;

namespace {

/// A model of Python's: arrays of its results live until the next ones.
class PythonModel final : public fit::Model {
public:
    explicit PythonModel(py::object model) : m_model(std::move(model)) {}

    void draw(std::span<const double> x) override {
        const py::gil_scoped_acquire locked;
        m_model.attr("draw")(to_array(x));
    }

    fit::SamplePair linearize(std::span<const double> x) override {
        const py::gil_scoped_acquire locked;
        const py::tuple sets = m_model.attr("linearise")(to_array(x));
        for (std::size_t number = 0; number < 2; ++number) {
            const py::object set = sets[number];
            m_residuals[number] = FitFloats::ensure(set.attr("residual"));
            m_jacobians[number] = FitFloats::ensure(set.attr("jacobian"));
            if (!m_residuals[number] || !m_jacobians[number]) {
                throw py::error_already_set();
            }
        }
        return {{span_of(m_residuals[0]), span_of(m_jacobians[0])},
                {span_of(m_residuals[1]), span_of(m_jacobians[1])}};
    }

    fit::ResidualPair residuals(std::span<const double> x) override {
        const py::gil_scoped_acquire locked;
        const py::tuple sets = m_model.attr("residuals")(to_array(x));
        for (std::size_t number = 0; number < 2; ++number) {
            m_candidates[number] = FitFloats::ensure(sets[number]);
            if (!m_candidates[number]) {
                throw py::error_already_set();
            }
        }
        return {span_of(m_candidates[0]), span_of(m_candidates[1])};
    }

private:
    py::object m_model;
    std::array<FitFloats, 2> m_residuals;
    std::array<FitFloats, 2> m_jacobians;
    std::array<FitFloats, 2> m_candidates;
};

/// What other threads see while a step is under way: how things were before it.
struct View {
    fit::SolverState state;
    std::optional<fit::Candidate> best;
    std::size_t averaged = 0;
    bool is_elsewhere = false;
    bool may_start_elsewhere = false;
};

class PythonSolver {
public:
    PythonSolver(const py::object& model, const FitDoubles& start, fit::SolverSettings settings) {
        m_model = std::make_unique<PythonModel>(model);
        // The threads of its pool are those of the process that created it.
        m_solver = device::share_until_fork(
            std::make_unique<fit::GaussNewton>(*m_model, vector_of(start), std::move(settings)));
        publish();
    }

    void step() {
        require_idle("step");
        m_is_running = true;
        const struct Ending {
            ~Ending() { is_running = false; }
            bool& is_running;
        } ending{m_is_running};
        {
            const Unlocked unlocked;
            m_solver->step();
        }
        publish();
    }

    void forget() {
        require_idle("forget");
        m_solver->forget();
        publish();
    }

    py::dict save() const {
        require_idle("save");
        return to_dict(m_solver->save());
    }

    void restore(const py::dict& saved) {
        require_idle("restore");
        m_solver->restore(saved_arrays_of(saved));
        publish();
    }

    py::object averaged_model() const {
        require_idle("averaged_model");
        const auto model = m_solver->averaged_model();
        if (!model.has_value()) {
            return py::none();
        }
        const auto table = [&](std::span<const float> values) {
            return to_array(values).reshape(
                {static_cast<py::ssize_t>(model->residual_a.size()), py::ssize_t{-1}});
        };
        return py::make_tuple(
            to_array(std::span<const float>(model->residual_a)), table(model->jacobian_a),
            to_array(std::span<const float>(model->residual_b)), table(model->jacobian_b));
    }

    const View& view() const noexcept { return m_view; }
    const py::tuple& residuals() const noexcept { return m_residuals; }
    const fit::GaussNewton& solver() const noexcept { return *m_solver; }

    py::list candidates() const {
        require_idle("candidates");
        py::list out;
        for (const auto& candidate : m_solver->attempts().candidates()) {
            out.append(*candidate);
        }
        return out;
    }

    bool may_go_on(std::size_t iterations) const {
        return m_solver->attempts().may_go_on(iterations);
    }

    py::array_t<double> gathered() const {
        require_idle("gathered");
        if (m_solver->best() == nullptr) {
            throw core::ArgumentError("gathered: no iterations were averaged so far; step first");
        }
        return to_array(m_solver->attempts().gathered());
    }

private:
    void require_idle(const char* function) const {
        if (m_is_running) {
            throw core::ArgumentError(core::text(
                function, ": a step of this solver is under way in another call; wait for it"));
        }
    }

    void publish() {
        const fit::GaussNewton& solver = *m_solver;
        m_view = {solver.state(), std::nullopt, solver.averaged(), solver.is_elsewhere(),
                  solver.may_start_elsewhere()};
        if (solver.best() != nullptr) {
            m_view.best = *solver.best();
        }
        const fit::ResidualPair residuals = solver.residuals();
        m_residuals = py::make_tuple(to_array(residuals.a), to_array(residuals.b));
    }

    std::unique_ptr<PythonModel> m_model;
    std::shared_ptr<fit::GaussNewton> m_solver;
    View m_view;
    py::tuple m_residuals;
    bool m_is_running = false; ///< changed under the interpreter lock
};

fit::SolverSettings settings_of(const py::dict& given) {
    fit::SolverSettings settings;
    const auto read = [&](const char* name, auto& target) {
        if (given.contains(name) && !given[name].is_none()) {
            target = py::cast<std::decay_t<decltype(target)>>(given[name]);
        }
    };
    const auto doubles = [&](const char* name) {
        return vector_of<double>(FitDoubles(given[name]));
    };
    settings.low = doubles("low");
    settings.high = doubles("high");
    read("radius", settings.radius);
    read("tolerance", settings.tolerance);
    read("inner_steps", settings.inner_steps);
    read("warm_iterations", settings.warm_iterations);
    read("starts", settings.starts);
    read("cluster_size", settings.cluster_size);
    read("max_iterations", settings.max_iterations);
    read("prior", settings.prior);
    read("hold", settings.hold);
    if (given.contains("open_range") && !given["open_range"].is_none()) {
        settings.open_range = vector_of<bool>(FitFlags(given["open_range"]));
    }
    if (given.contains("groups") && !given["groups"].is_none()) {
        settings.groups = vector_of<std::int64_t>(FitNumbers(given["groups"]));
    }
    return settings;
}

void bind_place(py::module_& module) {
    using fit::Candidate;
    py::classh<Candidate>(module, "Candidate",
                          "Where iterations were averaged, and what they said.")
        .def_property_readonly(
            "loss", [](const Candidate& own) { return own.loss; },
            "Of all residuals, by the averaged model.")
        .def_property_readonly(
            "deviation", [](const Candidate& own) { return own.deviation; },
            "Standard deviation of the loss by noise.")
        .def_property_readonly(
            "losses", [](const Candidate& own) { return to_array(own.losses); },
            "Of the residuals of each group.")
        .def_property_readonly(
            "x", [](const Candidate& own) { return to_array(own.x); }, "Parameters, shape (p,).")
        .def_property_readonly(
            "errors", [](const Candidate& own) { return to_array(own.errors); },
            "Standard errors, shape (p,).")
        .def_property_readonly(
            "moved", [](const Candidate& own) { return to_array(own.moved); },
            "Which parameters began anew to get here.")
        .def_property_readonly(
            "information", [](const Candidate& own) { return to_tuple(own.information); },
            "matrix, covariance, lost, drawn_share and is_silent of "
            "weft.fit.information.Information.");
}

void bind_states(py::classh<PythonSolver>& bound) {
    using Solver = PythonSolver;
    bound
        .def_property_readonly(
            "start", [](const Solver& own) { return to_array(own.solver().start()); },
            "Where the first descent began, within the bounds.")
        .def_property_readonly(
            "x", [](const Solver& own) { return to_array(own.view().state.x); },
            "Parameters, shape (p,).")
        .def_property_readonly(
            "errors", [](const Solver& own) { return to_array(own.view().state.errors); },
            "Standard errors, shape (p,); infinite while there are none.")
        .def_property_readonly(
            "loss", [](const Solver& own) { return own.view().state.loss; }, "r_A' r_B / n.")
        .def_property_readonly(
            "iterations", [](const Solver& own) { return own.view().state.iterations; }, "So far.")
        .def_property_readonly(
            "is_averaging", [](const Solver& own) { return own.view().state.is_averaging; },
            "Whether steps are over and the linear model is being averaged.")
        .def_property_readonly(
            "is_done", [](const Solver& own) { return own.view().state.is_done; },
            "Whether errors are as small as asked for, or as the target allows.")
        .def_property_readonly(
            "information",
            [](const Solver& own) -> py::object {
                const auto& found = own.view().state.information;
                return found ? py::object(to_tuple(*found)) : py::object(py::none());
            },
            "matrix, covariance, lost, drawn_share and is_silent of "
            "weft.fit.information.Information; None: "
            "nothing is averaged.")
        .def_property_readonly("residuals", &Solver::residuals, "Of both sample sets.")
        .def_property_readonly(
            "averaged", [](const Solver& own) { return own.view().averaged; },
            "Iterations that the averaged model holds.")
        .def_property_readonly(
            "best", [](const Solver& own) { return own.view().best; },
            "The candidate that explains the residuals best; None before iterations were averaged.")
        .def_property_readonly(
            "is_elsewhere", [](const Solver& own) { return own.view().is_elsewhere; },
            "Whether another start is under way, of which less is known than of the best "
            "candidate.")
        .def_property_readonly(
            "may_start_elsewhere", [](const Solver& own) { return own.view().may_start_elsewhere; },
            "Whether another start may follow, or is under way.");
}

} // namespace

void bind_fit_solver(py::module_& module) {
    bind_place(module);
    using Solver = PythonSolver;
    py::classh<Solver> bound(
        module, "GaussNewton",
        "Gauss-Newton from noisy renders; weft.fit.gauss_newton.GaussNewton says more.\n\n"
        "Args:\n    model: An object with draw, linearise and residuals.\n"
        "    start: Parameters, shape (p,).\n"
        "    settings: By name, as native/fit/gauss_newton.hpp lists them.\n");
    bound
        .def(py::init(
                 [](const py::object& model, const FitDoubles& start, const py::dict& settings) {
                     return std::make_unique<Solver>(model, start, settings_of(settings));
                 }),
             py::arg("model"), py::arg("start"), py::arg("settings"))
        .def("step", &Solver::step,
             "Draws new samples and uses them up. If the model raises, nothing changes.")
        .def("forget", &Solver::forget, "Goes on from here, after weights have changed.")
        .def("save", &Solver::save, "Returns arrays by name: all that later steps depend on.")
        .def("restore", &Solver::restore, py::arg("saved"),
             "Goes back to where save() was called; arrays that do not fit raise ArgumentError.")
        .def("averaged_model", &Solver::averaged_model,
             "Returns residuals and derivatives of both sample sets of the averaged model; None: "
             "nothing is averaged.")
        .def("candidates", &Solver::candidates,
             "Returns where descents have ended, in their order.")
        .def("may_go_on", &Solver::may_go_on, py::arg("iterations"),
             "Returns whether one more start is allowed after so many, and could come to its end.")
        .def("gathered", &Solver::gathered,
             "Returns the parameters of each group where they explain its residuals best.");
    bind_states(bound);
}

} // namespace weft::python
