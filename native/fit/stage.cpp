// SPDX-License-Identifier: Apache-2.0
#include "fit/stage.hpp"

#include "fit/saved_parts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::fit {

void Stage::step() {
    prepare();
    m_phases.step();
}

Vector Stage::error_factors(double ratio) const {
    return Vector(x().size(), std::max(ratio, 1.0));
}

void Stage::set_phases(std::vector<std::unique_ptr<Phase>> phases) {
    m_owned = std::move(phases);
    std::vector<Phase*> pointers;
    std::ranges::transform(m_owned, std::back_inserter(pointers), &std::unique_ptr<Phase>::get);
    m_phases = PhaseList(std::move(pointers));
}

SavedArrays Stage::save() const {
    SavedArrays out;
    out.add_part("shared", save_shared());
    out.add_part("views", fit::save(m_views));
    out.add_part("phases", m_phases.save());
    return out;
}

void Stage::restore(const SavedArrays& saved) {
    const SavedArrays before = save();
    try {
        restore_all(saved);
    } catch (...) {
        restore_all(before);
        throw;
    }
}

void Stage::restore_all(const SavedArrays& saved) {
    const std::vector<ViewState> views = restored_views(saved.part("views"), m_views);
    restore_shared(saved.part("shared"));
    m_phases.restore(saved.part("phases"));
    fit::restore(m_views, views);
}

} // namespace weft::fit
