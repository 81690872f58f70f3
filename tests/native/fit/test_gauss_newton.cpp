// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "fit/gauss_newton.hpp"
#include "fit/noisy_curves.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <stdexcept>

using namespace weft;
using fit::test::NoisyCurves;

namespace {

fit::SolverSettings settings(double tolerance) {
    return {.low = {1e-3, 1e-3}, .high = {2, 2}, .tolerance = tolerance};
}

fit::SolverState run(fit::Model& model, const fit::SolverSettings& how, std::size_t iterations) {
    fit::GaussNewton solver(model, {0.3, 0.9}, how);
    while (!solver.state().is_done && solver.state().iterations < iterations) {
        solver.step();
    }
    return solver.state();
}

/// Throws at one of its calls.
class Failing : public NoisyCurves {
public:
    explicit Failing(int fails_at) : NoisyCurves({1.2, 0.5}, 3), m_fails_at(fails_at) {}

    void draw(std::span<const double> x) override {
        count();
        NoisyCurves::draw(x);
    }
    fit::SamplePair linearize(std::span<const double> x) override {
        count();
        return NoisyCurves::linearize(x);
    }
    fit::ResidualPair residuals(std::span<const double> x) override {
        count();
        return NoisyCurves::residuals(x);
    }

private:
    void count() {
        if (++m_calls == m_fails_at) {
            throw std::runtime_error("cancelled");
        }
    }

    int m_fails_at;
    int m_calls = 0;
};

bool are_equal(const fit::SavedArrays& one, const fit::SavedArrays& other) {
    if (one.arrays.size() != other.arrays.size()) {
        return false;
    }
    for (const auto& [name, array] : one.arrays) {
        const auto found = other.arrays.find(name);
        if (found == other.arrays.end() || found->second.shape != array.shape ||
            found->second.values != array.values) {
            return false;
        }
    }
    return true;
}

} // namespace

TEST_CASE("noise that residuals and derivatives share does not bias the result") {
    for (unsigned seed = 0; seed < 5; ++seed) {
        NoisyCurves model({1.2, 0.5}, seed);

        const fit::SolverState state = run(model, settings(1e-3), 40);

        CHECK(state.is_done);
        CHECK(std::abs(state.x[0] - 1.2) < 0.01);
        CHECK(std::abs(state.x[1] - 0.5) < 0.01);
    }
}

TEST_CASE("standard errors cover the truth") {
    int covered = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        NoisyCurves model({1.2, 0.5}, 100 + seed);
        const fit::SolverState state = run(model, settings(1e-6), 10);
        covered += std::abs(state.x[0] - 1.2) < 2 * state.errors[0] ? 1 : 0;
        covered += std::abs(state.x[1] - 0.5) < 2 * state.errors[1] ? 1 : 0;
    }

    CHECK(covered > 0.88 * 120);
}

TEST_CASE("steps stay within the bounds") {
    NoisyCurves model({1.2, 0.5}, 1);
    fit::GaussNewton solver(model, {0.3, 0.9}, {.low = {1e-3, 0.7}, .high = {2, 1}});
    for (int i = 0; i < 8; ++i) {
        const fit::SolverState& state = solver.step();
        CHECK(state.x[1] >= 0.7);
        CHECK(state.x[1] <= 1.0);
    }

    CHECK(solver.state().x[1] == Approx(0.7).margin(0.01));
}

TEST_CASE("a prior gives way to what the residuals say") {
    NoisyCurves model({1.2, 0.5}, 2);
    fit::SolverSettings how = settings(0.003);
    how.prior = fit::Prior{{0, 0.9}, {0, 4}};

    const fit::SolverState state = run(model, how, 15);

    CHECK(state.x[0] == Approx(1.2).margin(0.01));
    CHECK(state.x[1] == Approx(0.5).margin(0.01));
}

TEST_CASE("no other start is tried where noise is all that is left") {
    NoisyCurves first({1.2, 0.5}, 4);
    NoisyCurves second({1.2, 0.5}, 4);
    fit::SolverSettings many = settings(0.003);
    many.starts = 5;

    CHECK(run(first, settings(0.003), 20).iterations == run(second, many, 20).iterations);
}

TEST_CASE("a step that fails leaves the solver as it was") {
    for (int fails_at = 1; fails_at < 40; ++fails_at) {
        Failing model(fails_at);
        fit::GaussNewton solver(model, {0.3, 0.9}, settings(0));
        fit::SavedArrays before = solver.save();
        const auto step_to_the_end = [&] {
            while (true) {
                solver.step();
                before = solver.save();
            }
        };

        CHECK_THROWS_AS(step_to_the_end(), std::runtime_error);
        CHECK(are_equal(before, solver.save()));
    }
}

TEST_CASE("a solver goes on as if it had not been saved") {
    NoisyCurves first({1.2, 0.5}, 3);
    NoisyCurves second({1.2, 0.5}, 3);
    fit::GaussNewton whole(first, {0.3, 0.9}, settings(0));
    fit::GaussNewton resumed(second, {0.3, 0.9}, settings(0));
    for (int i = 0; i < 12; ++i) {
        whole.step();
        second.draw({});
    }

    resumed.restore(whole.save());

    CHECK(are_equal(whole.save(), resumed.save()));
    for (int i = 0; i < 3; ++i) {
        CHECK(whole.step().x == resumed.step().x);
    }
    CHECK(are_equal(whole.save(), resumed.save()));
}

TEST_CASE("saved states of other sizes are refused and change nothing") {
    NoisyCurves model({1.2, 0.5}, 3);
    fit::GaussNewton solver(model, {0.3, 0.9}, settings(0));
    while (solver.averaged() < 2) {
        solver.step();
    }
    const fit::SavedArrays saved = solver.save();
    for (const auto& entry : saved.arrays) {
        fit::SavedArrays damaged = saved;
        damaged.arrays.erase(entry.first);
        if (entry.first.starts_with("seen.x") || entry.first == "origin") {
            continue; // there need be none
        }
        CHECK_THROWS_AS(solver.restore(damaged), core::ArgumentError);
        CHECK(are_equal(saved, solver.save()));
    }
}

TEST_CASE("settings that do not fit are refused") {
    NoisyCurves model({1.2, 0.5}, 3);
    const auto create = [&](const fit::SolverSettings& how) {
        fit::GaussNewton(model, {0.3, 0.9}, how);
    };

    CHECK_THROWS_AS(create({.low = {0}, .high = {1, 1}}), core::ArgumentError);
    CHECK_THROWS_AS(create({.low = {0, 2}, .high = {1, 1}}), core::ArgumentError);
    CHECK_THROWS_AS(create({.low = {0, 0}, .high = {1, 1}, .groups = {0, 7}}), core::ArgumentError);
    CHECK_THROWS_AS(create({.low = {0, 0}, .high = {1, 1}, .cluster_size = 0}),
                    core::ArgumentError);
}
