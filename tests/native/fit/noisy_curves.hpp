// SPDX-License-Identifier: Apache-2.0
// A model whose truth is known: r(x) = f(x) - f(truth), with noise in values and derivatives that both share.
#pragma once

#include "fit/residuals.hpp"

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace weft::fit::test {

/// x0 exp(-3 x1 t) over t in [0, 1].
class NoisyCurves : public Model {
public:
    NoisyCurves(std::array<double, 2> truth, unsigned seed, double noise = 0.3,
                std::size_t count = 4000)
        : m_truth(truth), m_noise(noise), m_random(seed),
          m_factors{std::vector<double>(count), std::vector<double>(count)} {}

    void draw(std::span<const double> /*x*/) override {
        ++draws;
        std::normal_distribution<double> normal;
        for (auto& factors : m_factors) {
            for (double& factor : factors) {
                factor = 1 + m_noise * normal(m_random);
            }
        }
    }

    SamplePair linearize(std::span<const double> x) override {
        for (std::size_t set = 0; set < 2; ++set) {
            fill(x, set, m_residual[set], &m_jacobian[set]);
        }
        return {{m_residual[0], m_jacobian[0]}, {m_residual[1], m_jacobian[1]}};
    }

    ResidualPair residuals(std::span<const double> x) override {
        for (std::size_t set = 0; set < 2; ++set) {
            fill(x, set, m_candidate[set], nullptr);
        }
        return {m_candidate[0], m_candidate[1]};
    }

    int draws = 0;

private:
    void fill(std::span<const double> x, std::size_t set, std::vector<float>& residual,
              std::vector<float>* jacobian) const {
        residual.clear();
        if (jacobian != nullptr) {
            jacobian->clear();
        }
        const std::vector<double>& factors = m_factors[set];
        for (std::size_t i = 0; i < factors.size(); ++i) {
            const double t = static_cast<double>(i) / static_cast<double>(factors.size() - 1);
            const double decay = std::exp(-3 * x[1] * t);
            const double target = m_truth[0] * std::exp(-3 * m_truth[1] * t);
            residual.push_back(static_cast<float>(factors[i] * x[0] * decay - target));
            if (jacobian != nullptr) {
                jacobian->push_back(static_cast<float>(factors[i] * decay));
                jacobian->push_back(static_cast<float>(factors[i] * -3 * t * x[0] * decay));
            }
        }
    }

    std::array<double, 2> m_truth;
    double m_noise;
    std::mt19937 m_random;
    std::array<std::vector<double>, 2> m_factors;
    std::array<std::vector<float>, 2> m_residual;
    std::array<std::vector<float>, 2> m_jacobian;
    std::array<std::vector<float>, 2> m_candidate;
};

/// Residuals and derivatives of both sample sets, owned.
struct Arrays {
    std::array<std::vector<float>, 2> residual;
    std::array<std::vector<float>, 2> jacobian;

    SamplePair pair() const { return {{residual[0], jacobian[0]}, {residual[1], jacobian[1]}}; }

    /// Normal numbers everywhere.
    static Arrays random(std::size_t rows, std::size_t columns, unsigned seed) {
        std::mt19937 random(seed);
        std::normal_distribution<float> normal;
        Arrays out;
        for (std::size_t set = 0; set < 2; ++set) {
            for (std::size_t i = 0; i < rows; ++i) {
                out.residual[set].push_back(normal(random));
            }
            for (std::size_t i = 0; i < rows * columns; ++i) {
                out.jacobian[set].push_back(normal(random));
            }
        }
        return out;
    }
};

} // namespace weft::fit::test
