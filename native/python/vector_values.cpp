// SPDX-License-Identifier: Apache-2.0
#include "python/vector_values.hpp"

#include "python/bind_reflect.hpp"

namespace weft::python {

namespace py = pybind11;

namespace {

py::module_ vectors() {
    return py::module_::import("weft.vectors");
}

} // namespace

py::object vector_value(const reflect::Type& type, const py::tuple& components) {
    return vectors().attr("from_components")(
        type_to_python(reflect::vector_type(type.scalar, type.columns)), components);
}

py::object make_vector(const reflect::TypeRef& type, const py::args& arguments) {
    return vectors().attr("vector_class")(type_to_python(type))(*arguments);
}

} // namespace weft::python
