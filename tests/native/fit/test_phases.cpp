// SPDX-License-Identifier: Apache-2.0
// The order of phases, what is skipped, interrupts between them, and how far they say they are.
#include "core/error.hpp"
#include "fit/phases.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::fit {
namespace {

/// A phase of a number of iterations, which notes what is called.
class Counted : public Phase {
public:
    Counted(std::string name, PhaseKind kind, std::size_t wanted, std::string& calls)
        : Phase(std::move(name), kind), m_wanted(wanted), m_calls(calls) {}

    bool is_skipped = false;
    bool is_interrupted = false; ///< the next beginning, once
    bool is_broken = false;      ///< the next iteration, once

    [[nodiscard]] bool is_needed() const override { return !is_skipped; }
    [[nodiscard]] bool is_done() const override { return iterations() >= m_wanted; }
    [[nodiscard]] double remaining() const override {
        return is_done() ? 0 : static_cast<double>(m_wanted - iterations());
    }
    void begin() override {
        if (std::exchange(is_interrupted, false)) {
            m_calls += "! ";
            throw core::Interrupted();
        }
        m_calls += name() + "( ";
    }
    void step() override {
        if (std::exchange(is_broken, false)) {
            throw std::runtime_error("broken");
        }
        m_calls += ". ";
    }
    void end() override { m_calls += ") "; }

private:
    std::size_t m_wanted;
    std::string& m_calls;
};

struct PhasesFixture {
    std::string calls;
    Counted first{"scalars", PhaseKind::scalars, 2, calls};
    Counted second{"textures", PhaseKind::textures, 2, calls};
    Counted last{"polish", PhaseKind::scalars, 1, calls};
    PhaseList phases{{&first, &second, &last}};

    FitState state() const {
        FitState out;
        phases.describe(out);
        return out;
    }
};

TEST_CASE_METHOD(PhasesFixture, "phases follow each other, and say how far they are") {
    CHECK(state().phase.empty());
    CHECK(state().progress == 0);
    CHECK(std::isinf(state().seconds_left));
    std::vector<std::string> made;
    std::vector<double> fractions;
    while (!phases.is_done()) {
        phases.step();
        made.push_back(state().phase);
        fractions.push_back(state().progress);
    }
    CHECK(calls == "scalars( . . ) textures( . . ) polish( . ) ");
    CHECK(made == std::vector<std::string>{"scalars", "scalars", "textures", "textures", "polish"});
    for (std::size_t i = 1; i < fractions.size(); ++i) {
        CHECK(fractions[i] >= fractions[i - 1]);
    }
    // Before any was timed, an iteration of textures counts for 1.5 of numbers: 1 of 6.
    CHECK(std::abs(fractions.front() - 1.0 / 6) < 1e-9);
    CHECK((fractions[3] < 1 && fractions.back() == 1));
    CHECK(state().seconds_left == 0);
    CHECK(phases.iterations() == 5);
}

TEST_CASE_METHOD(PhasesFixture, "phases that are not needed are left out") {
    second.is_skipped = true;
    last.is_skipped = true;
    phases.step();
    CHECK(!phases.is_done());
    phases.step();
    CHECK(phases.is_done());
    CHECK(calls == "scalars( . . ) ");
    CHECK(state().progress == 1);
}

TEST_CASE_METHOD(PhasesFixture, "an interrupted beginning is made up for by the next step") {
    first.is_interrupted = true;
    CHECK_THROWS_AS(phases.step(), core::Interrupted); // nothing was made
    second.is_interrupted = true;
    phases.step();
    phases.step(); // was made: it does not look as if it had been given up
    CHECK(phases.iterations() == 2);
    CHECK(!phases.is_done());
    CHECK(calls == "! scalars( . . ) ! ");
    second.is_broken = true;
    CHECK_THROWS_WITH(phases.step(), ContainsSubstring("broken"));
    CHECK(phases.iterations() == 2);
    phases.step();
    CHECK(calls == "! scalars( . . ) ! textures( . ");
}

} // namespace
} // namespace weft::fit
