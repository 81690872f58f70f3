// SPDX-License-Identifier: Apache-2.0
#include "python/module_object.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_reflect.hpp"
#include "python/derive_function.hpp"
#include "python/interpreter_lock.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;

namespace {

/// What to do about a name that is not there.
std::string advice(const std::string& name, const std::vector<std::string>& names) {
    std::string suggestion = core::suggestion(name, names);
    if (!suggestion.empty()) {
        return suggestion;
    }
    constexpr std::size_t kMaxNames = 8;
    const std::span shown(names.data(), std::min(names.size(), kMaxNames));
    return names.empty() ? "; it is empty"
                         : text("; there is ", core::join(shown, ", "),
                                names.size() > kMaxNames ? ", ...: dir() lists all" : "");
}

const reflect::Structure* find_declaration(const compile::LoadedModule& module,
                                           const reflect::Type& type) {
    const auto& structs = module.reflection.structs;
    const auto found = std::ranges::find_if(structs, [&type](const reflect::Structure& structure) {
        return structure.type->full_name == type.full_name;
    });
    return found == structs.end() ? nullptr : &*found;
}

/// "T : IFloat, let N"
std::string generics_text(const std::vector<reflect::GenericParameter>& generics) {
    std::vector<std::string> parameters;
    for (const reflect::GenericParameter& generic : generics) {
        parameters.push_back(generic.is_value ? "let " + generic.name : generic.name);
        if (!generic.constraints.empty()) {
            parameters.back() += " : " + core::join(generic.constraints, ", ");
        }
    }
    return core::join(parameters, ", ");
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

} // namespace

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

namespace {

/// What to do about a name that a module does not have: "twice<flot>" may be a function with wrong arguments.
std::string advice_for(const ModuleObject& self, const std::string& spelled) {
    const std::string name = with_dots(spelled);
    const std::size_t bracket = name.find('<');
    const std::string base = name.substr(0, bracket);
    const reflect::TypeRef structure =
        bracket == std::string::npos ? nullptr : find_type(self, base);
    if (bracket == std::string::npos || (structure == nullptr && !has_functions(self, base))) {
        return advice(name, self.module->names());
    }
    std::vector<std::string> parameters;
    const auto loaded = self.module->loaded();
    if (structure != nullptr) {
        if (const auto* const declared = find_declaration(*loaded, *structure)) {
            parameters.push_back(generics_text(declared->generics));
        }
    }
    for (const reflect::Function& overload : self.module->find_overloads(base)) {
        if (!overload.generics.empty()) {
            parameters.push_back(generics_text(overload.generics));
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

} // namespace

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

namespace {

/// Slang's reflection calls constructors as their structure: "Pair" of "ns.Pair<int>".
std::string constructor_name(const reflect::Type& type) {
    const std::string name = type.name.substr(0, type.name.find('<'));
    return name.substr(name.rfind('.') + 1);
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

} // namespace

namespace {

/// A generic argument as Slang spells it: "float" of Python's float, "4", "Box<int>".
std::string generic_argument(py::handle value) {
    if (PyBool_Check(value.ptr())) {
        return value.cast<bool>() ? "true" : "false";
    }
    if (PyLong_Check(value.ptr())) {
        return py::str(value).cast<std::string>();
    }
    return PyUnicode_Check(value.ptr()) != 0 ? value.cast<std::string>()
                                             : parse_type(value, "Struct[...]")->full_name;
}

std::string generic_arguments(const py::object& key) {
    std::vector<std::string> arguments;
    if (py::isinstance<py::tuple>(key)) {
        for (const py::handle entry : key) {
            arguments.push_back(generic_argument(entry));
        }
    } else {
        arguments.push_back(generic_argument(key));
    }
    return core::join(arguments, ", ");
}

void require_no_generics(const StructObject& self) {
    const auto loaded = self.owner->module->loaded();
    const reflect::Structure* const declared = find_declaration(*loaded, *self.type);
    if (declared != nullptr && !declared->generics.empty()) {
        throw ArgumentError(text("structure '", self.type->full_name, "' is generic over ",
                                 generics_text(declared->generics),
                                 ", and has constructors once these are named; take for example "
                                 "module.",
                                 constructor_name(*self.type),
                                 declared->generics[0].is_value ? "[4](...)" : "[float](...)"));
    }
}

} // namespace

py::object find_struct_member(const StructObject& self, const std::string& name) {
    const std::string method = name == "__init" ? constructor_name(*self.type) : name;
    const std::string qualified = self.type->full_name + "." + method;
    if (has_functions(*self.owner, qualified)) {
        return function_object(*self.owner, qualified);
    }
    return name == "__init" ? py::none() : find_kind(self.owner_object, qualified, false);
}

py::object struct_method(const StructObject& self, const std::string& name) {
    if (name.starts_with("__") && name.ends_with("__") && name != "__init") {
        throw py::attribute_error(name);
    }
    if (name == "__init") {
        require_no_generics(self);
    }
    py::object found = find_struct_member(self, name);
    if (found.is_none()) {
        throw ArgumentError(text("structure '", self.type->full_name, "' has no method '", name,
                                 "'", advice(name, method_names(self))),
                            ArgumentError::Kind::attribute);
    }
    return found;
}

py::object struct_item(const StructObject& self, const py::object& key) {
    const std::string name = py::isinstance<py::str>(key) ? key.cast<std::string>() : "";
    if (py::object member = name.empty() ? py::none() : find_struct_member(self, name);
        !member.is_none()) {
        return member;
    }
    const std::string base = self.type->full_name.substr(0, self.type->full_name.find('<'));
    const auto loaded = self.owner->module->loaded();
    const reflect::Structure* const declared = find_declaration(*loaded, *self.type);
    if (!name.empty() && declared != nullptr && declared->generics.empty()) {
        return struct_method(self, name); // which says what there is
    }
    const std::string arguments = generic_arguments(key);
    py::object found = find_kind(self.owner_object, text(base, "<", arguments, ">"), false);
    if (found.is_none()) {
        const bool is_generic = declared != nullptr && !declared->generics.empty();
        throw ArgumentError(
            is_generic ? text("structure '", self.type->full_name, "' is generic over ",
                              generics_text(declared->generics), ", and takes no <", arguments,
                              ">; check the names, their number and that the types conform")
                       : text("structure '", self.type->full_name,
                              "' takes no generic arguments, "
                              "got [",
                              arguments, "]; leave them out"),
            ArgumentError::Kind::attribute);
    }
    return found;
}

py::object module_of(const FunctionObject& function) {
    return py::cast(ModuleObject{.session = session_of(*function.module->context().device),
                                 .module = function.module,
                                 .pool = function.pool,
                                 .attributes = {},
                                 .generation = function.module->generation()});
}

} // namespace weft::python
