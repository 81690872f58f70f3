// SPDX-License-Identifier: Apache-2.0
#include "python/bind_render.hpp"

#include "core/text.hpp"
#include "python/bind_tensor.hpp"
#include "python/host_tensor.hpp"
#include "python/module_loader.hpp"
#include "python/render_objects.hpp"
#include "render/aovs.hpp"
#include "render/memory.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>

namespace weft::python {

namespace py = pybind11;

FilmTracerObject::FilmTracerObject(const std::shared_ptr<Session>& of)
    : session(of), pool(create_call_pool(of)), turn(std::make_shared<std::recursive_mutex>()),
      native(std::make_shared<render::FilmTracer>(session_context(*of),
                                                  describe_source(*of, "", "", py::dict()))) {}

FilmTracerObject FilmTracerObject::with(std::shared_ptr<render::FilmTracer> other) const {
    FilmTracerObject made(*this);
    made.native = std::move(other);
    return made;
}

Turn::Turn(const FilmTracerObject& self) : m_locked(*self.turn) {}

namespace {

using render::GroupOffsets;
using render::KernelArgument;
using render::PathBuffers;
using Words = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;
using Buffers = std::shared_ptr<PathBuffers>;

KernelArgument read(FilmTracerObject& self, const py::object& object, const char* name) {
    return argument_from_python(*self.pool, object, core::text("FilmTracer: ", name));
}

std::optional<KernelArgument> read_optional(FilmTracerObject& self, const py::object& object,
                                            const char* name) {
    return object.is_none() ? std::nullopt : std::optional(read(self, object, name));
}

const KernelArgument* pointer(const std::optional<KernelArgument>& argument) {
    return argument ? &*argument : nullptr;
}

py::array_t<float> to_image(const std::vector<float>& values, const scene::Camera& camera) {
    const std::int64_t pixels = camera.width * camera.height;
    return py::array_t<float>(
        {py::ssize_t{camera.height}, py::ssize_t{camera.width}, std::ssize(values) / pixels},
        values.data());
}

/// A view of the scene, limits of its paths and what the camera is in, as long as a call needs them.
struct Scene {
    KernelArgument view;
    scene::LightPaths limits;
    Words media;

    Scene(FilmTracerObject& self, const py::object& view_object, const py::object& light_paths,
          Words start_media)
        : view(read(self, view_object, "view")), limits(light_paths_from_python(light_paths)),
          media(std::move(start_media)) {}
    [[nodiscard]] render::SceneInput input() const {
        return {.view = view,
                .limits = limits,
                .start_media = {media.data(), static_cast<std::size_t>(media.size())}};
    }
};

/// @param progress must live as long as what is returned.
render::PictureDesc picture_desc(const py::object& progress, const py::object& interrupt) {
    render::PictureDesc desc{.check = poll_with(interrupt)};
    if (!progress.is_none()) {
        desc.progress = [&progress](double done) {
            const py::gil_scoped_acquire locked;
            progress(done);
        };
    }
    return desc;
}

py::array_t<float> picture(FilmTracerObject& self, const py::object& view,
                           const py::object& light_paths, const Words& start_media,
                           const py::object& camera_object, const py::object& settings_object,
                           std::optional<std::int64_t> background, const py::object& progress,
                           const py::object& interrupt) {
    const Scene scene(self, view, light_paths, start_media);
    const scene::Camera camera = camera_from_python(camera_object);
    const render::PathSettings settings = settings_from_python(settings_object);
    render::PictureDesc desc = picture_desc(progress, interrupt);
    desc.background = background;
    std::vector<float> image;
    {
        const Turn turn(self);
        image = self.native->picture(scene.input(), camera, settings, desc);
    }
    return to_image(image, camera);
}

py::array_t<float> coverage(FilmTracerObject& self, const py::object& view,
                            const py::object& light_paths, const Words& start_media,
                            const py::object& camera_object, const py::object& settings_object,
                            const py::object& progress, const py::object& interrupt) {
    const Scene scene(self, view, light_paths, start_media);
    const scene::Camera camera = camera_from_python(camera_object);
    const render::PathSettings settings = settings_from_python(settings_object);
    const render::PictureDesc desc = picture_desc(progress, interrupt);
    std::vector<float> covered;
    {
        const Turn turn(self);
        covered = self.native->coverage(scene.input(), camera, settings, desc);
    }
    return to_image(covered, camera);
}

template <std::vector<float> (render::FilmTracer::*make)(
    const render::SceneInput&, const scene::Camera&, const render::PathSettings&)>
py::array_t<float> layers(FilmTracerObject& self, const py::object& view,
                          const py::object& light_paths, const Words& start_media,
                          const py::object& camera_object, const py::object& settings_object) {
    const Scene scene(self, view, light_paths, start_media);
    const scene::Camera camera = camera_from_python(camera_object);
    const render::PathSettings settings = settings_from_python(settings_object);
    std::vector<float> means;
    {
        const Turn turn(self);
        means = ((*self.native).*make)(scene.input(), camera, settings);
    }
    return to_image(means, camera);
}

py::tuple centre_hits(FilmTracerObject& self, const py::object& view, const py::object& light_paths,
                      const Words& start_media, const py::object& camera_object) {
    const Scene scene(self, view, light_paths, start_media);
    const scene::Camera camera = camera_from_python(camera_object);
    render::CentreHits found;
    {
        const Turn turn(self);
        found = self.native->centre_hits(scene.input(), camera);
    }
    return py::make_tuple(Words(std::ssize(found.instances), found.instances.data()),
                          Words(std::ssize(found.triangles), found.triangles.data()));
}

void generate(FilmTracerObject& self, const py::object& light_paths, const Words& start_media,
              const py::object& camera_object, const py::object& settings_object,
              const Buffers& buffers, const py::object& step_object, std::int64_t count,
              const tensor::TensorRef& pixels) {
    const Scene scene(self, py::dict(), light_paths, start_media);
    const scene::Camera camera = camera_from_python(camera_object);
    const render::PathSettings settings = settings_from_python(settings_object);
    const KernelArgument step = read(self, step_object, "step");
    const Turn turn(self);
    self.native->generate(scene.input(), camera, settings, *buffers, step, count, pixels);
}

using TracerClass = py::class_<FilmTracerObject>;

void bind_memory(TracerClass& binding) {
    binding.def(py::init<const std::shared_ptr<Session>&>(), py::arg("device").none(false))
        .def(
            "copy",
            [](const FilmTracerObject& self) {
                return self.with(std::make_shared<render::FilmTracer>(*self.native));
            },
            "Another one with the same scene; it shares the memory that there is, and goes its own "
            "way from then on.")
        .def_property(
            "batch", [](const FilmTracerObject& self) { return self.native->batch; },
            [](FilmTracerObject& self, std::int64_t batch) {
                self.native->batch = std::max(batch, std::int64_t{1});
            },
            "Most paths that are under way at a time; may change while a picture is made.")
        .def_property_readonly(
            "capacity", [](const FilmTracerObject& self) { return self.native->capacity(); },
            "Paths for which there is memory now.")
        .def_property_readonly(
            "compiling", [](const FilmTracerObject& self) { return self.native->compiling(); },
            "How many kernels are compiled.")
        .def_property_readonly(
            "load_count",
            [](const FilmTracerObject& self) { return self.native->modules()->load_count(); },
            "Modules of scenes that were loaded so far.")
        .def(
            "set_scene",
            [](FilmTracerObject& self, const std::shared_ptr<render::Tracer>& tracer,
               const SceneModulesObject& modules) {
                const auto native = modules.native;
                const Turn turn(self);
                self.native->set_scene({.tracer = tracer, .modules = native});
            },
            py::arg("tracer").none(false), py::arg("modules"), "Later calls are about this scene.")
        .def(
            "buffers",
            [](FilmTracerObject& self, std::int64_t paths) {
                const Turn turn(self);
                return self.native->buffers(paths);
            },
            py::arg("paths"),
            "Memory for at least so many paths.\n\nRaises:\n    DeviceError: Memory is short.\n")
        .def(
            "picture_bytes",
            [](const FilmTracerObject& self, const py::object& camera, const py::object& settings,
               bool has_layers) {
                return render::picture_bytes(*self.native, camera_from_python(camera),
                                             settings_from_python(settings), has_layers);
            },
            py::arg("camera"), py::arg("settings"), py::arg("has_layers"),
            "How many bytes a picture takes beside the scene, at most.\n\n"
            "Args:\n    camera: The view.\n    settings: How paths are traced.\n"
            "    has_layers: It brings AOVs other than alpha.\n")
        .def(
            "forget_paths",
            [](FilmTracerObject& self) {
                const Turn turn(self);
                self.native->forget_paths();
            },
            "Gives back the memory of paths; the next picture takes it again.");
}

void bind_films(TracerClass& binding) {
    binding
        .def("picture", &picture, py::arg("view"), py::arg("light_paths"), py::arg("start_media"),
             py::arg("camera"), py::arg("settings"), py::arg("background") = py::none(),
             py::arg("progress") = py::none(), py::arg("interrupt") = py::none(),
             "A picture, shape (height, width, 3).\n\n"
             "Args:\n"
             "    view: Of the scene.\n"
             "    light_paths: Limits of its paths, or None.\n"
             "    start_media: What the camera is in; empty: nothing.\n"
             "    camera: The view.\n"
             "    settings: How paths are traced.\n"
             "    background: Replaces settings.shows_environment, see path.slang.\n"
             "    progress: Called with the fraction that is done, after each batch.\n"
             "    interrupt: As compile_together() takes it.\n")
        .def("coverage", &coverage, py::arg("view"), py::arg("light_paths"), py::arg("start_media"),
             py::arg("camera"), py::arg("settings"), py::arg("progress") = py::none(),
             py::arg("interrupt") = py::none(),
             "What part of each pixel is covered, shape (height, width, 1). Arguments as of "
             "picture().")
        .def("centre_layers", &layers<&render::FilmTracer::centre_layers>, py::arg("view"),
             py::arg("light_paths"), py::arg("start_media"), py::arg("camera"), py::arg("settings"),
             "layers() of the points at the centres of pixels; the lens is taken to be a point.")
        .def("layers", &layers<&render::FilmTracer::layers>, py::arg("view"),
             py::arg("light_paths"), py::arg("start_media"), py::arg("camera"), py::arg("settings"),
             "All rows of LayerRow, averaged over the samples, shape (height, width, rows).")
        .def("centre_hits", &centre_hits, py::arg("view"), py::arg("light_paths"),
             py::arg("start_media"), py::arg("camera"),
             "Instance and triangle that the centre of each pixel shows; instance 0xffffffff: "
             "nothing.")
        .def("generate", &generate, py::arg("light_paths"), py::arg("start_media"),
             py::arg("camera"), py::arg("settings"), py::arg("buffers").none(false),
             py::arg("step"), py::arg("count"), py::arg("pixels") = py::none(),
             "Starts `count` paths of a camera.\n\n"
             "Args:\n"
             "    light_paths: Limits of the scene's paths, or None.\n"
             "    start_media: What the camera is in; empty: nothing.\n"
             "    camera: The view.\n"
             "    settings: How paths are traced.\n"
             "    buffers: Where.\n"
             "    step: Settings of the first step.\n"
             "    count: Number of paths.\n"
             "    pixels: Numbers of pixels, y * width + x; None: all, in order.\n");
}

void bind_segments(TracerClass& binding) {
    binding
        .def(
            "segments",
            [](const FilmTracerObject& self, const py::object& settings) {
                return self.native->segments(settings_from_python(settings));
            },
            py::arg("settings"), "How many segments the longest path has, at most.")
        .def(
            "trace_and_sort",
            [](FilmTracerObject& self, const py::object& view, const Buffers& buffers,
               std::int64_t count, std::int64_t bounce, const py::object& step) {
                const KernelArgument scene = read(self, view, "view");
                const auto settings = read_optional(self, step, "step");
                const Turn turn(self);
                return self.native->trace_and_sort(scene, *buffers, count, bounce,
                                                   pointer(settings));
            },
            py::arg("view"), py::arg("buffers").none(false), py::arg("count"), py::arg("bounce"),
            py::arg("step") = py::none(),
            "Traces one segment of `count` paths and sorts them by what they hit; with `step` they "
            "go through the\nmedia before that.")
        .def(
            "shade_segment",
            [](FilmTracerObject& self, const py::object& view, const Buffers& buffers,
               std::int64_t count, const py::object& step, const GroupOffsets& ends) {
                const KernelArgument scene = read(self, view, "view");
                const KernelArgument settings = read(self, step, "step");
                const Turn turn(self);
                self.native->shade_segment(scene, *buffers, count, settings, &ends);
            },
            py::arg("view"), py::arg("buffers").none(false), py::arg("count"), py::arg("step"),
            py::arg("ends"), "Takes the sorted paths over the surfaces that they have hit.");
}

} // namespace

void bind_render(py::module_& module) {
    bind_compiling(module);
    bind_scene_modules(module);
    TracerClass binding(module, "FilmTracer",
                        "Traces the paths of one scene in batches, and sums them up in films.\n\n"
                        "Views are dicts of numbers and tensors, read at each call.\n");
    bind_memory(binding);
    bind_films(binding);
    bind_segments(binding);
    module.def(
        "aov_table",
        [] {
            py::dict table;
            for (const render::AovSpec& spec : render::kAovs) {
                table[py::str(std::string(spec.name))] =
                    py::make_tuple(spec.first, spec.channels, spec.is_mean);
            }
            return table;
        },
        "Returns first row, channels and whether it is a mean over the pixel, of each AOV.");
    bind_scene_tables(module);
    bind_recorder(module);
}

} // namespace weft::python
