// SPDX-License-Identifier: Apache-2.0
#include "python/bind_module.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/command_list.hpp"
#include "python/bind_device.hpp"
#include "python/bind_error.hpp"
#include "python/bind_function.hpp"
#include "python/bind_porting.hpp"
#include "python/bind_reflect.hpp"
#include "python/derive_function.hpp"
#include "python/interpreter_lock.hpp"
#include "python/module_loader.hpp"
#include "python/module_object.hpp"

#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;

namespace {

ModuleObject& module_argument(const py::object& value, const char* parameter) {
    if (!py::isinstance<ModuleObject>(value)) {
        throw ArgumentError(text("load_module: ", parameter, " must be a weft.Module, got ",
                                 Py_TYPE(value.ptr())->tp_name,
                                 "; pass what Module.load_from_file() returns"),
                            ArgumentError::Kind::type);
    }
    return value.cast<ModuleObject&>();
}

ModuleObject load(const std::shared_ptr<Session>& session, const compile::ModuleDesc& desc,
                  const std::vector<py::object>& links, bool hot_reload) {
    dispatch::ModuleOptions options;
    options.hot_reload = hot_reload;
    for (const py::object& link : links) {
        options.links.push_back(module_argument(link, "link").module);
    }
    ModuleObject object{.session = session,
                        .module = nullptr,
                        .pool = create_call_pool(session),
                        .attributes = {},
                        .generation = 0};
    {
        const Unlocked unlocked;
        object.module =
            dispatch::Module::create(session_context(*session), desc, std::move(options));
    }
    object.generation = object.module->generation();
    return object;
}

ModuleObject load_file(const std::shared_ptr<Session>& session, const py::object& path,
                       const py::dict& options, const std::vector<py::object>& link,
                       bool hot_reload) {
    return load(session, describe_file(*session, path, options), link, hot_reload);
}

ModuleObject load_source(const std::shared_ptr<Session>& session, const std::string& name,
                         const std::string& source, const py::dict& options,
                         const std::vector<py::object>& link) {
    return load(session, describe_source(*session, name, source, options), link, false);
}

/// The module itself, or loaded again where something is added to it.
ModuleObject make_module(const py::object& module, const py::dict& options,
                         const std::vector<py::object>& link) {
    const ModuleObject& other = module_argument(module, "device_module");
    if (options.empty() && link.empty()) {
        return other;
    }
    const auto desc = other.module->loaded()->desc;
    return load(other.session, describe_again(*other.session, desc, options), link, true);
}

/// Attributes that the class has, then those that `find` gives. The slot itself, not a __getattr__: it costs less, and
/// torch.compile, which would have to read that, asks the slot.
template <auto find>
PyObject* find_in_slot(PyObject* self, PyObject* name) {
    PyObject* found = PyObject_GenericGetAttr(self, name);
    if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) {
        return found;
    }
    PyErr_Clear();
    try {
        return find(py::reinterpret_borrow<py::object>(self), py::handle(name).cast<std::string>())
            .release()
            .ptr();
    } catch (...) {
        set_python_error(std::current_exception());
        return nullptr;
    }
}

template <auto find>
void enable_attributes(PyHeapTypeObject* heap_type) {
    heap_type->ht_type.tp_getattro = &find_in_slot<find>;
}

py::object namespace_attribute(const py::object& self, const std::string& name) {
    return namespace_member(self.cast<const NamespaceObject&>(), name);
}

void bind_loaders(py::class_<ModuleObject>& bound) {
    bound
        .def(py::init(&make_module), py::arg("device_module"), py::arg("options") = py::dict(),
             py::arg("link") = py::list())
        .def_static("load_from_file", &load_file, py::arg("device").none(false), py::arg("path"),
                    py::arg("options") = py::dict(), py::arg("link") = py::list(), py::kw_only(),
                    py::arg("hot_reload") = true,
                    "Loads a .slang file; relative paths are searched in the device's "
                    "include_paths too.\n\n"
                    "Args:\n    options: {'include_paths': [...], 'defines': {...}}, added to the "
                    "device's; 'fast_math': True lets CUDA's compiler take\n"
                    "        faster functions of less accuracy, and numbers below 1.2e-38 as 0.\n"
                    "    link: Modules that export what this one declares `extern`.\n"
                    "    hot_reload: Calls use an edit of the file or of its imports half a second "
                    "later.\n\n"
                    "Raises:\n    FileNotFoundError: There is no such file.\n    CompileError: "
                    "Slang rejects it; `diagnostics` says where.\n")
        .def_static("load_from_source", &load_source, py::arg("device").none(false),
                    py::arg("name"), py::arg("source"), py::arg("options") = py::dict(),
                    py::arg("link") = py::list(),
                    "Loads Slang text; `name` stands in messages. Options as of "
                    "load_from_file().\n\n"
                    "Raises:\n    CompileError: Slang rejects it; `diagnostics` says where.\n")
        .def_static(
            "load_from_module",
            [](const std::shared_ptr<Session>& session, const py::object& other,
               const py::dict& options, const std::vector<py::object>& link) {
                const auto desc = module_argument(other, "module").module->loaded()->desc;
                return load(session, describe_again(*session, desc, options), link, true);
            },
            py::arg("device").none(false), py::arg("module"), py::arg("options") = py::dict(),
            py::arg("link") = py::list(),
            "Loads the source of another module again, for another device or other options.")
        .def(
            "reload",
            [](const ModuleObject& self) {
                const Unlocked unlocked;
                self.module->reload();
            },
            "Compiles the source again now.\n\nRaises:\n    CompileError: The last good code stays "
            "in use.\n");
}

void bind_contents(py::class_<ModuleObject>& bound) {
    bound
        .def_property_readonly(
            "name", [](const ModuleObject& self) { return self.module->loaded()->desc.name; })
        .def_property(
            "check_gradients",
            [](const ModuleObject& self) { return self.module->has_gradient_check(); },
            [](const ModuleObject& self, bool is_on) { self.module->set_gradient_check(is_on); },
            "Whether Device.check_gradients concerns functions of this module; set it before their "
            "first call.")
        .def_property_readonly("device", [](const ModuleObject& self) { return self.session; })
        .def_property_readonly(
            "functions",
            [](const ModuleObject& self) { return self.module->loaded()->reflection.functions; },
            "Reflection data of every overload that the module declares, in source order.")
        .def_property_readonly(
            "structs",
            [](const ModuleObject& self) { return self.module->loaded()->reflection.structs; },
            "Reflection data of every structure that the module declares.")
        .def_property_readonly(
            "diagnostics", [](const ModuleObject& self) { return self.module->diagnostics(); },
            "Errors and warnings of the last compile, also of a failed hot reload.")
        .def_property_readonly(
            "generation",
            [](const ModuleObject& self) {
                self.module->reload_if_stale();
                return self.module->generation();
            },
            "Grows by one with each reload. Asking for it takes an edit of the source over.")
        .def_property_readonly(
            "layout",
            [](const py::object& self) {
                static_cast<void>(self.cast<const ModuleObject&>()); // it was made
                return py::module_::import("weft._porting").attr("Layout")(self);
            },
            "Types and functions by name, for scripts of other systems.")
        .def_property(
            "logger", [](const ModuleObject&) { return py::none(); },
            [](const ModuleObject&, const py::object&) {},
            "None; what is assigned has no effect. For scripts of other systems.")
        .def("__eq__",
             [](const ModuleObject& self, const py::object& other) {
                 return py::isinstance<ModuleObject>(other) &&
                        other.cast<const ModuleObject&>().module == self.module;
             })
        .def("__hash__",
             [](const ModuleObject& self) { return std::hash<const void*>{}(self.module.get()); })
        .def("__dir__", [](const ModuleObject& self) { return self.module->names(); })
        .def("__repr__", [](const ModuleObject& self) {
            const auto loaded = self.module->loaded();
            return text("<weft.Module '", loaded->desc.name, "', ",
                        loaded->reflection.functions.size(), " functions, ",
                        loaded->reflection.structs.size(), " structures>");
        });
}

void bind_lookups(py::class_<ModuleObject>& bound) {
    bound
        .def(
            "find_function",
            [](const py::object& self, const std::string& name) {
                return find_kind(self, name, true);
            },
            py::arg("name"), "The function, or None.")
        .def(
            "require_function",
            [](const py::object& self, const std::string& name) {
                return require_kind(self, name, true);
            },
            py::arg("name"), "The function, or an error that suggests near misses.")
        .def(
            "find_struct",
            [](const py::object& self, const std::string& name) {
                return find_kind(self, name, false);
            },
            py::arg("name"), "The structure, or None.")
        .def(
            "require_struct",
            [](const py::object& self, const std::string& name) {
                return require_kind(self, name, false);
            },
            py::arg("name"), "The structure, or an error that suggests near misses.")
        .def(
            "find_function_in_struct",
            [](const py::object& self, const py::object& owner,
               const std::string& name) -> py::object {
                const py::object structure = py::isinstance<py::str>(owner)
                                                 ? find_kind(self, owner.cast<std::string>(), false)
                                                 : owner;
                return structure.is_none() ? structure
                                           : structure.attr("try_get_child")(py::str(name));
            },
            py::arg("struct"), py::arg("name"), "A method of a structure, or None.")
        .def("__getitem__", &require_attribute);
}

void bind_module_class(py::module_& module) {
    py::class_<ModuleObject> bound(
        module, "Module", py::custom_type_setup(&enable_attributes<module_attribute>),
        "A Slang module on a device. Its functions and types are attributes: module.f, "
        "module['f<float, 4>'], module.Pixel.\n\n"
        "Any thread may use it, and take the same functions from it.\n");
    bind_loaders(bound);
    bind_contents(bound);
    bind_lookups(bound);
}

void bind_struct_class(py::module_& module) {
    py::class_<StructObject>(
        module, "Struct", "A structure of a module; usable as a dtype, its methods are attributes.")
        .def_property_readonly("type",
                               [](const StructObject& self) { return type_to_python(self.type); })
        .def_property_readonly("name", [](const StructObject& self) { return self.type->name; })
        .def_property_readonly("full_name",
                               [](const StructObject& self) { return self.type->full_name; })
        .def_property_readonly("fields", [](const StructObject& self) { return self.type->fields; })
        .def(
            "as_struct", [](const py::object& self) { return self; },
            "The structure itself, for scripts of other systems.")
        .def(
            "__call__",
            [](const StructObject& self, const py::args& args, const py::kwargs& kwargs) {
                return struct_method(self, "__init")(*args, **kwargs);
            },
            "A value that a constructor of the structure makes.")
        .def_property_readonly("module", [](const StructObject& self) { return self.owner_object; })
        .def("__getitem__", &struct_item, py::arg("key"),
             "A method by name; of a generic structure also the structure itself with the "
             "arguments named:\nPair[float], Pair[weft.float3, 4].")
        .def("__repr__", [](const StructObject& self) {
            return text("<weft.Struct ", self.type->full_name, ">");
        });
}

void bind_namespace_class(py::module_& module) {
    py::class_<NamespaceObject>(
        module, "Namespace", py::custom_type_setup(&enable_attributes<namespace_attribute>),
        "A namespace of a module; its functions, types and namespaces are attributes.")
        .def_property_readonly(
            "name", [](const NamespaceObject& self) { return self.name; },
            "With the namespaces around it: 'outer.inner'.")
        .def("__getitem__", &namespace_member)
        .def("__dir__",
             [](const NamespaceObject& self) {
                 return names_within(self.owner_object.cast<const ModuleObject&>(), self.name);
             })
        .def("__repr__",
             [](const NamespaceObject& self) { return text("<weft.Namespace ", self.name, ">"); });
}

} // namespace

void bind_command_encoder(py::module_& module) {
    py::class_<device::CommandList, std::shared_ptr<device::CommandList>>(
        module, "CommandEncoder",
        "A list of recorded calls; made by device.create_command_encoder().")
        .def(
            "finish", [](const std::shared_ptr<device::CommandList>& self) { return self; },
            "The recorded list, to be passed to device.submit_command_buffer(), as often as "
            "wanted.")
        .def(
            "submit", [](device::CommandList& self) { self.submit(); }, "Runs the recorded calls.");
}

void bind_module(py::module_& module) {
    py::class_<FunctionObject>(module.attr("Function"))
        .def_property_readonly("module", &module_of, "The module that has the function.");
    bind_module_class(module);
    bind_struct_class(module);
    bind_namespace_class(module);
    auto device = py::reinterpret_borrow<py::class_<Session, std::shared_ptr<Session>>>(
        py::type::of<Session>());
    device
        .def("load_module", &load_file, py::arg("path"), py::arg("options") = py::dict(),
             py::arg("link") = py::list(), py::kw_only(), py::arg("hot_reload") = true,
             "Same as Module.load_from_file(device, path).")
        .def("load_module_from_file", &load_file, py::arg("path"), py::arg("options") = py::dict(),
             py::arg("link") = py::list(), py::kw_only(), py::arg("hot_reload") = true,
             "Same as Module.load_from_file(device, path).")
        .def("load_module_from_source", &load_source, py::arg("module_name"), py::arg("source"),
             py::arg("options") = py::dict(), py::arg("link") = py::list(),
             "Same as Module.load_from_source.")
        .def(
            "create_command_encoder",
            [](const Session& session) {
                return std::make_shared<device::CommandList>(session.device);
            },
            "An empty command encoder for Function.append_to().")
        .def(
            "submit_command_buffer",
            [](const Session&, device::CommandList& commands) { commands.submit(); },
            py::arg("command_buffer"), "Runs a recorded list of calls.");
}

} // namespace weft::python
