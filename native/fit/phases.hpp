// SPDX-License-Identifier: Apache-2.0
// The phases of a fit, one after the other, and the one place that knows how far it is. For the sources of this layer.
//
// A phase moves one set of unknowns with one solver. The list of them tells which one is under way, the fraction that is
// done, and the time left.
#pragma once

#include "fit/fit_state.hpp"
#include "fit/saved_arrays.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::fit {

/// Iterations of one kind take about as long.
enum class PhaseKind : std::uint8_t { scalars, textures };

/// One phase of a fit: begin(), step() until is_done(), end(). One thread at a time.
class Phase {
public:
    /// @param name what people read: "scalars", "textures", "polish".
    Phase(std::string name, PhaseKind kind) : m_name(std::move(name)), m_kind(kind) {}
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;
    virtual ~Phase() = default;

    [[nodiscard]] const std::string& name() const noexcept { return m_name; }
    [[nodiscard]] PhaseKind kind() const noexcept { return m_kind; }
    /// Iterations that the phase has made.
    [[nodiscard]] std::size_t iterations() const noexcept { return m_seconds.size(); }
    /// Of each iteration so far.
    [[nodiscard]] const std::vector<double>& seconds() const noexcept { return m_seconds; }
    void add_seconds(double seconds) { m_seconds.push_back(seconds); }
    void set_seconds(std::vector<double> seconds) noexcept { m_seconds = std::move(seconds); }

    /// Whether the phase has anything to do, as far as is known before it begins.
    [[nodiscard]] virtual bool is_needed() const { return true; }
    /// Whether the phase needs no further iteration; asked after begin() only.
    [[nodiscard]] virtual bool is_done() const = 0;
    /// Iterations that the phase is expected to need from here on; at least 0.
    [[nodiscard]] virtual double remaining() const = 0;

    /// Prepares the first iteration: pixels, weights, solver. If it throws, it may be called again as if it had not been.
    virtual void begin() = 0;
    /// Samples new paths and takes one optimisation step. If it throws, the phase is as it was.
    virtual void step() = 0;
    /// Hands on what was found. Neither draws nor waits; further calls change nothing.
    virtual void end() {}

    /// All of its own that later iterations depend on while it is under way, seconds() apart. May wait.
    [[nodiscard]] virtual SavedArrays save() const { return {}; }
    /// Goes back to where save() was called. @throws ArgumentError if arrays do not fit.
    virtual void restore(const SavedArrays& /*saved*/) {}

private:
    std::string m_name;
    PhaseKind m_kind;
    std::vector<double> m_seconds;
};

/// The phases of a fit in their order. One thread at a time.
class PhaseList {
public:
    /// @param phases at least one; they outlive the list. The last of those that are needed ends the fit.
    explicit PhaseList(std::vector<Phase*> phases);

    /// The phase under way.
    [[nodiscard]] const Phase& current() const noexcept { return *m_phases[m_index]; }
    /// Of all phases, so far.
    [[nodiscard]] std::size_t iterations() const noexcept;
    /// Whether the phase under way is done, and no further one is needed.
    [[nodiscard]] bool is_done() const;
    /// Makes one iteration of the phase under way, and goes on to the next phase at its end: an interrupted beginning of that
    /// is left to the next call. The first call begins the first phase.
    /// @throws as Phase::begin() and Phase::step(); nothing is lost, and the next call tries again.
    void step();

    /// Name of the phase that has made the last iteration, the fraction that is done, the seconds left, and those of all iterations.
    void describe(FitState& state) const;
    /// Fraction of the expected work that is done, in [0, 1]; 1 only at the end. It foresees convergence from standard errors,
    /// and never falls.
    [[nodiscard]] double progress() const;
    /// Expected seconds of the iterations left; infinite before two were timed.
    [[nodiscard]] double seconds_left() const;

    /// phase, seconds of each phase and the part `current`: all that later iterations depend on, what phases share apart.
    [[nodiscard]] SavedArrays save() const;
    /// Goes back to where save() was called, after all that phases share. @throws ArgumentError if arrays do not fit.
    void restore(const SavedArrays& saved);

private:
    /// In seconds, without compilation.
    struct Work {
        double done = 0;
        double left = 0;
    };

    void enter();
    [[nodiscard]] std::optional<std::size_t> next() const;
    [[nodiscard]] std::optional<double> cost(PhaseKind kind) const;
    [[nodiscard]] Work work() const;

    std::vector<Phase*> m_phases;
    std::size_t m_index = 0;
    bool m_has_begun = false; ///< the phase under way
    std::string m_last{};     ///< phase of the last iteration
    double m_progress = 0;    ///< the largest so far
};

} // namespace weft::fit
