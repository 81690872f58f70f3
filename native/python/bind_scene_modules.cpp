// SPDX-License-Identifier: Apache-2.0
#include "python/bind_tensor.hpp"
#include "python/interpreter_lock.hpp"
#include "python/render_objects.hpp"

#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;

namespace {

constexpr std::int64_t kShared = -1;

std::int64_t program_count(const SceneModulesObject& self) {
    return std::ssize(self.native->programs());
}

py::object recording(SceneModulesObject& self, std::size_t program) {
    render::StageModuleRef found;
    {
        const Unlocked unlocked;
        found = self.native->recording(program);
    }
    return self.wrap(program_count(self) + static_cast<std::int64_t>(program), found);
}

py::list programs(SceneModulesObject& self) {
    py::list made;
    for (std::int64_t k = 0; k < program_count(self); k++) {
        made.append(self.wrap(k, self.native->program(static_cast<std::size_t>(k))));
    }
    return made;
}

py::object sorting(const py::object& self_object) {
    auto& self = self_object.cast<SceneModulesObject&>();
    std::shared_ptr<render::SceneModules> found;
    {
        const Unlocked unlocked;
        found = self.native->sorting(self.native);
    }
    if (found == self.native) {
        return self_object;
    }
    if (!self.sorting) {
        self.sorting = py::cast(SceneModulesObject{self.session, self.pool, found});
    }
    return self.sorting;
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
        "Made by FilmTracer.load_modules().")
        .def_property_readonly(
            "shared",
            [](SceneModulesObject& self) { return self.wrap(kShared, self.native->shared()); },
            "The module of all materials.")
        .def_property_readonly("programs", &programs, "The module of each program.")
        .def("recording", &recording, py::arg("program"),
             "The module of a program with the kernels that record and replay paths.\n\n"
             "Raises:\n    CompileError: It does not compile.\n")
        .def("sorting", &sorting,
             "The modules whose launches serve the paths of one program only: themselves, or "
             "others, loaded once.\n\n"
             "Raises:\n    CompileError: One does not compile.\n")
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
