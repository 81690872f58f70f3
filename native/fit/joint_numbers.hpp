// SPDX-License-Identifier: Apache-2.0
// Numbers that move together with textures: Newton steps that foresee how the textures follow.
//
// Alternating between the two stalls, because a texture takes up what a wrong number leaves behind. Eliminating the textures
// from the linear model does not: with C = J_t' J_n and the curvature D of the textures, the numbers solve
// (H - C' D^-1 C) dn = -(g_n - C' D^-1 g_t), and the textures move by -D^-1 (g_t + C dn) (variable projection, Golub and
// Pereyra 1973).
#pragma once

#include "core/api.hpp"
#include "fit/information.hpp"
#include "fit/matrix.hpp"
#include "fit/prior.hpp"
#include "fit/residuals.hpp"
#include "fit/saved_arrays.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace weft::fit {

/// Normal equations of p numbers from which the textures were eliminated.
struct ReducedEquations {
    Matrix matrix;   ///< H - C' D^-1 C, p x p
    Vector gradient; ///< g_n - C' D^-1 g_t
};

/// Where the numbers are, and what iterations at different places say of them together.
class JointNumbers {
public:
    /// @param start within the bounds, or put there. @throws ArgumentError if sizes differ.
    WEFT_API JointNumbers(Vector start, Vector low, Vector high, Prior prior);

    [[nodiscard]] const Vector& x() const noexcept { return m_x; }
    /// Which of them steps leave alone.
    [[nodiscard]] const std::vector<bool>& fixed() const noexcept { return m_fixed; }
    /// Iterations that results are averaged over.
    [[nodiscard]] std::size_t averaged() const noexcept { return m_averaged; }
    /// What the averages say; nothing before add().
    [[nodiscard]] const std::optional<Information>& information() const noexcept {
        return m_information;
    }

    /// Begins elsewhere. @param fixed which steps leave alone: others look after these.
    WEFT_API void start_at(std::span<const double> x, std::vector<bool> fixed);
    /// Puts the numbers that are fixed at a place; others keep theirs.
    WEFT_API void move_fixed(std::span<const double> x);
    /// Puts the numbers that are not fixed back to where they were; averages begin anew there.
    WEFT_API void return_to(std::span<const double> x);

    /// Makes a step within the trust region and the bounds, and returns it.
    /// @param reduced at x(). @param variance of a residual.
    /// @param is_averaging all further iterations count alike; else the last few do.
    WEFT_API Vector step(const ReducedEquations& reduced, double variance, bool is_averaging);
    /// Counts an iteration that results are averaged over.
    /// @return false: none was counted, for the numbers have moved on, and averages of another place are forgotten: steps that
    ///         shrink would never arrive.
    [[nodiscard]] WEFT_API bool average();
    /// Averages residuals and derivatives of the iteration that average() has counted, and finds what they say. A texture
    /// with as many texels as there are pixels explains noise, too: what is left of the residuals is scaled up by the share
    /// that the texels have taken.
    /// @param matrix of ReducedEquations, without blur. @param texels floats of the textures that pictures show.
    WEFT_API void add(const SamplePair& pair, const Matrix& matrix, std::size_t texels);

    /// x, fixed, origin, matrix, counts, equations.matrix, equations.pull; residual and jacobian after add().
    [[nodiscard]] WEFT_API SavedArrays save() const;
    /// Goes back to where save() was called. @throws ArgumentError if arrays do not fit; then nothing changes.
    WEFT_API void restore(const SavedArrays& saved, std::size_t texels);

private:
    void require_count(const char* function, std::size_t count) const;
    void restart_averages();
    void learn(std::size_t texels);

    Vector m_low;
    Vector m_high;
    Prior m_prior;
    Vector m_x;
    std::vector<bool> m_fixed;
    Vector m_origin; ///< where averages have begun
    // M x = b: means of the reduced equations of iterations at different places.
    Matrix m_equations;
    Vector m_pull; ///< b = M_k x_k - g_k of each iteration
    std::size_t m_count = 0;
    std::size_t m_averaged = 0;
    Matrix m_matrix; ///< mean of the reduced matrices
    std::vector<float> m_residual;
    std::vector<float> m_jacobian;
    std::optional<Information> m_information;
};

} // namespace weft::fit
