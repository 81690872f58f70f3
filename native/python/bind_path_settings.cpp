// SPDX-License-Identifier: Apache-2.0
#include "python/bind_render.hpp"
#include "python/render_from_python.hpp"
#include "render/path_buffers.hpp"

#include <pybind11/stl.h>

#include <utility>

namespace weft::python {

namespace py = pybind11;

namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

py::dict step_settings(const py::object& settings, const py::object& light_paths, Pair pixels,
                       Pair samples) {
    return argument_to_python(
        render::step_settings(settings_from_python(settings), light_paths_from_python(light_paths),
                              {.first = pixels.first, .count = pixels.second},
                              {.first = samples.first, .count = samples.second}));
}

py::tuple camera_film(const py::object& camera) {
    const scene::Film film = scene::film_of(camera_from_python(camera));
    return py::make_tuple(film.low, film.high);
}

void bind_sizes(py::module_& module) {
    module.def(
        "path_rows",
        [](const py::object& traits) { return render::path_rows(traits_from_python(traits)); },
        py::arg("traits"),
        "Returns how many rows of path_rows.slang the paths of a scene have: up to the first that "
        "only scenes with\nmore than it need.");
    module.def(
        "path_buffer_bytes",
        [](std::int64_t capacity, const py::object& traits) {
            return render::path_buffer_bytes(capacity, traits_from_python(traits));
        },
        py::arg("capacity"), py::arg("traits"),
        "Returns what memory for so many paths takes at most, that of walks included.");
    module.def(
        "default_batch",
        [](const Session& session, const py::object& traits) {
            const device::Device& device = *session.device;
            return render::default_batch(device.info(), device.memory_info(),
                                         traits_from_python(traits));
        },
        py::arg("device"), py::arg("traits"),
        "Returns how many paths pictures have under way at a time unless told: 2^24 where they "
        "take "
        "at most an eighth\nof the device's free memory, fewer elsewhere, 2^20 at least and in "
        "software.");
    module.def("whole_groups", &render::whole_groups, py::arg("count"),
               "Returns room for at least so many paths or records: whole groups of threads.");
    module.def("record_room", &render::record_room, py::arg("wanted"),
               "Returns the records that memory for at least so many gets.");
    module.def("rows_of_hits", &render::rows_of_hits, py::arg("words"),
               "Returns how many hits have room for so many words.");
    module.def(
        "is_uncounted",
        [](const py::object& traits) { return traits_from_python(traits).is_uncounted(); },
        py::arg("traits"),
        "Returns whether only the host can tell how many segments the longest path has.");
}

} // namespace

void bind_path_settings(py::module_& module) {
    module.def("step_settings", &step_settings, py::arg("settings"), py::arg("light_paths"),
               py::arg("pixels"), py::arg("samples"),
               "Returns StepSettings of path.slang for (first, count) of pixels and of samples.");
    module.def(
        "check_path_settings",
        [](const py::object& settings) { render::require_valid(settings_from_python(settings)); },
        py::arg("settings"), "Raises ArgumentError for a number out of its range.");
    module.def(
        "check_camera",
        [](const py::object& camera) { scene::require_valid(camera_from_python(camera)); },
        py::arg("camera"), "Raises ArgumentError for a number out of its range.");
    module.def("camera_film", &camera_film, py::arg("camera"),
               "Returns the lower left and upper right corners of a camera's film.");
    bind_sizes(module);
}

} // namespace weft::python
