// SPDX-License-Identifier: Apache-2.0
// The views of a fit: pictures, which of their pixels are drawn, and how much these count.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/loss_meter.hpp"
#include "fit/noise_meter.hpp"
#include "python/bind_fit.hpp"
#include "python/fit_objects.hpp"

#include <algorithm>
#include <functional>
#include <pybind11/stl.h>
#include <string>

namespace weft::python {

namespace py = pybind11;

namespace {

/// Recorders of the parts of a view's light, and the light whose factor each has; None: none.
using Parts = std::vector<std::pair<RecorderObject*, std::optional<std::size_t>>>;

/// @param settings with the filter of the picture.
std::shared_ptr<fit::Observation> seen(const fit::Observation& picture, py::handle camera,
                                       py::handle settings) {
    auto out = std::make_shared<fit::Observation>(picture);
    const render::PathSettings filtered = settings_from_python(settings);
    out->camera = camera_from_python(camera);
    if (out->camera.width != picture.camera.width || out->camera.height != picture.camera.height) {
        throw core::ArgumentError(core::text("Views.add: the picture has ", picture.camera.width,
                                             " x ", picture.camera.height, " pixels, its camera ",
                                             out->camera.width, " x ", out->camera.height));
    }
    out->filter = filtered.filter;
    out->filter_width = filtered.filter_width;
    return out;
}

std::shared_ptr<FitViews> create_views() {
    return std::make_shared<FitViews>();
}

void add_film(FitViews& own, const FilmTracerObject& film) {
    const auto has_turn = [&](const FilmTracerObject& other) { return other.turn == film.turn; };
    if (std::ranges::any_of(own.films, has_turn)) {
        return;
    }
    own.films.push_back(film);
    // Two fits that share films take their turns in one order.
    std::ranges::sort(own.films, {}, [](const FilmTracerObject& each) { return each.turn.get(); });
}

// NOLINTNEXTLINE(readability-function-size): one parameter for each of Views.add().
void add_view(FitViews& own, const fit::Observation& picture, const py::object& camera,
              const py::object& settings, const FitFloats& weights, const Parts& parts,
              const FitWords& media) {
    if (parts.empty() ||
        std::ranges::any_of(parts, [](const auto& part) { return part.first == nullptr; })) {
        throw core::ArgumentError("Views.add: a view needs a recorder of each part of its light");
    }
    if (own.is_complete) {
        throw core::ArgumentError("Views.add: a model or a meter refers to the views; add all "
                                  "views before");
    }
    std::vector<fit::ViewPart> recorded;
    for (const auto& [recorder, light] : parts) {
        recorded.push_back({.recorder = recorder->native, .light = light});
        add_film(own, recorder->film);
    }
    own.pictures.push_back(seen(picture, camera, settings));
    own.views.emplace_back(*own.pictures.back(), std::move(recorded), vector_of(media),
                           vector_of(weights));
}

/// One of the views. Objects of Python hold all of them.
struct ViewObject {
    std::shared_ptr<FitViews> all;
    std::size_t number = 0;

    [[nodiscard]] fit::View& get() const { return all->views[number]; }
};

ViewObject view_at(const std::shared_ptr<FitViews>& own, std::size_t number) {
    if (number >= made(own)->views.size()) {
        throw core::ArgumentError(
            core::text("Views: number must be below ", own->views.size(), ", got ", number),
            core::ArgumentError::Kind::index);
    }
    return {own, number};
}

/// What a view has, read while no step is under way.
template <typename Read>
auto read(const ViewObject& own, const Read& read_view) {
    const FitTurn turn(*own.all);
    return read_view(own.get());
}

py::array_t<float> weights_of(const ViewObject& own) {
    const std::vector<float> weights = read(own, [](const fit::View& view) {
        return std::vector<float>(view.weights().begin(), view.weights().end());
    });
    const std::vector<std::size_t> shape{weights.size() / fit::kChannels, fit::kChannels};
    return py::array_t<float>(shape, weights.data());
}

void set_pixels(const ViewObject& own, const FitWords& pixels) {
    std::vector<std::uint32_t> numbers = vector_of(pixels);
    const FitTurn turn(*own.all);
    const std::size_t count = own.get().lost().size();
    const bool is_ascending =
        std::ranges::adjacent_find(numbers, std::greater_equal<>()) == numbers.end();
    if (!is_ascending || (!numbers.empty() && numbers.back() >= count)) {
        throw core::ArgumentError(core::text("View.pixels: numbers of pixels must be below ", count,
                                             ", ascending and each once"));
    }
    own.get().set_pixels(std::move(numbers));
}

fit::ViewState saved_view(const py::dict& saved, std::size_t number) {
    const auto array = [&](const char* name) {
        const std::string key = core::text(name, ".", number);
        if (!saved.contains(key)) {
            throw core::ArgumentError(
                core::text("Views.restore: there is no array '", key, "'; start anew"));
        }
        return py::object(saved[py::str(key)]);
    };
    return {.pixels = vector_of(py::cast<FitWords>(array("pixels"))),
            .trust = vector_of(py::cast<FitFloats>(array("trust"))),
            .noise = vector_of(py::cast<FitFloats>(array("noise"))),
            .lost = vector_of(py::cast<FitFlags>(array("lost")))};
}

void restore(FitViews& own, const py::dict& saved) {
    std::vector<fit::ViewState> states;
    states.reserve(own.views.size());
    for (std::size_t number = 0; number < own.views.size(); ++number) {
        states.push_back(saved_view(saved, number));
    }
    const FitTurn turn(own);
    for (std::size_t number = 0; number < states.size(); ++number) {
        own.views[number].require(states[number]);
    }
    for (std::size_t number = 0; number < states.size(); ++number) {
        own.views[number].restore(states[number]);
    }
}

py::dict save(const FitViews& own) {
    std::vector<fit::ViewState> states;
    {
        const FitTurn turn(own);
        std::ranges::transform(own.views, std::back_inserter(states), &fit::View::state);
    }
    py::dict out;
    for (std::size_t number = 0; number < states.size(); ++number) {
        const auto set = [&](const char* name, const py::object& array) {
            out[py::str(core::text(name, ".", number))] = array;
        };
        set("pixels", to_array(states[number].pixels));
        set("trust", to_array(states[number].trust));
        set("noise", to_array(states[number].noise));
        set("lost", to_array(states[number].lost));
    }
    return out;
}

void bind_view(py::module_& module) {
    py::class_<ViewObject>(module, "View", "One of Views: a picture of a fit.")
        .def_property(
            "pixels",
            [](const ViewObject& own) {
                return to_array(read(own, [](const fit::View& view) { return view.pixels(); }));
            },
            &set_pixels, "Numbers of the pixels that are drawn, y * width + x.")
        .def_property_readonly("weights", &weights_of,
                               "Of residuals, shape (pixels of the picture, 3); 0: it does not "
                               "count.")
        .def_property_readonly(
            "trust",
            [](const ViewObject& own) {
                return to_array(read(own, [](const fit::View& view) { return view.trust(); }));
            },
            "What a robust loss leaves of each pixel of the picture, in (0, 1].")
        .def_property_readonly(
            "lost_count",
            [](const ViewObject& own) {
                return read(own, [](const fit::View& view) { return view.lost_count(); });
            },
            "Pixels that were no finite numbers at any time.");
}

} // namespace

void bind_fit_views(py::module_& module) {
    bind_view(module);
    py::classh<FitViews>(module, "Views",
                         "The pictures of a fit, with what records their paths; none at first.")
        .def(py::init(&create_views))
        .def(
            "add", &add_view, py::arg("picture").none(false), py::arg("camera"),
            py::arg("settings"), py::arg("weights"), py::arg("parts"), py::arg("start_media"),
            "Adds a picture.\n\n"
            "Args:\n    picture: What is seen.\n    camera: That sees it.\n"
            "    settings: PathSettings with the filter of the picture.\n"
            "    weights: Of its pixels with full trust, shape (pixels, 3).\n"
            "    parts: Of its light: a recorder of each, and the number of the light whose factor "
            "it has, or None.\n    start_media: What the camera is in; empty: nothing.\n")
        .def("__len__", [](const FitViews& own) { return own.views.size(); })
        .def("__getitem__", &view_at, py::arg("number"))
        .def("save", &save, "Returns which pixels are drawn and what they count, by name.")
        .def("restore", &restore, py::arg("saved"),
             "Goes back to where save() was called; arrays that do not fit raise ArgumentError.");
}

} // namespace weft::python
