// SPDX-License-Identifier: Apache-2.0
#include "python/bind_material.hpp"
#include "scene/parameter_names.hpp"

#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;

namespace {

py::tuple split_owner(const std::string& name) {
    const scene::NameHead head = scene::split_owner(name);
    return py::make_tuple(head.owner, head.rest);
}

} // namespace

void bind_parameters(py::module_& module) {
    module.def("quoted_part", &scene::quoted_part, py::arg("part"),
               "Returns a part of a parameter's name as it is written.");
    module.def("split_name", &scene::split_name, py::arg("name"),
               "Returns the parts of a parameter's name, without quotes.\n\n"
               "Raises:\n    ArgumentError: The name is empty, or a quote is not closed.\n");
    module.def("split_owner", &split_owner, py::arg("name"),
               "Returns the first part of a parameter's name without quotes, and the rest as it is "
               "written.\n\nRaises:\n    ArgumentError: A quote is not closed.\n");
}

} // namespace weft::python
