// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "drawn_texels.hpp"
#include "fit/joint_numbers.hpp"
#include "fit/observation.hpp"
#include "support/catch.hpp"

#include <cmath>

using namespace weft;

namespace {

/// Two numbers in [0, 10].
fit::JointNumbers two_numbers(fit::Vector start, fit::Prior prior = fit::Prior::none(2)) {
    return {std::move(start), {0, 0}, {10, 10}, std::move(prior)};
}

/// Equations at x of a quadratic whose smallest value is at (3, 4).
fit::ReducedEquations equations_at(const fit::Vector& x) {
    fit::Matrix matrix(2, 2);
    matrix.values = {2, 0, 0, 8};
    return {matrix, {2 * (x[0] - 3), 8 * (x[1] - 4)}};
}

/// Residuals of n pixels by one number, with what noise leaves of them.
struct Samples {
    explicit Samples(std::size_t pixels)
        : residual(fit::drawn_floats(1, fit::kChannels * pixels, 0.2, -0.1)),
          jacobian(fit::drawn_floats(2, fit::kChannels * pixels, 1, 0.5)) {}

    fit::SamplePair pair() const { return {{residual, jacobian}, {residual, jacobian}}; }

    std::vector<float> residual;
    std::vector<float> jacobian;
};

fit::Matrix one_entry(double value) {
    fit::Matrix out(1, 1);
    out(0, 0) = value;
    return out;
}

} // namespace

TEST_CASE("numbers step to where the reduced loss is smallest") {
    fit::JointNumbers numbers = two_numbers({2.9, 4.2});

    const fit::Vector step = numbers.step(equations_at(numbers.x()), 1, false);

    // The damping of each diagonal entry is a hundredth.
    CHECK(step[0] == Approx(0.1 / 1.01));
    CHECK(step[1] == Approx(-0.2 / 1.01));
    CHECK(numbers.x()[1] == Approx(4.2 - 0.2 / 1.01));
}

TEST_CASE("steps are no longer than the trust region, and stay within the bounds") {
    fit::JointNumbers far = two_numbers({9, 4});
    CHECK(far.step(equations_at(far.x()), 1, false)[0] == Approx(-0.8));

    fit::JointNumbers close = two_numbers({0.1, 4});
    fit::ReducedEquations down = equations_at(close.x());
    down.gradient = {2, 0};
    CHECK(close.step(down, 1, false)[0] == Approx(-0.1));
    CHECK(close.x()[0] == 0);
    CHECK(two_numbers({-3, 12}).x() == fit::Vector{0, 10});
}

TEST_CASE("iterations at other places say of one place where it is smallest") {
    fit::JointNumbers numbers = two_numbers({2.5, 4.5});

    for (int iteration = 0; iteration < 12; ++iteration) {
        fit::ReducedEquations own = equations_at(numbers.x());
        const double noise = iteration % 2 == 0 ? 0.05 : -0.05;
        own.gradient[0] += noise;
        (void)numbers.step(own, 1, true);
    }

    CHECK(numbers.x()[0] == Approx(3).margin(1e-3));
    CHECK(numbers.x()[1] == Approx(4).margin(1e-3));
}

TEST_CASE("equations of several places meet in one") {
    const fit::Vector truth{0.3, 1.2};
    fit::JointNumbers numbers = two_numbers({2, 2});

    for (std::uint32_t iteration = 0; iteration < 12; ++iteration) {
        // J' J of drawn rows, which tell another direction best each time.
        const std::vector<double> rows = fit::drawn(20 + iteration, 10);
        fit::ReducedEquations own{fit::Matrix(2, 2), fit::Vector(2)};
        for (std::size_t row = 0; row < 5; ++row) {
            for (std::size_t i = 0; i < 2; ++i) {
                for (std::size_t j = 0; j < 2; ++j) {
                    const double product = (rows[2 * row + i] - 0.5) * (rows[2 * row + j] - 0.5);
                    own.matrix(i, j) += product;
                    own.gradient[i] += product * (numbers.x()[j] - truth[j]);
                }
            }
        }
        (void)numbers.step(own, 1, true);
    }

    CHECK(numbers.x()[0] == Approx(truth[0]).margin(1e-6));
    CHECK(numbers.x()[1] == Approx(truth[1]).margin(1e-6));
    CHECK(numbers.save().doubles("counts", 2)[1] == 12);
}

TEST_CASE("equations forget what came long ago") {
    fit::JointNumbers numbers({0}, {-100}, {100}, fit::Prior::none(1));

    for (int iteration = 0; iteration < 33; ++iteration) {
        const double wanted = iteration < 3 ? 5 : 1;
        (void)numbers.step({one_entry(1), {numbers.x()[0] - wanted}}, 1, false);
    }

    // Six iterations count: a sixth of the last one's weight goes in each further one.
    CHECK(numbers.x()[0] == Approx(1).margin(0.02));
}

TEST_CASE("numbers that are fixed do not step") {
    fit::JointNumbers numbers = two_numbers({2.5, 4.5});
    numbers.start_at(fit::Vector{2.5, 4.5}, {false, true});

    const fit::Vector step = numbers.step(equations_at(numbers.x()), 1, false);
    CHECK(step[0] == Approx(0.5 / 1.01));
    CHECK(step[1] == 0);

    numbers.move_fixed(fit::Vector{7, 6});
    CHECK(numbers.x()[0] == Approx(2.5 + step[0]));
    CHECK(numbers.x()[1] == 6);
    numbers.return_to(fit::Vector{1, 2});
    CHECK(numbers.x() == fit::Vector{1, 6});
}

TEST_CASE("what is expected of numbers counts as residuals do") {
    // 2 (x - 3)^2 / 2 + 2 variance precision (x - 5)^2 / 2, variance 1: half way.
    fit::JointNumbers numbers = two_numbers({4.1, 4}, {{5, 0}, {1, 0}});

    const fit::Vector step = numbers.step(equations_at(numbers.x()), 1, false);

    CHECK(step[0] == Approx((4 - 4.1) / 1.01));
}

TEST_CASE("averages begin anew where numbers have moved on") {
    fit::JointNumbers numbers = two_numbers({2.9, 4});
    CHECK(numbers.average());
    (void)numbers.step(equations_at(numbers.x()), 1, false);
    CHECK(numbers.average());
    CHECK(numbers.averaged() == 2);

    fit::ReducedEquations away = equations_at(numbers.x());
    away.gradient = {-2, 0};
    (void)numbers.step(away, 1, false);

    CHECK_FALSE(numbers.average());
    CHECK(numbers.averaged() == 0);
    CHECK(numbers.average());
}

TEST_CASE("errors are those of the mean residuals") {
    const Samples samples(40);
    fit::JointNumbers numbers({0.5}, {0}, {1}, fit::Prior::none(1));
    const fit::NormalEquations equations = fit::normal_equations(samples.pair());
    const fit::Information expected =
        fit::gather_information(equations, samples.pair(), {.cluster_size = fit::kChannels});

    for (int iteration = 0; iteration < 3; ++iteration) {
        REQUIRE(numbers.average());
        numbers.add(samples.pair(), one_entry(2 * equations.matrix(0, 0)), 0);
    }

    REQUIRE(numbers.information().has_value());
    CHECK(numbers.information()->covariance(0, 0) ==
          Approx(expected.covariance(0, 0)).epsilon(1e-5));
}

TEST_CASE("texels explain noise") {
    const Samples samples(40);
    fit::JointNumbers numbers({0.5}, {0}, {1}, fit::Prior::none(1));
    const auto variance = [&](std::size_t texels) {
        fit::JointNumbers own = numbers;
        REQUIRE(own.average());
        own.add(samples.pair(), one_entry(60), texels);
        return own.information()->covariance(0, 0);
    };

    CHECK(variance(60) == Approx(2 * variance(0)).epsilon(1e-5));
    // A tenth of the residuals is left at least.
    CHECK(variance(1000) == Approx(10 * variance(0)).epsilon(1e-5));
}

TEST_CASE("the numbers of a joint fit go on as before") {
    const Samples samples(40);
    fit::JointNumbers numbers({0.5}, {0}, {1}, {{0.4}, {3}});
    REQUIRE(numbers.average());
    numbers.add(samples.pair(), one_entry(60), 5);
    (void)numbers.step({one_entry(60), {0.3}}, 0.01, true);
    fit::JointNumbers other({0.1}, {0}, {1}, {{0.4}, {3}});

    other.restore(numbers.save(), 5);

    CHECK(other.x() == numbers.x());
    CHECK(other.information()->covariance.values == numbers.information()->covariance.values);
    for (fit::JointNumbers* own : {&numbers, &other}) {
        (void)own->step({one_entry(50), {0.1}}, 0.01, true);
    }
    CHECK(other.x() == numbers.x());
    CHECK(numbers.save().at("jacobian").shape == std::vector<std::size_t>{120, 1});
    CHECK_THROWS_AS(other.restore(two_numbers({1, 2}).save(), 0), core::ArgumentError);
    CHECK(other.x() == numbers.x());
}

TEST_CASE("what does not fit the numbers of a joint fit is refused") {
    const Samples samples(40);
    fit::JointNumbers numbers({0.5}, {0}, {1}, fit::Prior::none(1));

    CHECK_THROWS_AS(numbers.add(samples.pair(), one_entry(1), 0), core::ArgumentError);
    REQUIRE(numbers.average());
    numbers.add(samples.pair(), one_entry(1), 0);
    CHECK_THROWS_AS(numbers.add(Samples(20).pair(), one_entry(1), 0), core::ArgumentError);
    CHECK_THROWS_AS(numbers.step(equations_at({1, 2}), 1, false), core::ArgumentError);
    CHECK_THROWS_AS(fit::JointNumbers({0.5}, {0, 0}, {1}, fit::Prior::none(1)),
                    core::ArgumentError);
}
