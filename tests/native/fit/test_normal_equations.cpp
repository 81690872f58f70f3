// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/thread_pool.hpp"
#include "fit/noisy_curves.hpp"
#include "fit/normal_equations.hpp"
#include "support/catch.hpp"

#include <limits>

using namespace weft;
using fit::test::Arrays;

namespace {

double at(const std::vector<float>& values, std::size_t i) {
    return static_cast<double>(values[i]);
}

/// All sums by their definition, in double.
fit::NormalEquations by_definition(const Arrays& arrays, std::size_t columns, std::size_t cluster) {
    const auto& [ra, rb] = arrays.residual;
    const auto& [ja, jb] = arrays.jacobian;
    fit::NormalEquations out =
        fit::exact_equations(fit::Matrix(columns, columns), fit::Vector(columns), 0);
    const std::size_t rows = ra.size();
    for (std::size_t i = 0; i < columns; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            for (std::size_t row = 0; row < rows; ++row) {
                const double one = at(ja, row * columns + i) * at(jb, row * columns + j);
                const double other = at(jb, row * columns + i) * at(ja, row * columns + j);
                out.matrix(i, j) += (one + other) / 2;
                out.skew(i, j) += (one - other) / 2;
            }
        }
    }
    for (std::size_t first = 0; first < rows; first += cluster) {
        fit::Vector apart(columns);
        for (std::size_t i = 0; i < columns; ++i) {
            double products = 0;
            double squares = 0;
            for (std::size_t row = first; row < first + cluster; ++row) {
                const double a = at(ja, row * columns + i);
                const double b = at(jb, row * columns + i);
                out.gradient[i] += (a * at(rb, row) + b * at(ra, row)) / 2;
                out.spread[i] += (a * a + b * b) / 2;
                apart[i] += (a * at(rb, row) - b * at(ra, row)) / 2;
                products += a * b;
                squares += (a - b) * (a - b);
            }
            out.diagonal_noise[i] += squares * (std::max(products, 0.0) + squares / 4);
        }
        for (std::size_t i = 0; i < columns; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                out.gradient_noise(i, j) += apart[i] * apart[j];
            }
        }
    }
    for (std::size_t row = 0; row < rows; ++row) {
        out.loss += at(ra, row) * at(rb, row);
    }
    return out;
}

void require_near(const std::vector<double>& found, const std::vector<double>& expected,
                  double tolerance) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(std::abs(found[i] - expected[i]) <= tolerance);
    }
}

} // namespace

TEST_CASE("normal equations are what their definition says") {
    for (const std::size_t columns : {1U, 3U, 8U, 17U, 60U}) {
        for (const std::size_t cluster : {1U, 3U}) {
            const std::size_t rows = 606;
            const Arrays arrays = Arrays::random(rows, columns, 5);

            const fit::NormalEquations found = fit::normal_equations(arrays.pair(), cluster);

            const fit::NormalEquations expected = by_definition(arrays, columns, cluster);
            const double rounding = 1e-6 * static_cast<double>(rows);
            require_near(found.matrix.values, expected.matrix.values, rounding);
            require_near(found.skew.values, expected.skew.values, rounding);
            require_near(found.gradient, expected.gradient, rounding);
            require_near(found.spread, expected.spread, rounding);
            require_near(found.gradient_noise.values, expected.gradient_noise.values,
                         10 * rounding);
            CHECK(found.loss == Approx(expected.loss));
            for (std::size_t i = 0; i < columns; ++i) {
                CHECK(found.diagonal_noise[i] ==
                      Approx(std::sqrt(expected.diagonal_noise[i])).epsilon(1e-5));
            }
        }
    }
}

TEST_CASE("sums do not depend on the number of threads") {
    const Arrays arrays = Arrays::random(60000, 20, 3);
    core::ThreadPool pool(3);

    const fit::NormalEquations alone = fit::normal_equations(arrays.pair(), 3);
    const fit::NormalEquations together = fit::normal_equations(arrays.pair(), 3, &pool);

    CHECK(alone.matrix.values == together.matrix.values);
    CHECK(alone.gradient == together.gradient);
    CHECK(alone.gradient_noise.values == together.gradient_noise.values);
}

TEST_CASE("at the truth gradient and loss are zero on average") {
    fit::test::NoisyCurves model({1.2, 0.5}, 3, 0.3, 200);
    const std::array<double, 2> truth{1.2, 0.5};
    std::array<double, 3> sums{};
    std::array<double, 3> squares{};
    const int count = 2000;
    for (int draw = 0; draw < count; ++draw) {
        model.draw(truth);
        const fit::NormalEquations found = fit::normal_equations(model.linearize(truth));
        const std::array<double, 3> values{found.gradient[0], found.gradient[1], found.loss};
        for (std::size_t i = 0; i < 3; ++i) {
            sums[i] += values[i];
            squares[i] += values[i] * values[i];
        }
    }

    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(std::abs(sums[i]) < 4 * std::sqrt(squares[i]));
    }
}

TEST_CASE("arrays that do not fit together are refused") {
    Arrays arrays = Arrays::random(9, 2, 1);

    CHECK_THROWS_AS(fit::normal_equations(arrays.pair(), 2), core::ArgumentError);
    arrays.jacobian[1].pop_back();
    CHECK_THROWS_AS(fit::normal_equations(arrays.pair()), core::ArgumentError);
    CHECK_THROWS_AS(fit::normal_equations({}), core::ArgumentError);
    CHECK_THROWS_AS(fit::exact_equations(fit::Matrix(2, 2), fit::Vector(3), 0),
                    core::ArgumentError);
}

TEST_CASE("numbers that are not finite are refused wherever they are") {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        for (std::size_t set = 0; set < 2; ++set) {
            Arrays residual = Arrays::random(9, 2, 1);
            residual.residual[set][4] = bad;
            CHECK_THROWS_AS(fit::normal_equations(residual.pair()), core::ArgumentError);
            Arrays jacobian = Arrays::random(9, 2, 1);
            jacobian.jacobian[set][11] = bad;
            CHECK_THROWS_AS(fit::normal_equations(jacobian.pair()), core::ArgumentError);
        }
    }
}
