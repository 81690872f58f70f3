// SPDX-License-Identifier: Apache-2.0
// The state of GaussNewton as arrays by name. Names are those of checkpoints.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/gauss_newton_state.hpp"

namespace weft::fit {

namespace {

double number_of(bool flag) {
    return flag ? 1.0 : 0.0;
}

SavedArray floats(const std::vector<float>& values, std::vector<std::size_t> shape) {
    return {std::move(shape), values};
}

void save_average(const LinearAverage& average, SavedArrays& out) {
    out.add("origin", average.origin());
    out.arrays.emplace("count", SavedArray{{}, std::vector{static_cast<double>(average.count())}});
    const OwnedResiduals& offsets = average.offsets();
    const OwnedResiduals& jacobians = average.jacobians();
    const std::size_t columns = average.origin().size();
    for (const auto& [name, offset, jacobian] :
         {std::tuple("a", &offsets.a, &jacobians.a), std::tuple("b", &offsets.b, &jacobians.b)}) {
        const std::string start = std::string(name) + ".";
        out.arrays.emplace(start + "residual", floats(*offset, {offset->size()}));
        out.arrays.emplace(start + "jacobian", floats(*jacobian, {offset->size(), columns}));
    }
}

} // namespace

SavedArrays GaussNewton::Implementation::save() const {
    const SolverState& state = progress.state;
    SavedArrays out;
    out.add("x", state.x);
    out.add("errors", state.errors);
    out.add("numbers", {state.loss, progress.reach});
    out.add("counts", {static_cast<double>(state.iterations), number_of(state.is_done),
                       number_of(progress.is_asked), number_of(progress.is_mixed)});
    out.add_part("attempts", progress.attempts.save());
    if (progress.seen.has_value()) {
        out.add("seen.x", progress.seen->x);
        out.add("seen.loss", {progress.seen->loss.loss, progress.seen->loss.deviation});
    }
    if (average.has_value()) {
        save_average(*average, out);
    }
    return out;
}

void GaussNewton::Implementation::restore(const SavedArrays& saved) {
    const std::size_t count = start.size();
    const std::vector<double> numbers = saved.doubles("numbers", 2);
    const std::vector<double> counts = saved.doubles("counts", 4);
    Progress read{{}, progress.attempts};
    read.state.x = saved.doubles("x", count);
    read.state.errors = saved.doubles("errors", count);
    read.state.loss = numbers[0];
    read.reach = numbers[1];
    read.state.iterations = static_cast<std::size_t>(counts[0]);
    read.state.is_done = counts[1] != 0;
    read.is_asked = counts[2] != 0;
    read.is_mixed = counts[3] != 0;
    read.attempts.restore(saved.part("attempts"));
    if (saved.contains("seen.x")) {
        const std::vector<double> loss = saved.doubles("seen.loss", 2);
        read.seen = BestIterate{saved.doubles("seen.x", count), {loss[0], loss[1]}};
    }
    std::optional<LinearAverage> read_average;
    if (saved.contains("origin")) {
        read_average.emplace(saved.doubles("origin", count),
                             OwnedResiduals{saved.floats("a.residual"), saved.floats("b.residual")},
                             OwnedResiduals{saved.floats("a.jacobian"), saved.floats("b.jacobian")},
                             static_cast<std::size_t>(saved.doubles("count", 1)[0]));
        read.state.is_averaging = true;
    }
    std::swap(progress, read);
    std::swap(average, read_average);
    if (average.has_value() && average->count() > 0) {
        try {
            const OwnedResiduals own = average->residuals_at(progress.state.x, nullptr);
            learn(normal_equations(average->pair_with(own), settings.cluster_size), own, nullptr);
        } catch (...) {
            std::swap(progress, read);
            std::swap(average, read_average);
            throw;
        }
    }
}

} // namespace weft::fit
