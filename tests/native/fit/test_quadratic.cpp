// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "fit/quadratic.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <random>

using namespace weft;

namespace {

struct Problem {
    fit::Matrix matrix;
    fit::Vector gradient;
    fit::Vector low;
    fit::Vector high;
};

/// H = F'F of a tall F, bounds on both sides of 0, some of which leave no way down.
Problem random_problem(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    Problem out{fit::Matrix(count, count), fit::Vector(count), fit::Vector(count),
                fit::Vector(count)};
    for (std::size_t row = 0; row < count + 2; ++row) {
        fit::Vector factor(count);
        for (double& each : factor) {
            each = normal(random);
        }
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < count; ++j) {
                out.matrix(i, j) += factor[i] * factor[j];
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        out.gradient[i] = 4 * normal(random);
        out.low[i] = i < count / 4 ? 0.0 : -uniform(random);
        out.high[i] = uniform(random);
    }
    return out;
}

fit::Vector slope_at(const Problem& problem, const fit::Vector& step) {
    fit::Vector slope = problem.gradient;
    for (std::size_t i = 0; i < step.size(); ++i) {
        for (std::size_t j = 0; j < step.size(); ++j) {
            slope[i] += problem.matrix(i, j) * step[j];
        }
    }
    return slope;
}

} // namespace

TEST_CASE("box steps fulfil the conditions of optimality") {
    for (const std::size_t count : {1U, 2U, 5U, 40U}) {
        for (unsigned seed = 0; seed < 4; ++seed) {
            const Problem problem = random_problem(count, seed);

            const fit::Vector step =
                fit::box_step(problem.matrix, problem.gradient, problem.low, problem.high);

            const fit::Vector slope = slope_at(problem, step);
            for (std::size_t i = 0; i < count; ++i) {
                CHECK(step[i] >= problem.low[i]);
                CHECK(step[i] <= problem.high[i]);
                if (step[i] > problem.low[i]) {
                    CHECK(slope[i] < 1e-5);
                }
                if (step[i] < problem.high[i]) {
                    CHECK(slope[i] > -1e-5);
                }
            }
        }
    }
}

TEST_CASE("steps without noise and bounds solve the equations") {
    const Problem problem = random_problem(6, 1);
    const fit::NormalEquations equations =
        fit::exact_equations(problem.matrix, problem.gradient, 0);
    const fit::Vector wide(6, 1e9);
    const fit::Vector other(6, -1e9);

    const fit::Vector safe = fit::safe_quadratic(equations).step(other, wide);
    const fit::Vector damped = fit::damped_step(equations, 0);
    const fit::Vector plain =
        fit::damped_step(problem.matrix, problem.gradient, fit::Vector(6), 1e-12);

    for (const fit::Vector& step : {safe, damped, plain}) {
        for (const double each : slope_at(problem, step)) {
            CHECK(each == Approx(0).margin(1e-6));
        }
    }
}

TEST_CASE("damping is that of Levenberg and Marquardt") {
    fit::Matrix matrix(2, 2);
    matrix(0, 0) = 4;
    matrix(1, 1) = 1e-4;
    const fit::Vector gradient{2, 1e-2};

    const fit::Vector relative = fit::damped_step(fit::exact_equations(matrix, gradient, 0), 0.5);
    CHECK(relative[0] == Approx(-2 / 6.0));
    CHECK(relative[1] == Approx(-1e-2 / 1.5e-4));
    const fit::Vector absolute = fit::damped_step(matrix, gradient, fit::Vector{1, 2e-4}, 1e-12);
    CHECK(absolute[0] == Approx(-2 / 5.0));
    CHECK(absolute[1] == Approx(-1e-2 / 3e-4));
}

TEST_CASE("directions of negative curvature and without information are not followed") {
    fit::Matrix matrix(2, 2);
    matrix(0, 0) = 1;
    matrix(1, 1) = -1;

    const fit::Vector step = fit::damped_step(fit::exact_equations(matrix, {1, 1}, 0), 0.01);

    CHECK(step[0] == Approx(-1 / 1.01));
    CHECK(step[1] == 0);
    CHECK(fit::damped_step(fit::exact_equations(fit::Matrix(2, 2), {1, 1}, 0), 0.01) ==
          fit::Vector(2));
    CHECK(fit::damped_step(fit::Matrix(2, 2), fit::Vector{1, 1}, fit::Vector(2), 1e-12) ==
          fit::Vector(2));
}

TEST_CASE("derivatives that noise explains are shortened") {
    fit::Matrix matrix(1, 1);
    matrix(0, 0) = 1;
    fit::NormalEquations equations = fit::exact_equations(matrix, {2.0}, 0);
    equations.gradient_noise(0, 0) = 4; // q = 1

    const fit::Quadratic found = fit::safe_quadratic(equations);

    CHECK(found.ratios[0] == Approx(1));
    CHECK(found.gradient[0] == Approx(2 * 1 / (1 + fit::kCaution)));
}

TEST_CASE("derivatives along what is not told from zero are shortened at any caution") {
    fit::Matrix matrix(1, 1);
    matrix(0, 0) = 1;
    fit::NormalEquations equations = fit::exact_equations(matrix, {2.0}, 0);
    equations.gradient_noise(0, 0) = 4; // q = 1

    equations.diagonal_noise[0] = 0.1;
    CHECK(fit::safe_quadratic(equations, 0.01).gradient[0] == Approx(2 * 1 / 1.01));
    equations.diagonal_noise[0] = 0.6;
    CHECK(fit::safe_quadratic(equations, 0.01).gradient[0] == Approx(2 * 1 / (1 + fit::kCaution)));
}

TEST_CASE("sizes that differ are refused") {
    const fit::Vector two(2);
    CHECK_THROWS_AS(fit::box_step(fit::Matrix(3, 3), two, two, two), core::ArgumentError);
    CHECK_THROWS_AS(fit::box_step(fit::Matrix(2, 2), two, two, fit::Vector(1)),
                    core::ArgumentError);
    CHECK_THROWS_AS(fit::damped_step(fit::Matrix(2, 2), two, fit::Vector(1), 0),
                    core::ArgumentError);
}
