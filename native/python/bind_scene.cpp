// SPDX-License-Identifier: Apache-2.0
#include "python/bind_scene.hpp"

#include "scene/alias_table.hpp"

#include <pybind11/numpy.h>

namespace weft::python {

namespace py = pybind11;

namespace {

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

template <typename T>
py::array_t<T> to_array(const std::vector<T>& values) {
    return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::tuple build_alias_table(const Doubles& scaled) {
    scene::AliasTable table;
    {
        const std::span<const double> weights(scaled.data(),
                                              static_cast<std::size_t>(scaled.size()));
        const py::gil_scoped_release unlocked;
        table = scene::build_alias_table(weights);
    }
    return py::make_tuple(to_array(table.threshold), to_array(table.other));
}

} // namespace

void bind_scene(py::module_& module) {
    module.def("build_alias_table", &build_alias_table, py::arg("scaled"),
               "Returns threshold and other of the alias method, both of shape (n,); see "
               "weft.render.alias_table.\n\n"
               "Args:\n    scaled: Weights with mean 1, shape (n,).\n\n"
               "Raises:\n    ArgumentError: A weight is negative or not finite; the first such is "
               "named.\n");
}

} // namespace weft::python
