// SPDX-License-Identifier: Apache-2.0
// Where descents from different starts have ended, and which parameters begin anew elsewhere.
#pragma once

#include "core/api.hpp"
#include "fit/information.hpp"
#include "fit/saved_arrays.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace weft::fit {

/// Averaged iterations after which another start is asked what it leads to.
inline constexpr std::size_t kMinAverages = 2;
/// Iterations that another start gets at most.
inline constexpr std::size_t kMaxStartIterations = 8;
/// Averaged iterations after which parameters are asked whether anything tells them.
inline constexpr std::size_t kAveragesBeforeQuestion = 4;
/// Of a variance by noise of the samples: more of them would hardly change it.
inline constexpr double kDrawnFraction = 0.2;
/// Of the range: errors of parameters that are not compared.
inline constexpr double kDoubtfulError = 0.05;

/// Where iterations were averaged, and what they said: losses of the averaged model.
struct Candidate {
    double loss = 0;      ///< of all residuals
    double deviation = 0; ///< of `loss`, by noise
    Vector losses;        ///< of the residuals of each group; see group_losses()
    Vector x;
    Vector errors; ///< standard errors of x
    Information information;
    std::vector<bool> moved; ///< which parameters began anew to get here

    [[nodiscard]] WEFT_API SavedArrays save() const;
    [[nodiscard]] static Candidate restore(const SavedArrays& saved, std::size_t parameter_count,
                                           std::size_t group_count);
};

/// What Attempts decides by.
struct AttemptLimits {
    std::vector<std::int64_t>
        groups;    ///< of each parameter, from 0 without gaps: groups begin anew on their own
    Vector extent; ///< ranges of the parameters
    std::size_t starts = 1; ///< at most, the first included
    std::optional<std::size_t>
        iterations; ///< all there will be: no start begins that could not come to its end
};

/// The candidates where descents from different starts have ended.
class Attempts {
public:
    /// All begin at the start.
    explicit Attempts(AttemptLimits limits);

    const std::vector<std::shared_ptr<const Candidate>>& candidates() const noexcept {
        return m_candidates;
    }
    const std::vector<bool>& moved() const noexcept { return m_moved; }
    const std::vector<std::int64_t>& groups() const noexcept { return m_limits.groups; }
    /// Iterations before the start under way.
    std::size_t began() const noexcept { return m_began; }
    std::size_t max_starts() const noexcept { return m_limits.starts; }
    std::size_t group_count() const noexcept;
    /// The candidate that explains the residuals best; null before iterations were averaged.
    const Candidate* best() const noexcept;

    void add(Candidate candidate) {
        m_candidates.push_back(std::make_shared<const Candidate>(std::move(candidate)));
    }
    /// Notes that some parameters begin anew after so many iterations.
    void begin(std::vector<bool> moved, std::size_t iterations);
    /// Forgets all candidates: their losses can no longer be compared.
    void forget(std::size_t iterations);

    /// Whether another start has shown what it leads to.
    [[nodiscard]] bool is_over(std::size_t iterations, std::size_t averaged,
                               bool is_still) const noexcept;
    /// Whether one more start is allowed, and could come to its end.
    [[nodiscard]] bool may_go_on(std::size_t iterations) const noexcept;
    /// The parameters of groups whose other starts have ended at one candidate for good.
    [[nodiscard]] std::vector<bool> returned() const;
    /// The parameters of each group where they explain its residuals best.
    [[nodiscard]] Vector gathered() const;

    [[nodiscard]] SavedArrays save() const;
    void restore(const SavedArrays& saved);

private:
    /// Groups with a parameter that differs between two candidates, by more than its errors let it.
    std::vector<bool> groups_apart(const Candidate& one, const Candidate& other) const;

    AttemptLimits m_limits;
    std::vector<std::shared_ptr<const Candidate>>
        m_candidates; ///< shared: a solver keeps its state to return to it
    std::vector<bool> m_moved;
    std::size_t m_began = 0;
};

} // namespace weft::fit
