// SPDX-License-Identifier: Apache-2.0
#include "python/fit_objects.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace weft::python {

namespace py = pybind11;

FitTurn::FitTurn(const FitViews& views) {
    for (const FilmTracerObject& film : views.films) {
        m_locked.emplace_back(*film.turn);
    }
}

std::shared_ptr<FitViews> completed(std::shared_ptr<FitViews> views, const char* what) {
    if (made(views)->views.empty()) {
        throw core::ArgumentError(core::text(what, ": there are no views; add one first"));
    }
    views->is_complete = true;
    return views;
}

py::list to_list(const std::vector<fit::Validation>& validations) {
    py::list out;
    for (const fit::Validation& own : validations) {
        const std::array<std::size_t, 2> pixels{own.height(), own.width()};
        const std::array<std::size_t, 3> numbers{own.height(), own.width(), fit::kChannels};
        const auto image = [&](const std::vector<float>& values) {
            return py::array_t<float>(numbers, values.data());
        };
        out.append(py::make_tuple(to_array(own.counts).reshape({pixels[0], pixels[1]}),
                                  image(own.a), image(own.b), image(own.weights),
                                  py::array_t<float>(pixels, own.trust.data())));
    }
    return out;
}

py::list draw_differences(FitViews& views, const fit::Look& look,
                          const std::vector<FitWords>& pixels, std::int64_t samples,
                          std::uint64_t draw) {
    std::vector<std::vector<std::uint32_t>> numbers;
    std::ranges::transform(pixels, std::back_inserter(numbers), &vector_of<std::uint32_t>);
    std::vector<std::vector<float>> found;
    {
        const FitTurn turn(views);
        bool fits = numbers.size() == views.views.size();
        for (std::size_t i = 0; fits && i < numbers.size(); ++i) {
            const std::size_t count = views.views[i].lost().size();
            fits = !numbers[i].empty() &&
                   std::ranges::all_of(numbers[i], [count](auto pixel) { return pixel < count; });
        }
        if (!fits) {
            throw core::ArgumentError("differences: there must be pixels of its picture for each "
                                      "view");
        }
        found = fit::draw_differences(look, views.views, numbers, samples, draw);
    }
    py::list out;
    for (const std::vector<float>& own : found) {
        out.append(
            to_array(own).reshape({py::ssize_t{-1}, static_cast<py::ssize_t>(fit::kChannels)}));
    }
    return out;
}

} // namespace weft::python
