// SPDX-License-Identifier: Apache-2.0
// Fits three numbers of a curve that can only be sampled with noise.
#include <weft/fit/gauss_newton.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace {

constexpr std::array<double, 3> kTruth{1.2, 0.5, 0.3};
constexpr std::size_t kCount = 4000;

double curve(std::span<const double> x, double t) {
    return x[0] * std::exp(-3 * x[1] * t) + x[2];
}

/// amplitude * exp(-3 rate t) + offset, each value times a random factor; the target has none.
class Decay : public weft::fit::Model {
public:
    void draw(std::span<const double> /*x*/) override {
        std::normal_distribution<double> noise(1, 0.2);
        for (auto& factors : m_factors) {
            factors.resize(kCount);
            for (double& factor : factors) {
                factor = noise(m_random);
            }
        }
    }

    weft::fit::SamplePair linearize(std::span<const double> x) override {
        for (std::size_t set = 0; set < 2; ++set) {
            fill_residuals(x, set, m_residual[set]);
            m_jacobian[set].clear();
            for (std::size_t i = 0; i < kCount; ++i) {
                const double factor = m_factors[set][i];
                const double decay = std::exp(-3 * x[1] * time(i));
                for (const double slope : {decay, -3 * time(i) * x[0] * decay, 1.0}) {
                    m_jacobian[set].push_back(static_cast<float>(factor * slope));
                }
            }
        }
        return {{m_residual[0], m_jacobian[0]}, {m_residual[1], m_jacobian[1]}};
    }

    weft::fit::ResidualPair residuals(std::span<const double> x) override {
        for (std::size_t set = 0; set < 2; ++set) {
            fill_residuals(x, set, m_candidate[set]);
        }
        return {m_candidate[0], m_candidate[1]};
    }

private:
    static double time(std::size_t i) { return static_cast<double>(i) / (kCount - 1); }

    void fill_residuals(std::span<const double> x, std::size_t set, std::vector<float>& out) const {
        out.clear();
        for (std::size_t i = 0; i < kCount; ++i) {
            const double value = m_factors[set][i] * curve(x, time(i)) - curve(kTruth, time(i));
            out.push_back(static_cast<float>(value));
        }
    }

    std::mt19937 m_random{3};
    std::array<std::vector<double>, 2> m_factors;
    std::array<std::vector<float>, 2> m_residual;
    std::array<std::vector<float>, 2> m_jacobian;
    std::array<std::vector<float>, 2> m_candidate;
};

} // namespace

int main() {
    Decay model;
    weft::fit::GaussNewton solver(
        model, {0.3, 0.9, 0.9},
        {.low = {0.01, 0.01, 0}, .high = {2, 2, 1}, .tolerance = 4e-3, .max_iterations = 400});
    while (!solver.state().is_done && solver.state().iterations < 400) {
        solver.step();
    }
    const weft::fit::SolverState& state = solver.state();
    std::printf("amplitude %.1f, rate %.1f, offset %.1f\n", state.x[0], state.x[1], state.x[2]);
    return state.is_done ? 0 : 1;
}
