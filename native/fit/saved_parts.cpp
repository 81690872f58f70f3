// SPDX-License-Identifier: Apache-2.0
#include "fit/saved_parts.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

namespace weft::fit {

namespace {

std::string numbered(const char* name, std::size_t number) {
    return core::text(name, ".", number);
}

SavedArray floats(const std::vector<float>& values) {
    return {{values.size()}, values};
}

SavedArray rows_of(const Matrix& matrix) {
    return {{matrix.rows, matrix.columns}, matrix.values};
}

/// Numbers of pixels, ascending.
std::vector<std::uint32_t> restored_pixels(const SavedArrays& saved, const std::string& name) {
    std::vector<std::uint32_t> out;
    for (const std::size_t pixel : saved.counts(name)) {
        if (pixel > std::numeric_limits<std::uint32_t>::max() ||
            (!out.empty() && pixel <= out.back())) {
            throw core::ArgumentError(core::text("restore: the saved array '", name,
                                                 "' must have numbers of pixels, ascending and "
                                                 "each once; start anew"));
        }
        out.push_back(static_cast<std::uint32_t>(pixel));
    }
    return out;
}

Matrix restored_matrix(const SavedArrays& saved, const std::string& name, std::size_t rows) {
    const SavedArray& array = saved.at(name);
    if (array.shape.size() != 2 || array.shape[0] != rows) {
        throw core::ArgumentError(core::text("restore: the saved array '", name, "' must have ",
                                             rows, " rows; start anew"));
    }
    Matrix out(rows, array.shape[1]);
    out.values = saved.doubles(name, rows * array.shape[1]);
    return out;
}

} // namespace

std::vector<ViewState> states_of(const std::vector<View>& views) {
    std::vector<ViewState> out;
    out.reserve(views.size());
    std::ranges::transform(views, std::back_inserter(out), &View::state);
    return out;
}

SavedArrays save(const std::vector<ViewState>& states) {
    SavedArrays out;
    for (std::size_t number = 0; number < states.size(); ++number) {
        const ViewState& state = states[number];
        out.add(numbered("pixels", number), {state.pixels.begin(), state.pixels.end()});
        out.arrays.emplace(numbered("trust", number), floats(state.trust));
        out.arrays.emplace(numbered("noise", number), floats(state.noise));
        out.add_flags(numbered("lost", number), state.lost);
    }
    return out;
}

SavedArrays save(const std::vector<View>& views) {
    return save(states_of(views));
}

std::vector<ViewState> restored_views(const SavedArrays& saved, const std::vector<View>& views) {
    std::vector<ViewState> out;
    for (std::size_t number = 0; number < views.size(); ++number) {
        const std::size_t count = views[number].lost().size();
        out.push_back({.pixels = restored_pixels(saved, numbered("pixels", number)),
                       .trust = saved.floats(numbered("trust", number)),
                       .noise = saved.floats(numbered("noise", number)),
                       .lost = saved.flags(numbered("lost", number), count)});
        views[number].require(out.back());
    }
    return out;
}

void restore(std::vector<View>& views, const std::vector<ViewState>& states) {
    for (std::size_t number = 0; number < states.size(); ++number) {
        views[number].restore(states[number]);
    }
}

SavedArrays save(const LossMeter& meter) {
    SavedArrays out;
    out.add_flags("is_open", {meter.state().is_open});
    for (std::size_t number = 0; number < meter.state().views.size(); ++number) {
        const LossMeter::Pixels& pixels = meter.state().views[number];
        out.arrays.emplace(numbered("noise", number), floats(pixels.noise));
        out.add_flags(numbered("counted", number), pixels.is_counted);
        out.add(numbered("products", number), pixels.products);
        out.add(numbered("variances", number), pixels.variances);
    }
    return out;
}

void restore(LossMeter& meter, const SavedArrays& saved) {
    LossMeter::State found{.is_open = saved.flags("is_open", 1).front()};
    for (std::size_t number = 0; number < meter.state().views.size(); ++number) {
        const std::size_t count = meter.state().views[number].is_counted.size();
        found.views.push_back({.noise = saved.floats(numbered("noise", number)),
                               .is_counted = saved.flags(numbered("counted", number), count),
                               .products = saved.doubles(numbered("products", number)),
                               .variances = saved.doubles(numbered("variances", number))});
    }
    meter.restore(std::move(found));
}

SavedArrays save(const Information& information) {
    SavedArrays out;
    out.arrays.emplace("matrix", rows_of(information.matrix));
    out.arrays.emplace("covariance", rows_of(information.covariance));
    out.arrays.emplace("lost", rows_of(information.lost));
    out.add("drawn_share", information.drawn_fraction);
    out.add_flags("is_silent", information.is_silent);
    return out;
}

Information restored_information(const SavedArrays& saved, std::size_t count) {
    Information out{.matrix = restored_matrix(saved, "matrix", count),
                    .covariance = restored_matrix(saved, "covariance", count),
                    .lost = restored_matrix(saved, "lost", count),
                    .drawn_fraction = saved.doubles("drawn_share"),
                    .is_silent = saved.flags("is_silent", count)};
    const bool is_known = out.drawn_fraction.empty() || out.drawn_fraction.size() == count;
    if (out.matrix.columns != count || out.covariance.columns != count || !is_known) {
        throw core::ArgumentError(core::text("restore: what is saved of the covariance must be of ",
                                             count, " parameters; start anew"));
    }
    return out;
}

} // namespace weft::fit
