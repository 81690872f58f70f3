// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_material.hpp"
#include "python/interpreter_lock.hpp"
#include "scene/directions.hpp"
#include "scene/parameter_names.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;

namespace {

template <typename T>
py::array_t<T> to_array(const std::vector<T>& values) {
    return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

using Rows = py::array_t<float, py::array::c_style | py::array::forcecast>;
using Records = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;

py::dict lay_out_directions(const Records& records, const Rows& rows) {
    if (records.ndim() != 2 || records.shape(1) != 2 || rows.ndim() != 2) {
        throw core::ArgumentError("lay_out_directions: records of shape (materials, 2) and rows of "
                                  "shape (directions, parameters) are needed");
    }
    std::vector<scene::MaterialRecord> read;
    read.reserve(static_cast<std::size_t>(records.shape(0)));
    for (py::ssize_t k = 0; k < records.shape(0); k++) {
        read.push_back({records.at(k, 0), records.at(k, 1)});
    }
    scene::DirectionTable table;
    {
        const std::span<const float> numbers(rows.data(), static_cast<std::size_t>(rows.size()));
        const auto parameters = static_cast<std::size_t>(rows.shape(1));
        const Unlocked unlocked;
        table = scene::lay_out_directions(read, numbers, parameters);
    }
    py::dict fields;
    fields["lengths"] = table.lengths;
    fields["starts"] = to_array(table.starts);
    fields["numbers"] = to_array(table.numbers);
    fields["seeds"] = to_array(table.seeds);
    fields["slots"] = table.slots;
    fields["moved"] = to_array(table.moved);
    return fields;
}

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
    module.def("lay_out_directions", &lay_out_directions, py::arg("records"), py::arg("rows"),
               "Returns the tables of weft.render.directions.Directions.\n\n"
               "Args:\n    records: Of the materials, shape (n, 2).\n"
               "    rows: One direction a row, shape (directions, parameters).\n");
}

} // namespace weft::python
