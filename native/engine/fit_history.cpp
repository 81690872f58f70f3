// SPDX-License-Identifier: Apache-2.0
#include "engine/fit_history.hpp"

#include "core/error.hpp"

#include <cstddef>
#include <string>

namespace weft::engine {

namespace {

constexpr std::size_t kColumns = 8; ///< numbers of a state beside values and errors

void append(std::vector<double>& out, const fit::Vector& values) {
    out.insert(out.end(), values.begin(), values.end());
}

/// Takes numbers from the front.
fit::Vector take(std::span<const double>& rest, std::size_t count) {
    fit::Vector out(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count));
    rest = rest.subspan(count);
    return out;
}

/// Letters as numbers, each text ended by a 0.
std::vector<std::string> restored_texts(const std::vector<std::size_t>& letters) {
    std::vector<std::string> out(1);
    for (const std::size_t letter : letters) {
        if (letter == 0) {
            out.emplace_back();
        } else {
            out.back() += static_cast<char>(letter);
        }
    }
    out.pop_back();
    return out;
}

} // namespace

fit::SavedArrays save_history(std::span<const fit::FitState> history) {
    std::vector<double> numbers;
    std::vector<double> values;
    std::vector<double> errors;
    std::vector<std::size_t> phases;
    for (const fit::FitState& state : history) {
        append(numbers, {static_cast<double>(state.iterations), state.loss, state.noise_floor,
                         state.is_done ? 1.0 : 0.0, state.has_converged ? 1.0 : 0.0, state.progress,
                         state.seconds_left, state.seconds});
        for (const fit::FittedValue& found : state.values) {
            append(values, found.value);
            append(errors, found.error);
        }
        phases.insert(phases.end(), state.phase.begin(), state.phase.end());
        phases.push_back(0);
    }
    fit::SavedArrays out;
    out.add("numbers", std::move(numbers));
    out.add("values", std::move(values));
    out.add("errors", std::move(errors));
    out.add_counts("phases", phases);
    return out;
}

std::vector<fit::FitState> restored_history(const fit::SavedArrays& saved,
                                            const fit::FitState& like) {
    const std::vector<std::string> phases = restored_texts(saved.counts("phases"));
    std::size_t width = 0;
    for (const fit::FittedValue& found : like.values) {
        width += found.value.size();
    }
    const std::vector<double> all_numbers = saved.doubles("numbers", phases.size() * kColumns);
    const std::vector<double> all_values = saved.doubles("values", phases.size() * width);
    const std::vector<double> all_errors = saved.doubles("errors", phases.size() * width);
    std::span<const double> numbers = all_numbers;
    std::span<const double> values = all_values;
    std::span<const double> errors = all_errors;
    std::vector<fit::FitState> out;
    for (const std::string& phase : phases) {
        const fit::Vector row = take(numbers, kColumns);
        if (!(row[0] >= 0)) {
            throw core::ArgumentError("restore: the saved history must have numbers of iterations "
                                      "from 0; start anew");
        }
        fit::FitState state{.iterations = static_cast<std::size_t>(row[0]),
                            .loss = row[1],
                            .noise_floor = row[2],
                            .is_done = row[3] != 0,
                            .has_converged = row[4] != 0,
                            .phase = phase,
                            .progress = row[5],
                            .seconds_left = row[6],
                            .seconds = row[7]};
        for (const fit::FittedValue& found : like.values) {
            state.values.push_back({.name = found.name,
                                    .value = take(values, found.value.size()),
                                    .error = take(errors, found.error.size())});
        }
        out.push_back(std::move(state));
    }
    return out;
}

} // namespace weft::engine
