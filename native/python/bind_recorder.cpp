// SPDX-License-Identifier: Apache-2.0
// Recorded paths of fits, for weft.render.record and weft.render.directions.
#include "core/error.hpp"
#include "python/bind_tensor.hpp"
#include "python/fit_arrays.hpp"
#include "python/render_objects.hpp"
#include "render/recorder.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>
#include <utility>

namespace weft::python {

namespace py = pybind11;
using render::Directions;
using render::RecordedLaunch;
using render::Recorder;
using tensor::TensorRef;

namespace {

using TablesRef = std::shared_ptr<render::SceneTables>;
using DirectionsRef = std::shared_ptr<Directions>;

DirectionsRef create_directions(const std::shared_ptr<Session>& session, const FitWords& records,
                                const FitFloats& rows) {
    if (records.ndim() != 2 || records.shape(1) != 2 || rows.ndim() != 2) {
        throw core::ArgumentError("Directions: records of shape (materials, 2) and rows of shape "
                                  "(directions, parameters) are needed");
    }
    std::vector<scene::MaterialRecord> read;
    read.reserve(static_cast<std::size_t>(records.shape(0)));
    for (py::ssize_t k = 0; k < records.shape(0); k++) {
        read.push_back({records.at(k, 0), records.at(k, 1)});
    }
    const std::span<const float> numbers(rows.data(), static_cast<std::size_t>(rows.size()));
    const auto parameters = static_cast<std::size_t>(rows.shape(1));
    const Unlocked unlocked;
    return std::make_shared<Directions>(session->device, read, numbers, parameters);
}

std::unique_ptr<RecorderObject> create(const FilmTracerObject& film, const TablesRef& tables,
                                       const std::vector<std::uint32_t>& materials,
                                       const DirectionsRef& directions, const TablesRef& lit,
                                       bool with_texels) {
    std::shared_ptr<Recorder> made;
    {
        const Turn turn(film);
        made = std::make_shared<Recorder>(film.native,
                                          render::RecorderDesc{.tables = tables,
                                                               .lit = lit,
                                                               .materials = materials,
                                                               .directions = directions,
                                                               .with_texels = with_texels});
    }
    const auto own = made->film();
    return std::make_unique<RecorderObject>(film.with(own), std::move(made));
}

void draw(RecorderObject& self, const py::object& camera_object, const py::object& settings_object,
          const FitWords& pixels, const FitWords& start_media, const py::object& interrupt) {
    const scene::Camera camera = camera_from_python(camera_object);
    const render::PathSettings settings = settings_from_python(settings_object);
    const core::InterruptPoll check = poll_with(interrupt);
    const Turn turn(self.film);
    self.native->record({.camera = camera,
                         .settings = settings,
                         .pixels = span_of(pixels),
                         .start_media = span_of(start_media),
                         .check = check});
}

void replay(RecorderObject& self, const TensorRef& values, const TensorRef& texels,
            bool with_tangents) {
    const Turn turn(self.film);
    self.native->replay({.values = values, .texels = texels, .with_tangents = with_tangents});
}

void gradients(RecorderObject& self, const TensorRef& values, const TensorRef& pixel_gradients,
               const TensorRef& gradients, const TensorRef& texels,
               const TensorRef& texel_gradients) {
    const Turn turn(self.film);
    self.native->add_gradients({.values = values,
                                .pixel_gradients = pixel_gradients,
                                .gradients = gradients,
                                .texels = texels,
                                .texel_gradients = texel_gradients});
}

void resolve(RecorderObject& self, std::int64_t first, std::int64_t count, const TensorRef& film,
             std::int64_t directions) {
    const Turn turn(self.film);
    self.native->resolve(first, count, film, directions);
}

py::array_t<float> direct_fraction(RecorderObject& self) {
    std::vector<float> fractions;
    {
        const Turn turn(self.film);
        fractions = self.native->direct_fraction();
    }
    return py::array_t<float>(std::ssize(fractions), fractions.data());
}

py::dict records_view(RecorderObject& self) {
    render::PathRecords& records = self.native->records();
    return records.has_memory() ? argument_to_python(records.view()) : py::dict();
}

void bind_directions(py::module_& module) {
    py::classh<Directions>(module, "Directions",
                           "Directions in the space of parameters, by the materials they move.")
        .def(py::init(&create_directions), py::arg("device").none(false), py::arg("records"),
             py::arg("rows"),
             "Args:\n    device: Where the tables go.\n"
             "    records: Of the materials, shape (n, 2).\n"
             "    rows: One direction a row, shape (directions, parameters).\n")
        .def_property_readonly("count", &Directions::count, "Directions.")
        .def_property_readonly("lengths", &Directions::lengths, "Directions of each material.")
        .def_property_readonly("most", &Directions::most, "Those of the material with most.")
        .def_property_readonly(
            "moved",
            [](const Directions& self) {
                const auto& moved = self.moved();
                return py::array_t<bool>(
                    py::array_t<std::uint8_t>(std::ssize(moved), moved.data()));
            },
            "Which parameters any of them moves.")
        .def_property_readonly(
            "seeds", [](const Directions& self) { return tensor_to_python(self.seeds()); },
            "What each entry moves of its material's parameters.")
        .def_property_readonly(
            "view", [](const Directions& self) { return argument_to_python(self.view()); },
            "DirectionView of record.slang.");
}

using RecorderClass = py::class_<RecorderObject>;

void bind_draws(RecorderClass& binding) {
    binding
        .def(py::init(&create), py::arg("film"), py::arg("tables").none(false),
             py::arg("materials"), py::arg("directions") = py::none(), py::arg("lit") = py::none(),
             py::arg("with_texels") = false,
             "Args:\n    film: Of the scene.\n    tables: Of the scene.\n"
             "    materials: Numbers of the materials whose parameters change.\n"
             "    directions: Of forward mode, or None.\n"
             "    lit: The scene under the lights of the paths; None: its own.\n"
             "    with_texels: gradients() will be called, whether or not there are directions.\n\n"
             "Raises:\n    ArgumentError: A material cannot be fitted.\n"
             "    CompileError: One does not compile.\n")
        .def("draw", &draw, py::arg("camera"), py::arg("settings"), py::arg("pixels"),
             py::arg("start_media"), py::arg("interrupt") = py::none(),
             "Draws settings.samples paths a pixel, and forgets the ones before.\n\n"
             "Args:\n    camera: The view.\n    settings: How paths are traced.\n"
             "    pixels: Numbers of pixels, y * width + x.\n"
             "    start_media: What the camera is in; empty: nothing.\n"
             "    interrupt: Its check() ends the draw by raising; called for each segment.\n\n"
             "Raises:\n    ArgumentError: There is no such pixel.\n")
        .def(
            "forget",
            [](RecorderObject& self) {
                const Turn turn(self.film);
                self.native->forget();
            },
            "Gives back the memory of the last draw; the next one takes it again.")
        .def(
            "forget_paths",
            [](RecorderObject& self) {
                const Turn turn(self.film);
                self.native->forget_paths();
            },
            "Lets go of the paths of the last draw; records stay until the next one.")
        .def(
            "record_bytes",
            [](const RecorderObject& self, std::int64_t surfaces) {
                return self.native->record_bytes(surfaces);
            },
            py::arg("surfaces"), "Bytes of the records of so many surfaces, at most.");
}

void bind_replays(RecorderClass& binding) {
    binding
        .def("replay", &replay, py::arg("values").none(false), py::arg("texels") = py::none(),
             py::arg("with_tangents") = false,
             "Evaluates all records for parameters.\n\n"
             "Args:\n    values: All parameters of the scene.\n"
             "    texels: Of all textures; None: those of the scene.\n"
             "    with_tangents: Derivatives along the directions, too.\n\n"
             "Raises:\n    ArgumentError: Nothing was drawn, or values are too few.\n")
        .def("gradients", &gradients, py::arg("values").none(false),
             py::arg("pixel_gradients").none(false), py::arg("gradients").none(false),
             py::arg("texels") = py::none(), py::arg("texel_gradients") = py::none(),
             "Adds to the gradients of parameters and texels, after replay() for the same "
             "values.\n\n"
             "Args:\n    values: All parameters of the scene.\n"
             "    pixel_gradients: Of a loss by the mean of each pixel's samples, flat: three a "
             "pixel for each period.\n"
             "    gradients: Of the parameters; added to.\n"
             "    texels: Of all textures; None: those of the scene.\n"
             "    texel_gradients: Added to; None: textures do not change.\n\n"
             "Raises:\n    ArgumentError: Nothing was drawn, media are fitted, or a tensor is too "
             "small.\n")
        .def("resolve", &resolve, py::arg("first"), py::arg("count"), py::arg("film").none(false),
             py::arg("directions") = 0,
             "Stores the mean of samples of each pixel, then its derivatives; does not wait.\n\n"
             "Args:\n    first: Number of the first sample.\n    count: Of samples.\n"
             "    film: Contiguous; takes 3 * pixels * (1 + directions) floats.\n"
             "    directions: 0, or all of them.\n\n"
             "Raises:\n    ArgumentError: There are no such samples, or the film is too small.\n")
        .def("direct_fraction", &direct_fraction,
             "The fraction of each pixel's samples whose first surface was recorded, shape "
             "(pixels,).");
}

void bind_parts(RecorderClass& binding) {
    binding
        .def_property_readonly(
            "film", [](const RecorderObject& self) { return self.film; }, "What traces the paths.")
        .def_property_readonly(
            "has_media", [](const RecorderObject& self) { return self.native->has_media(); },
            "Whether numbers of media change.")
        .def_property_readonly(
            "scene",
            [](const RecorderObject& self) { return argument_to_python(self.native->scene()); },
            "SceneView of the paths, with the scene's own parameters.")
        .def_property_readonly("view", &records_view,
                               "RecordView of record.slang; empty where there are no records.")
        .def_property_readonly(
            "launches",
            [](const RecorderObject& self) { return self.native->records().launches(); },
            "What has left records, in order.")
        .def_property_readonly(
            "row_count", [](const RecorderObject& self) { return self.native->records().rows(); },
            "Floats of a record.")
        .def_property_readonly(
            "pixels", [](const RecorderObject& self) { return self.native->pixels(); },
            "Of the last draw.")
        .def_property_readonly(
            "paths", [](const RecorderObject& self) { return self.native->paths(); },
            "Of the last draw.");
}

} // namespace

void bind_recorder(py::module_& module) {
    bind_directions(module);
    py::class_<RecordedLaunch>(module, "RecordedLaunch",
                               "Records of one program at one bounce: neighbours.")
        .def_readonly("program", &RecordedLaunch::program, "Its number; -1: segments in media.")
        .def_readonly("bounce", &RecordedLaunch::bounce)
        .def_readonly("first", &RecordedLaunch::first, "Record.")
        .def_readonly("count", &RecordedLaunch::count, "Of records.");
    RecorderClass binding(module, "Recorder",
                          "Records the paths of a camera, and replays them for other parameters.");
    bind_draws(binding);
    bind_replays(binding);
    bind_parts(binding);
}

} // namespace weft::python
