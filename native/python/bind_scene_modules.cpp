// SPDX-License-Identifier: Apache-2.0
#include "python/bind_tensor.hpp"
#include "python/render_objects.hpp"

#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;

namespace {

constexpr std::int64_t kShared = -1;

std::int64_t program_count(const SceneModulesObject& self) {
    return std::ssize(self.native->programs());
}

py::list programs(SceneModulesObject& self) {
    py::list made;
    for (std::int64_t k = 0; k < program_count(self); k++) {
        made.append(self.wrap(k, self.native->program(static_cast<std::size_t>(k))));
    }
    return made;
}

} // namespace

py::object SceneModulesObject::wrap(std::int64_t number, const render::StageModuleRef& module) {
    const py::int_ key(number);
    if (!wrapped.contains(key)) {
        wrapped[key] = py::cast(ModuleObject{.session = session,
                                             .module = module->module(),
                                             .pool = pool,
                                             .attributes = {},
                                             .generation = module->module()->generation()});
    }
    return wrapped[key];
}

void bind_scene_modules(py::module_& module) {
    py::class_<SceneModulesObject>(
        module, "SceneModules",
        "The kernels of a scene that evaluate no material, and those of each program in a module "
        "of its own.\n"
        "Made by prepare_scene().")
        .def_property_readonly(
            "shared",
            [](SceneModulesObject& self) { return self.wrap(kShared, self.native->shared()); },
            "The module of all materials.")
        .def_property_readonly("programs", &programs, "The module of each program.")
        .def(
            "is_same",
            [](const SceneModulesObject& self, const SceneModulesObject& other) {
                return self.native->is_same(*other.native);
            },
            py::arg("other"), "Whether another one has the same modules.");
    py::class_<render::PathBuffers, std::shared_ptr<render::PathBuffers>>(
        module, "PathBuffers", "Memory for a batch of paths. Made by FilmTracer.buffers().")
        .def_property_readonly("capacity", &render::PathBuffers::capacity, "Paths.")
        .def_property_readonly(
            "state", [](const render::PathBuffers& self) { return tensor_to_python(self.state()); },
            "Rows of PathRow, shape (rows, capacity).")
        .def_property_readonly(
            "rays", [](const render::PathBuffers& self) { return tensor_to_python(self.rays()); },
            "Rows of RayRow.")
        .def_property_readonly(
            "hits", [](const render::PathBuffers& self) { return tensor_to_python(self.hits()); },
            "Rows of HitRow.")
        .def_property_readonly(
            "keys", [](const render::PathBuffers& self) { return tensor_to_python(self.keys()); },
            "By which paths are sorted.")
        .def_property_readonly(
            "queue", [](const render::PathBuffers& self) { return tensor_to_python(self.queue()); },
            "Paths in the order of their keys.")
        .def(
            "view",
            [](render::PathBuffers& self, std::int64_t first) {
                return argument_to_python(self.view(first));
            },
            py::arg("first") = 0,
            "PathView of path.slang, for launches of the sorted paths from number `first` on.");
}

} // namespace weft::python
