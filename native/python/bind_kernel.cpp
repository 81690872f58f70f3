// SPDX-License-Identifier: Apache-2.0
#include "python/bind_kernel.hpp"

#include "core/error.hpp"
#include "python/bind_error.hpp"
#include "python/interpreter_lock.hpp"
#include "python/kernel_call.hpp"

#include <array>
#include <string_view>

namespace weft::python {

namespace py = pybind11;

namespace {

ArgumentReader reader_of(const py::object& name, const py::object& given) {
    ArgumentReader reader;
    reader.kind = static_cast<ArgumentReader::Kind>(given.attr("kind").cast<int>());
    reader.name = name;
    reader.nothing = given.attr("nothing");
    const py::tuple names = given.attr("names");
    const py::tuple parts = given.attr("parts");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        reader.parts.push_back(reader_of(names[i], parts[i]));
    }
    return reader;
}

/// readers: pairs of a parameter's name and its slangtorch.quick.Reader.
void set_short_way(KernelObject& self, const py::object& module, const py::tuple& readers,
                   const py::dict& launches, const py::object& pair_class, bool is_derivative) {
    const auto& object = module.cast<const ModuleObject&>();
    auto way = std::make_shared<ShortWay>();
    way->names = py::tuple(readers.size() + 1);
    way->names[0] = py::str("slangtorch_size");
    for (std::size_t i = 0; i < readers.size(); ++i) {
        const py::tuple named = readers[i];
        way->readers.push_back(reader_of(named[0], named[1]));
        way->names[i + 1] = named[0];
    }
    way->module = module;
    way->generation = object.module->generation();
    way->launches = launches;
    way->pair_class = pair_class;
    way->is_cuda = object.session->device->info().type == device::DeviceType::cuda;
    way->is_derivative = is_derivative;
    self.way = std::move(way);
}

/// Null: the arguments go the long way.
py::object try_short_way(PyObject* self, PyObject* arguments, PyObject* keywords) {
    const auto& kernel = native_value<KernelObject>(self);
    if (!kernel.way || keywords == nullptr || PyTuple_GET_SIZE(arguments) != 0) {
        return {};
    }
    const auto& module = native_value<ModuleObject>(kernel.way->module.ptr());
    module.module->reload_if_stale();
    if (module.module->generation() != kernel.way->generation) {
        return {};
    }
    auto bound =
        std::make_unique<BoundObject>(py::reinterpret_borrow<py::object>(self), kernel.way);
    return bound->read(keywords) ? py::cast(std::move(bound)) : py::object();
}

PyObject* call_kernel(PyObject* self, PyObject* arguments, PyObject* keywords) {
    park_at_end();
    try {
        if (py::object bound = try_short_way(self, arguments, keywords)) {
            return bound.release().ptr();
        }
        const py::object call = py::handle(self).attr("_call");
        return PyObject_Call(call.ptr(), arguments, keywords);
    } catch (...) {
        set_python_error(std::current_exception());
        return nullptr;
    }
}

void enable_call(PyHeapTypeObject* heap_type) {
    heap_type->ht_type.tp_call = &call_kernel;
}

/// launchRaw(blockSize, gridSize), by place or by name; false for anything else.
bool read_sizes(PyObject* const* values, Py_ssize_t count, PyObject* names,
                std::array<PyObject*, 2>& sizes) {
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    if (count + named != 2) {
        return false;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        sizes[static_cast<std::size_t>(i)] = values[i];
    }
    for (Py_ssize_t i = 0; i < named; ++i) {
        const std::string_view name = utf8(PyTuple_GET_ITEM(names, i));
        if (name != "blockSize" && name != "gridSize") {
            return false;
        }
        sizes[name == "blockSize" ? 0 : 1] = values[count + i];
    }
    return sizes[0] != nullptr && sizes[1] != nullptr;
}

/// What the method of Python says of arguments that are not two sizes.
void call_in_python(BoundObject& bound, const char* method, PyObject* const* values,
                    Py_ssize_t count, PyObject* names) {
    const py::object found = bound.in_python().attr(method);
    const auto done = py::reinterpret_steal<py::object>(
        PyObject_Vectorcall(found.ptr(), values, static_cast<std::size_t>(count), names));
    if (!done) {
        throw py::error_already_set();
    }
}

PyObject* launch_raw(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    park_at_end();
    try {
        auto& bound = native_value<BoundObject>(self);
        std::array<PyObject*, 2> sizes{};
        if (read_sizes(values, count, names, sizes)) {
            bound.launch(sizes[0], sizes[1]);
        } else {
            call_in_python(bound, "launchRaw", values, count, names);
        }
        return py::none().release().ptr();
    } catch (...) {
        set_python_error(std::current_exception());
        return nullptr;
    }
}

/// Takes its arguments as vectorcall() does: pybind11's way takes longer than the launch.
void add_launch_raw(const py::object& bound_class) {
    static PyMethodDef definition = {
        "launchRaw", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&launch_raw)),
        METH_FASTCALL | METH_KEYWORDS,
        "launchRaw($self, blockSize, gridSize)\n--\n\n"
        "Run it on blockSize * gridSize threads."};
    auto* const type = reinterpret_cast<PyTypeObject*>(bound_class.ptr());
    bound_class.attr("launchRaw") =
        py::reinterpret_steal<py::object>(PyDescr_NewMethod(type, &definition));
}

} // namespace

void bind_kernel(py::module_& module) {
    py::class_<KernelObject>(module, "_Kernel", py::custom_type_setup(&enable_call),
                             "What a call of a kernel of weft.slangtorch goes through.")
        .def(py::init<>())
        .def("_set_short_way", &set_short_way, py::arg("module"), py::arg("readers"),
             py::arg("launches"), py::arg("pair_class"), py::arg("is_derivative"),
             "Let calls with tensors of the device's memory make a _BoundKernel.");
    py::class_<BoundObject> bound(
        module, "_BoundKernel", "A kernel with its arguments. Nothing runs before it is launched.");
    bound
        .def(
            "launchTotal",
            [](BoundObject& self, const py::object& block_size, const py::object& total_size) {
                self.in_python().attr("launchTotal")(block_size, total_size);
            },
            py::arg("blockSize"), py::arg("totalSize"),
            "Run it on as many blocks as hold totalSize threads along each axis.")
        .def(
            "autoLaunch",
            [](BoundObject& self, const py::object& total_size) {
                self.in_python().attr("autoLaunch")(total_size);
            },
            py::arg("totalSize"),
            "Run it on totalSize threads or more, in blocks that fit their shape.");
    add_launch_raw(bound);
}

} // namespace weft::python
