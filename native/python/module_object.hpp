// SPDX-License-Identifier: Apache-2.0
// What stands behind the Python classes Module, Struct and Namespace, and how they find names.
#pragma once

#include "dispatch/module.hpp"
#include "python/bind_function.hpp"
#include "python/session.hpp"

#include <memory>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

namespace weft::python {

/// `module` in Python. Functions are cached so that `module.f` is one dictionary look-up.
struct ModuleObject {
    std::shared_ptr<Session> session;
    std::shared_ptr<dispatch::Module> module;
    std::shared_ptr<CallPool> pool;
    pybind11::dict attributes; ///< functions made so far, by name
    std::uint64_t generation = 0;
};

/// `module.Pixel` in Python: a type whose attributes are methods.
struct StructObject {
    ModuleObject* owner;
    pybind11::object owner_object; ///< keeps `owner` alive
    reflect::TypeRef type;
};

/// `module.ns` in Python: a namespace whose attributes are functions, types and namespaces.
struct NamespaceObject {
    pybind11::object owner_object; ///< the module
    std::string name;              ///< "ns", "ns.inner"
};

/// The function or type of that name ("f", "ns::g", "Pair<int>"), or None. Takes an edit of the source over.
[[nodiscard]] pybind11::object find_attribute(const pybind11::object& self_object,
                                              const std::string& spelled);
/// find_attribute(). @throws ArgumentError{attribute} with suggestions.
[[nodiscard]] pybind11::object require_attribute(const pybind11::object& self_object,
                                                 const std::string& name);
/// The function, or the type, or None.
[[nodiscard]] pybind11::object find_kind(const pybind11::object& self_object,
                                         const std::string& name, bool wants_function);
[[nodiscard]] pybind11::object require_kind(const pybind11::object& self_object,
                                            const std::string& name, bool wants_function);
[[nodiscard]] pybind11::object namespace_member(const NamespaceObject& self,
                                                const std::string& name);
/// A method by name; "__init" is the constructor. @throws ArgumentError{attribute} with suggestions.
[[nodiscard]] pybind11::object struct_method(const StructObject& self, const std::string& name);
/// The method or the structure within of that name, or None.
[[nodiscard]] pybind11::object find_struct_member(const StructObject& self,
                                                  const std::string& name);
/// `Pair["sum"]`, a method; `Pair[float]`, `Pair["float", 3]`, the structure with these generic arguments.
/// @throws ArgumentError{attribute} for a name that is neither, and arguments that do not fit.
[[nodiscard]] pybind11::object struct_item(const StructObject& self, const pybind11::object& key);
/// What the module itself declares in a namespace.
[[nodiscard]] std::vector<std::string> names_within(const ModuleObject& self,
                                                    const std::string& scope);
/// The Module that a function is of: another object than the one that it was taken from, and equal to it.
[[nodiscard]] pybind11::object module_of(const FunctionObject& function);

} // namespace weft::python
