// SPDX-License-Identifier: Apache-2.0
#include "python/class_or_instance.hpp"

#include "python/call_errors.hpp"

namespace weft::python {

namespace py = pybind11;

namespace {

/// A Python descriptor.
struct ClassOrInstance {
    py::object on_class;
    py::object on_instance;

    py::object get(const py::object& instance) const {
        return instance.is_none() ? on_class
                                  : py::reinterpret_steal<py::object>(
                                        PyMethod_New(on_instance.ptr(), instance.ptr()));
    }
};

} // namespace

void define_class_or_instance(py::module_& module, const py::object& owner, const char* name,
                              const py::cpp_function& on_class,
                              const py::cpp_function& on_instance) {
    if (!py::hasattr(module, "_ClassOrInstance")) {
        py::class_<ClassOrInstance>(module, "_ClassOrInstance")
            .def(
                "__get__",
                [](const ClassOrInstance& self, const py::object& instance, const py::object&) {
                    return self.get(instance);
                },
                py::arg("instance"), py::arg("owner") = py::none());
    }
    explain_wrong_calls(on_class);
    explain_wrong_calls(on_instance);
    owner.attr(name) = py::cast(ClassOrInstance{on_class, on_instance});
}

} // namespace weft::python
