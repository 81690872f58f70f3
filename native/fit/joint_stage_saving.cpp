// SPDX-License-Identifier: Apache-2.0
// What phases of a fit of numbers and textures share, as arrays by name.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/joint_stage.hpp"
#include "fit/saved_parts.hpp"
#include "fit/scalar_pass.hpp"

#include <utility>

namespace weft::fit {

namespace {

// Places among `counts`.
constexpr std::size_t kDraws = 0;
constexpr std::size_t kSamples = 1;
constexpr std::size_t kIterations = 2;
constexpr std::size_t kPasses = 3;
constexpr std::size_t kIsScalarPass = 4;
constexpr std::size_t kWeighings = 5;
constexpr std::size_t kSolverPass = 6;
constexpr std::size_t kCounts = 7;

/// None where there were none.
std::vector<ViewState> restored_selection(const SavedArrays& saved,
                                          const std::vector<View>& views) {
    return saved.arrays.empty() ? std::vector<ViewState>() : restored_views(saved, views);
}

} // namespace

SavedArrays JointStage::save_shared() const {
    SavedArrays out;
    out.add_counts("counts",
                   {scalars.iterations(), static_cast<std::size_t>(scalars.samples()), iterations,
                    passes, std::size_t{is_scalar_pass}, weighing.rounds(), solver_pass});
    out.add_part("scalar_views", fit::save(scalar_views));
    out.add_part("texture_views", fit::save(texture_views));
    out.add_part("loss", fit::save(meter));
    out.add_part("textures", images.save());
    out.add_part("model", model.save());
    out.add("solver_start", solver.start());
    out.add_part("solver", solver.save());
    if (found) {
        out.add_part("found", fit::save(*found));
    }
    return out;
}

void JointStage::restore_shared(const SavedArrays& saved) {
    const std::vector<std::size_t> counts = saved.counts("counts", kCounts);
    if (counts[kPasses] > kPolish + 1 || counts[kSolverPass] > kPolish) {
        throw core::ArgumentError(core::text("restore: the saved passes must be at most ",
                                             kPolish + 1, ", got ", counts[kPasses], " and ",
                                             counts[kSolverPass], "; start anew"));
    }
    std::vector<ViewState> of_scalars = restored_selection(saved.part("scalar_views"), views());
    std::vector<ViewState> of_textures = restored_selection(saved.part("texture_views"), views());
    const SavedArrays known = saved.part("found");
    std::optional<Information> information;
    if (!known.arrays.empty()) {
        information = restored_information(known, unknowns.start.size());
    }
    m_before.reset();
    images.restore(saved.part("textures"));
    model.restore(saved.part("model"));
    // Numbers that move with textures do not move as long as a solver is of use: it is made of what it was made of.
    GaussNewton own = make_solver(*this, counts[kSolverPass],
                                  saved.doubles("solver_start", unknowns.start.size()));
    own.restore(saved.part("solver"));
    fit::restore(meter, saved.part("loss"));
    scalars.set_iterations(counts[kDraws]);
    scalars.set_samples(static_cast<std::int64_t>(counts[kSamples]));
    iterations = counts[kIterations];
    passes = counts[kPasses];
    is_scalar_pass = counts[kIsScalarPass] != 0;
    weighing.set_rounds(counts[kWeighings]);
    solver_pass = counts[kSolverPass];
    solver = std::move(own);
    scalar_views = std::move(of_scalars);
    texture_views = std::move(of_textures);
    found = std::move(information);
    images.replay().give(images.replay().state().texels());
}

} // namespace weft::fit
