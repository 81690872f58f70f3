// SPDX-License-Identifier: Apache-2.0
#include "fit/information.hpp"
#include "fit/noisy_curves.hpp"
#include "fit/prior.hpp"
#include "support/catch.hpp"

#include <cmath>

using namespace weft;
using fit::test::Arrays;

TEST_CASE("the standard error of a mean is that of statistics, with the jackknife's correction") {
    // r_i = x - y_i at the mean: the sandwich is sum of r_i^2 / n^2, and each r_i grows by n / (n - 1).
    const std::vector<float> residual{-1.5F, 0.5F, 2.5F, -2.0F, 0.5F};
    const std::vector<float> ones(5, 1.0F);
    const fit::SamplePair pair{{residual, ones}, {residual, ones}};

    const fit::Information found = fit::gather_information(fit::normal_equations(pair), pair);

    double squares = 0;
    for (const float each : residual) {
        squares += static_cast<double>(each * each);
    }
    CHECK(fit::standard_errors(found.covariance, found.lost)[0] ==
          Approx(std::sqrt(squares) / 5 * 5 / 4).epsilon(1e-5));
    CHECK(found.drawn_fraction[0] == Approx(0).margin(1e-6));
}

TEST_CASE("residuals of one cluster count once") {
    const Arrays alone = Arrays::random(400, 3, 7);
    Arrays shared;
    for (std::size_t set = 0; set < 2; ++set) {
        for (std::size_t row = 0; row < 400; ++row) {
            for (int copy = 0; copy < 3; ++copy) {
                shared.residual[set].push_back(alone.residual[set][row]);
                const auto first =
                    alone.jacobian[set].begin() + static_cast<std::ptrdiff_t>(3 * row);
                shared.jacobian[set].insert(shared.jacobian[set].end(), first, first + 3);
            }
        }
        // Derivatives that both sets share, so that H is positive.
        for (std::size_t i = 0; i < shared.jacobian[set].size(); ++i) {
            shared.jacobian[set][i] = shared.jacobian[0][i];
        }
    }
    Arrays plain = alone;
    plain.jacobian[1] = plain.jacobian[0];

    const fit::Information one =
        fit::gather_information(fit::normal_equations(plain.pair()), plain.pair());
    const fit::Information three = fit::gather_information(fit::normal_equations(shared.pair(), 3),
                                                           shared.pair(), {.cluster_size = 3});

    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(three.covariance(i, i) == Approx(one.covariance(i, i)).epsilon(1e-3));
    }
}

TEST_CASE("a parameter that nothing depends on has an infinite error") {
    const Arrays arrays = Arrays::random(100, 2, 4);
    Arrays blind = arrays;
    for (std::size_t set = 0; set < 2; ++set) {
        for (std::size_t row = 0; row < 100; ++row) {
            blind.jacobian[set][2 * row] = arrays.jacobian[0][2 * row];
            blind.jacobian[set][2 * row + 1] = 0;
        }
    }

    const fit::Information found =
        fit::gather_information(fit::normal_equations(blind.pair()), blind.pair());
    const fit::Vector errors = fit::standard_errors(found.covariance, found.lost);

    CHECK(errors[0] < 0.5);
    CHECK(std::isinf(errors[1]));
    CHECK(found.is_silent == std::vector<bool>{false, true});
}

TEST_CASE("a parameter whose information is noise is not silent") {
    Arrays arrays = Arrays::random(100, 2, 4);
    for (std::size_t row = 0; row < 100; ++row) {
        // The product of two halves may be negative, by noise alone.
        arrays.jacobian[1][2 * row] = -arrays.jacobian[0][2 * row];
        arrays.jacobian[0][2 * row + 1] = arrays.jacobian[1][2 * row + 1] = 0;
    }

    const fit::Information found =
        fit::gather_information(fit::normal_equations(arrays.pair()), arrays.pair());

    CHECK(found.matrix(0, 0) < 0);
    CHECK(found.is_silent == std::vector<bool>{false, true});
}

TEST_CASE("the noise of a pair at another place is that of its residuals") {
    const Arrays arrays = Arrays::random(600, 4, 9);
    Arrays moved = arrays;
    for (std::size_t i = 0; i < 600; ++i) {
        moved.residual[0][i] *= 2;
        moved.residual[1][i] *= 2;
    }
    const fit::Vector extent(4, 1e6);
    const fit::NormalEquations here = fit::normal_equations(arrays.pair());

    const fit::Information found =
        fit::gather_information(here, moved.pair(), {.extent = extent, .noise_of_pair = true});
    const fit::Information expected = fit::gather_information(fit::normal_equations(moved.pair()),
                                                              moved.pair(), {.extent = extent});

    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(found.drawn_fraction[i] == Approx(expected.drawn_fraction[i]).epsilon(1e-5));
        CHECK(found.covariance(i, i) == Approx(expected.covariance(i, i)).epsilon(1e-5));
    }
}

TEST_CASE("a prior counts as further residuals") {
    fit::NormalEquations equations = fit::exact_equations(fit::Matrix(1, 1), fit::Vector{0.5}, 1.0);
    equations.matrix(0, 0) = 2;
    const fit::Prior prior{{3.0}, {4.0}};

    prior.add_to(equations, std::vector{5.0}, 0.25);

    CHECK(equations.matrix(0, 0) == Approx(3));
    CHECK(equations.gradient[0] == Approx(0.5 + 0.25 * 4 * 2));
    CHECK(equations.loss == Approx(1 + 0.25 * 4 * 4));
    CHECK(prior.holding({true}, std::vector{1.0}, std::vector{0.5}).precision[0] == Approx(4));
}

TEST_CASE("eigenvalues of noise alone have the noise of as many entries as there are") {
    // Without skew part and noise of the diagonal, rounding is left.
    fit::Matrix identity(2, 2);
    identity(0, 0) = identity(1, 1) = 1;
    const fit::Vector none(2);
    const fit::Vector ones{1, 1};

    const fit::Vector quiet = fit::eigenvalue_noise(fit::Matrix(2, 2), none, ones, identity);
    CHECK(quiet == fit::Vector(2, fit::kRounding));

    fit::Matrix skew(2, 2);
    skew(0, 1) = 0.1;
    skew(1, 0) = -0.1;
    const fit::Vector alone = fit::eigenvalue_noise(skew, none, ones, identity);
    CHECK(alone[0] == Approx(0.1 + 0.01)); // one entry, and to second order the other
    const fit::Vector spread = fit::eigenvalue_noise(skew, none, none, identity);
    CHECK(spread[0] == Approx(std::sqrt(2.0) * 0.1 + 0.01));
    const fit::Vector own =
        fit::eigenvalue_noise(fit::Matrix(2, 2), fit::Vector{0.3, 0}, ones, identity);
    CHECK(own[0] == Approx(0.3));
}
