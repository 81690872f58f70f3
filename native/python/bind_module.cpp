// SPDX-License-Identifier: Apache-2.0
#include "python/bind_module.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/command_list.hpp"
#include "python/bind_device.hpp"
#include "python/bind_function.hpp"
#include "python/bind_reflect.hpp"
#include "python/derive_function.hpp"
#include "python/interpreter_lock.hpp"
#include "python/module_loader.hpp"

#include <algorithm>
#include <iterator>
#include <pybind11/stl.h>
#include <span>
#include <unordered_map>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;

namespace {

/// `module` in Python. Functions are cached so that `module.f` is one dictionary look-up.
struct ModuleObject {
    std::shared_ptr<Session> session;
    std::shared_ptr<dispatch::Module> module;
    std::shared_ptr<CallPool> pool;
    py::dict attributes; ///< functions made so far, by name
    std::uint64_t generation = 0;
};

/// `module.Pixel` in Python: a type whose attributes are methods.
struct StructObject {
    ModuleObject* owner;
    py::object owner_object; ///< keeps `owner` alive
    reflect::TypeRef type;
};

/// `module.ns` in Python: a namespace whose attributes are functions, types and namespaces.
struct NamespaceObject {
    py::object owner_object; ///< the module
    std::string name;        ///< "ns", "ns.inner"
};

/// What to do about a name that is not there.
std::string advice(const std::string& name, const std::vector<std::string>& names) {
    std::string suggestion = core::suggestion(name, names);
    if (!suggestion.empty()) {
        return suggestion;
    }
    constexpr std::size_t kMost = 8;
    const std::span shown(names.data(), std::min(names.size(), kMost));
    return names.empty() ? "; it is empty"
                         : text("; there is ", core::join(shown, ", "),
                                names.size() > kMost ? ", ...: dir() lists all" : "");
}

py::object function_object(const ModuleObject& self, const std::string& name) {
    return make_function({.module = self.module,
                          .function = find_function(*self.module, name),
                          .pool = self.pool,
                          .this_value = {},
                          .uniforms = py::reinterpret_steal<py::dict>(nullptr)});
}

bool has_functions(const ModuleObject& self, const std::string& name) {
    const Unlocked unlocked;
    return !self.module->find_overloads(name).empty();
}

reflect::TypeRef find_type(const ModuleObject& self, const std::string& name) {
    const Unlocked unlocked;
    return self.module->find_type(name);
}

/// "ns::g" as Slang spells full names: "ns.g".
std::string with_dots(std::string name) {
    for (std::size_t at = name.find("::"); at != std::string::npos; at = name.find("::", at)) {
        name.replace(at, 2, ".");
    }
    return name;
}

/// The parts of `ns.name`s that the module declares itself; empty if it has no such namespace.
std::vector<std::string> names_within(const ModuleObject& self, const std::string& scope) {
    const std::string prefix = scope + ".";
    std::vector<std::string> names;
    const auto add = [&](const std::string& full_name) {
        if (full_name.starts_with(prefix)) {
            const std::string rest = full_name.substr(prefix.size());
            names.push_back(rest.substr(0, rest.find_first_of(".<")));
        }
    };
    const auto loaded = self.module->loaded();
    std::ranges::for_each(loaded->reflection.functions, add, &reflect::Function::full_name);
    for (const reflect::Structure& structure : loaded->reflection.structs) {
        add(structure.type->full_name);
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

py::object find_attribute(const py::object& self_object, const std::string& spelled) {
    const std::string name = with_dots(spelled);
    auto& self = self_object.cast<ModuleObject&>();
    if (self.module->is_stale()) {
        const Unlocked unlocked;
        self.module->reload_if_stale();
    }
    if (self.generation != self.module->generation()) {
        self.attributes.clear();
        self.generation = self.module->generation();
    }
    if (self.attributes.contains(name)) {
        return self.attributes[py::str(name)];
    }
    py::object found;
    if (has_functions(self, name)) {
        found = function_object(self, name);
    } else if (const reflect::TypeRef type = find_type(self, name)) {
        found = type->kind == reflect::TypeKind::structure
                    ? py::cast(StructObject{&self, self_object, type})
                    : type_to_python(type);
    } else if (!names_within(self, name).empty()) {
        found = py::cast(NamespaceObject{self_object, name});
    } else {
        return py::none();
    }
    self.attributes[py::str(name)] = found;
    return found;
}

/// What to do about a name that a module does not have: "twice<flot>" may be a function with wrong arguments.
std::string advice_for(const ModuleObject& self, const std::string& spelled) {
    const std::string name = with_dots(spelled);
    const std::size_t bracket = name.find('<');
    const std::string base = name.substr(0, bracket);
    if (bracket == std::string::npos || !has_functions(self, base)) {
        return advice(name, self.module->names());
    }
    std::vector<std::string> parameters;
    for (const reflect::Function& overload : self.module->find_overloads(base)) {
        for (const reflect::GenericParameter& generic : overload.generics) {
            parameters.push_back(generic.is_value ? "let " + generic.name : generic.name);
            if (!generic.constraints.empty()) {
                parameters.back() += " : " + core::join(generic.constraints, ", ");
            }
        }
    }
    if (parameters.empty()) {
        return text("; '", base, "' is not generic: take module[\"", base, "\"]");
    }
    const std::string given = name.substr(bracket);
    const char* const remedy = given.find(" : ") != std::string::npos
                                   ? ": give the type alone, as in <float>"
                                   : ": check the names and that the types conform";
    return text("; '", base, "' is generic over ", core::join(parameters, ", "), ", and takes no ",
                given, remedy);
}

py::object require_attribute(const py::object& self_object, const std::string& name) {
    py::object found = find_attribute(self_object, name);
    if (found.is_none()) {
        const auto& self = self_object.cast<const ModuleObject&>();
        const auto loaded = self.module->loaded();
        throw ArgumentError(text("module '", loaded->desc.name, "' has no function or type '", name,
                                 "'", advice_for(self, name)),
                            ArgumentError::Kind::attribute);
    }
    return found;
}

py::object namespace_member(const NamespaceObject& self, const std::string& name) {
    if (name.starts_with("__") && name.ends_with("__")) {
        throw py::attribute_error(name);
    }
    py::object found = find_attribute(self.owner_object, self.name + "." + name);
    if (found.is_none()) {
        const auto& owner = self.owner_object.cast<const ModuleObject&>();
        throw ArgumentError(text("namespace '", self.name, "' has no function or type '", name, "'",
                                 advice(name, names_within(owner, self.name))),
                            ArgumentError::Kind::attribute);
    }
    return found;
}

py::object get_attribute(const py::object& self_object, const std::string& name) {
    if (name.starts_with("__") && name.ends_with("__")) {
        throw py::attribute_error(name); // protocols probe for these
    }
    return require_attribute(self_object, name);
}

py::object find_kind(const py::object& self_object, const std::string& name, bool wants_function) {
    py::object found = find_attribute(self_object, name);
    const bool is_function = py::isinstance<FunctionObject>(found);
    const bool is_right =
        wants_function ? is_function : !is_function && !py::isinstance<NamespaceObject>(found);
    return is_right ? found : py::none();
}

py::object require_kind(const py::object& self_object, const std::string& name,
                        bool wants_function) {
    py::object found = find_kind(self_object, name, wants_function);
    if (found.is_none()) {
        const auto& self = self_object.cast<const ModuleObject&>();
        throw ArgumentError(text(wants_function ? "require_function: there is no function '"
                                                : "require_struct: there is no structure '",
                                 name, "' in module '", self.module->loaded()->desc.name, "'",
                                 advice_for(self, name)),
                            ArgumentError::Kind::attribute);
    }
    return found;
}

std::vector<std::string> method_names(const StructObject& self) {
    std::vector<std::string> names;
    for (const auto& structure : self.owner->module->loaded()->reflection.structs) {
        if (structure.type->name == self.type->name) {
            std::ranges::transform(structure.methods, std::back_inserter(names),
                                   &reflect::Function::name);
        }
    }
    return names;
}

py::object struct_method(const StructObject& self, const std::string& name) {
    if (name.starts_with("__") && name.ends_with("__") && name != "__init") {
        throw py::attribute_error(name);
    }
    const std::string method = name == "__init" ? "$init" : name;
    const std::string qualified = self.type->full_name + "." + method;
    if (!has_functions(*self.owner, qualified)) {
        throw ArgumentError(text("structure '", self.type->full_name, "' has no method '", name,
                                 "'", advice(name, method_names(self))),
                            ArgumentError::Kind::attribute);
    }
    return function_object(*self.owner, qualified);
}

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

void bind_loaders(py::class_<ModuleObject>& bound) {
    bound
        .def_static("load_from_file", &load_file, py::arg("device").none(false), py::arg("path"),
                    py::arg("options") = py::dict(), py::arg("link") = py::list(), py::kw_only(),
                    py::arg("hot_reload") = true,
                    "Loads a .slang file; relative paths are searched in the device's "
                    "include_paths too.\n\n"
                    "Args:\n    options: {'include_paths': [...], 'defines': {...}}, added to the "
                    "device's.\n"
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
                const py::object structure =
                    py::isinstance<py::str>(owner)
                        ? require_kind(self, owner.cast<std::string>(), false)
                        : owner;
                return structure.attr(py::str(name));
            },
            py::arg("struct"), py::arg("name"), "A method of a structure.")
        .def("__getattr__", &get_attribute)
        .def("__getitem__", &require_attribute);
}

void bind_module_class(py::module_& module) {
    py::class_<ModuleObject> bound(
        module, "Module",
        "A Slang module on a device. Its functions and types are attributes: module.f, "
        "module['f<float, 4>'], module.Pixel.");
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
        .def("__getattr__", &struct_method)
        .def("__getitem__", &struct_method)
        .def("__repr__", [](const StructObject& self) {
            return text("<weft.Struct ", self.type->full_name, ">");
        });
}

void bind_namespace_class(py::module_& module) {
    py::class_<NamespaceObject>(
        module, "Namespace",
        "A namespace of a module; its functions, types and namespaces are attributes.")
        .def_property_readonly(
            "name", [](const NamespaceObject& self) { return self.name; },
            "With the namespaces around it: 'outer.inner'.")
        .def("__getattr__", &namespace_member)
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
