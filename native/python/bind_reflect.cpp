// SPDX-License-Identifier: Apache-2.0
// Reflection as read-only Python objects.
#include "python/bind_reflect.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/host_array.hpp"
#include "python/vector_values.hpp"
#include "tensor/dtype.hpp"

#include <pybind11/native_enum.h>
#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;
using reflect::ScalarKind;
using reflect::TypeKind;
using reflect::TypeRef;

namespace {

[[noreturn]] void fail_type(py::handle value, const char* function) {
    throw ArgumentError(
        text(function,
             ": a type must be weft.float32 and the like, float, int, bool, a numpy dtype, a name "
             "such as 'float3' or a structure of a module, got ",
             py::repr(value).cast<std::string>()),
        ArgumentError::Kind::type);
}

TypeRef parse_name(const std::string& name, const char* function) {
    if (TypeRef type = tensor::parse_dtype(name)) {
        return type;
    }
    throw ArgumentError(
        text(function, ": there is no type '", name,
             "'; names are those of Slang and numpy, structures are attributes of their module",
             core::suggestion(name, tensor::scalar_names())));
}

/// A value of a scalar or vector type: float32(1) is a float, float3(1, 2, 3) a weft.Vector.
py::object construct(const TypeObject& self, const py::args& args) {
    const reflect::Type& type = *self.type;
    const bool is_scalar = type.kind == TypeKind::scalar;
    if (!is_scalar && type.kind != TypeKind::vector) {
        throw ArgumentError(
            text(type.full_name,
                 ": only scalar and vector types make values; pass a nested list or a dict"));
    }
    if (!is_scalar) {
        return make_vector(self.type, args);
    }
    if (args.size() != 1) {
        throw ArgumentError(
            text(tensor::display_name(type), ": takes 1 number, got ", args.size()));
    }
    const py::object value = args[0];
    if (py::isinstance<py::str>(value) || py::isinstance<py::bytes>(value)) {
        throw ArgumentError(text(tensor::display_name(type), ": takes a number, got ",
                                 Py_TYPE(value.ptr())->tp_name),
                            ArgumentError::Kind::type);
    }
    if (reflect::is_float(type.scalar)) {
        return py::float_(value);
    }
    return type.scalar == ScalarKind::bool_ ? py::object(py::bool_(value)) : py::int_(value);
}

/// Whether `other` names the same type: a Type, a structure of a module, or what stands for one as a dtype.
py::object equals(const TypeObject& self, const py::object& other) {
    if (py::isinstance<TypeObject>(other)) {
        return py::bool_(reflect::same_type(*self.type, *other.cast<TypeObject&>().type));
    }
    const bool is_type = PyType_Check(other.ptr()) != 0 || py::isinstance<py::str>(other) ||
                         has_base(other, "numpy.dtype") || has_attribute(other, "as_struct");
    if (!is_type) {
        return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    }
    try {
        return py::bool_(reflect::same_type(*self.type, *parse_type(other, "Type ==")));
    } catch (const ArgumentError&) {
        return py::bool_(false); // no type that Slang has
    }
}

py::object numpy_name(const TypeObject& self) {
    const auto name = reflect::numpy_name(self.type->scalar);
    return self.type->kind == TypeKind::scalar ? py::object(py::str(name.data(), name.size()))
                                               : py::none();
}

py::dict enumerators(const TypeObject& self) {
    py::dict result;
    for (const reflect::Enumerator& entry : self.type->enumerators) {
        const bool is_unsigned = self.type->scalar == reflect::ScalarKind::uint64;
        result[py::str(entry.name)] =
            is_unsigned ? py::int_(static_cast<std::uint64_t>(entry.value)) : py::int_(entry.value);
    }
    return result;
}

void bind_type_kind(py::module_& module) {
    py::native_enum<TypeKind>(module, "TypeKind", "enum.Enum", "What a type is made of.")
        .value("scalar", TypeKind::scalar)
        .value("vector", TypeKind::vector)
        .value("matrix", TypeKind::matrix)
        .value("array", TypeKind::array)
        .value("structure", TypeKind::structure)
        .value("enumeration", TypeKind::enumeration)
        .value("pointer", TypeKind::pointer)
        .value("tensor", TypeKind::tensor)
        .value("generic_parameter", TypeKind::generic_parameter)
        .value("interface", TypeKind::interface_)
        .value("resource", TypeKind::resource)
        .value("other", TypeKind::other)
        .finalize();
}

void bind_type(py::module_& module) {
    py::class_<TypeObject>(module, "Type",
                           "A Slang type; as a dtype it is the element type of a Tensor.")
        .def("__call__", &construct, "A value: float3(1, 2, 3) or float3(0).")
        .def_property_readonly(
            "name", [](const TypeObject& self) { return tensor::display_name(*self.type); })
        .def_property_readonly(
            "full_name", [](const TypeObject& self) { return self.type->full_name; },
            "As Slang spells it.")
        .def_property_readonly("kind", [](const TypeObject& self) { return self.type->kind; })
        .def_property_readonly("numpy_name", &numpy_name,
                               "numpy's name of a scalar type, else None.")
        .def_property_readonly(
            "shape",
            [](const TypeObject& self) {
                return py::tuple(py::cast(reflect::element_shape(*self.type)));
            },
            "Dimensions that one value adds: (3,) for float3.")
        .def_property_readonly(
            "element",
            [](const TypeObject& self) {
                return self.type->element ? type_to_python(self.type->element) : py::none();
            },
            "Element type of vectors, matrices, arrays, pointers and tensors.")
        .def_property_readonly(
            "fields", [](const TypeObject& self) { return self.type->fields; }, "Of a structure.")
        .def_property_readonly("enumerators", &enumerators,
                               "Names and numbers of an enumeration; else empty.")
        .def_property_readonly("attributes",
                               [](const TypeObject& self) { return self.type->attributes; })
        .def_property_readonly("documentation",
                               [](const TypeObject& self) { return self.type->documentation; })
        .def_property_readonly("location",
                               [](const TypeObject& self) { return self.type->location; })
        .def_property_readonly(
            "size", [](const TypeObject& self) { return self.type->layout.size; },
            "Bytes on the device.")
        .def_property_readonly("is_differentiable",
                               [](const TypeObject& self) { return self.type->is_differentiable; })
        .def("__eq__", &equals, py::arg("other"),
             "Whether `other` is the same type; numpy's dtypes, float, int, bool and names count "
             "as when they are passed as a dtype.")
        .def("__hash__",
             [](const TypeObject& self) { return std::hash<std::string>{}(self.type->full_name); })
        .def("__repr__",
             [](const TypeObject& self) { return "weft." + tensor::display_name(*self.type); });
}

void bind_declarations(py::module_& module) {
    py::class_<reflect::SourceLocation>(module, "SourceLocation", "A place in a source file.")
        .def_readonly("file", &reflect::SourceLocation::file)
        .def_readonly("line", &reflect::SourceLocation::line, "1-based; 0 if unknown.")
        .def_readonly("column", &reflect::SourceLocation::column);
    py::class_<reflect::Attribute>(module, "Attribute", "[Name(arguments)] on a declaration.")
        .def_readonly("name", &reflect::Attribute::name)
        .def_readonly("arguments", &reflect::Attribute::arguments)
        .def("__repr__", [](const reflect::Attribute& self) { return "[" + self.name + "]"; });
    py::class_<reflect::Field>(module, "Field", "A member of a structure.")
        .def_readonly("name", &reflect::Field::name)
        .def_property_readonly("type",
                               [](const reflect::Field& self) { return type_to_python(self.type); })
        .def_readonly("offset", &reflect::Field::offset, "Bytes on the device.")
        .def_readonly("attributes", &reflect::Field::attributes)
        .def_readonly("documentation", &reflect::Field::documentation);
    py::class_<reflect::GenericParameter>(module, "GenericParameter",
                                          "T or `let N : int` of a generic.")
        .def_readonly("name", &reflect::GenericParameter::name)
        .def_readonly("is_value", &reflect::GenericParameter::is_value)
        .def_readonly("constraints", &reflect::GenericParameter::constraints);
}

void bind_functions(py::module_& module) {
    py::native_enum<reflect::Direction>(module, "Direction", "enum.Enum",
                                        "Whether a parameter goes in, out or both.")
        .value("in_", reflect::Direction::in)
        .value("out", reflect::Direction::out)
        .value("inout", reflect::Direction::inout)
        .finalize();
    py::class_<reflect::Parameter>(module, "Parameter", "A parameter of a function.")
        .def_readonly("name", &reflect::Parameter::name)
        .def_property_readonly(
            "type", [](const reflect::Parameter& self) { return type_to_python(self.type); })
        .def_readonly("direction", &reflect::Parameter::direction)
        .def_readonly("is_no_diff", &reflect::Parameter::is_no_diff)
        .def_readonly("has_default", &reflect::Parameter::has_default)
        .def_readonly("default", &reflect::Parameter::default_value,
                      "A literal default, else None.")
        .def_readonly("default_text", &reflect::Parameter::default_text,
                      "The default as the source spells it, '' if that is not known.")
        .def_readonly("semantic", &reflect::Parameter::semantic)
        .def_readonly("attributes", &reflect::Parameter::attributes)
        .def_readonly("documentation", &reflect::Parameter::documentation)
        .def_readonly("location", &reflect::Parameter::location)
        .def("__repr__", [](const reflect::Parameter& self) {
            return self.name + ": " + tensor::display_name(*self.type);
        });
    py::class_<reflect::Function>(module, "FunctionInfo", "One overload of a function.")
        .def_readonly("name", &reflect::Function::name)
        .def_readonly("full_name", &reflect::Function::full_name)
        .def_readonly("owner", &reflect::Function::owner, "The structure of a method, else ''.")
        .def_readonly("parameters", &reflect::Function::parameters)
        .def_property_readonly(
            "return_type",
            [](const reflect::Function& self) { return type_to_python(self.return_type); })
        .def_readonly("generics", &reflect::Function::generics)
        .def_readonly("attributes", &reflect::Function::attributes)
        .def_readonly("documentation", &reflect::Function::documentation,
                      "The comment above the declaration.")
        .def_readonly("location", &reflect::Function::location)
        .def_readonly("is_differentiable", &reflect::Function::is_differentiable)
        .def_readonly("reverse_problem", &reflect::Function::reverse_problem,
                      "Why bwds is refused, '' if it is not.")
        .def_readonly("forward_problem", &reflect::Function::forward_problem,
                      "Why fwds is refused, '' if it is not.")
        .def_readonly("is_static", &reflect::Function::is_static)
        .def_readonly("is_mutating", &reflect::Function::is_mutating)
        .def_readonly("is_entry_point", &reflect::Function::is_entry_point)
        .def_readonly("group_size", &reflect::Function::group_size)
        .def("__repr__", [](const reflect::Function& self) {
            return "<weft.FunctionInfo " + self.full_name + ">";
        });
    py::class_<reflect::Structure>(module, "StructInfo", "A structure and its methods.")
        .def_property_readonly("name",
                               [](const reflect::Structure& self) { return self.type->name; })
        .def_property_readonly(
            "type", [](const reflect::Structure& self) { return type_to_python(self.type); })
        .def_readonly("methods", &reflect::Structure::methods)
        .def_readonly("generics", &reflect::Structure::generics)
        .def("__repr__", [](const reflect::Structure& self) {
            return "<weft.StructInfo " + self.type->name + ">";
        });
}

} // namespace

TypeRef parse_type(py::handle value, const char* function) {
    if (py::isinstance<TypeObject>(value)) {
        return value.cast<TypeObject&>().type;
    }
    if (py::isinstance<py::str>(value)) {
        return parse_name(value.cast<std::string>(), function);
    }
    if (value.is(py::handle(reinterpret_cast<PyObject*>(&PyFloat_Type)))) {
        return reflect::scalar_type(ScalarKind::float32);
    }
    if (value.is(py::handle(reinterpret_cast<PyObject*>(&PyLong_Type)))) {
        return reflect::scalar_type(ScalarKind::int32);
    }
    if (value.is(py::handle(reinterpret_cast<PyObject*>(&PyBool_Type)))) {
        return reflect::scalar_type(ScalarKind::bool_);
    }
    const py::object type = py::getattr(value, "type", py::none()); // module.Pixel
    if (py::isinstance<TypeObject>(type)) {
        return type.cast<TypeObject&>().type;
    }
    py::object name = py::getattr(value, "name", py::none()); // numpy.dtype("f4")
    if (name.is_none() && PyType_Check(value.ptr()) != 0) {
        name = py::getattr(value, "__name__", py::none()); // numpy.float32
    }
    if (!py::isinstance<py::str>(name)) {
        fail_type(value, function);
    }
    return parse_name(name.cast<std::string>(), function);
}

py::object type_to_python(TypeRef type) {
    return py::cast(TypeObject{std::move(type)});
}

void bind_reflect(py::module_& module) {
    bind_declarations(module); // before the class whose signatures name them
    bind_type_kind(module);
    bind_type(module);
    bind_functions(module);
    module.def(
        "find_type",
        [](const std::string& name) { return TypeObject{parse_name(name, "find_type")}; },
        py::arg("name"),
        "The type that a Slang or numpy spelling names: 'float3', 'uint8', 'half4x4', 'float[4]'.");
}

} // namespace weft::python
