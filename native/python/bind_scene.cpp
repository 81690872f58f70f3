// SPDX-License-Identifier: Apache-2.0
#include "python/bind_scene.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/interpreter_lock.hpp"
#include "scene/alias_table.hpp"
#include "scene/light_tree.hpp"

#include <pybind11/numpy.h>

#include <cstring>

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
        const Unlocked unlocked;
        table = scene::build_alias_table(weights);
    }
    return py::make_tuple(to_array(table.threshold), to_array(table.other));
}

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

constexpr py::ssize_t kBoundsWords = sizeof(scene::LightBounds) / sizeof(float);
constexpr py::ssize_t kNodeWords = sizeof(scene::LightNode) / sizeof(float);

py::tuple build_light_tree(const Floats& bounds) {
    if (bounds.ndim() != 2 || bounds.shape(1) != kBoundsWords) {
        throw core::ArgumentError(core::text("build_light_tree: bounds must have shape (n, ",
                                             kBoundsWords, "), got an array of ", bounds.ndim(),
                                             " dimensions with ", bounds.size(), " numbers"));
    }
    std::vector<scene::LightBounds> lights(static_cast<std::size_t>(bounds.shape(0)));
    std::memcpy(static_cast<void*>(lights.data()), bounds.data(),
                lights.size() * sizeof(scene::LightBounds));
    scene::LightTree tree;
    {
        const Unlocked unlocked;
        tree = scene::build_light_tree(lights);
    }
    Floats nodes({static_cast<py::ssize_t>(tree.nodes.size()), kNodeWords});
    std::memcpy(nodes.mutable_data(), tree.nodes.data(),
                tree.nodes.size() * sizeof(scene::LightNode));
    return py::make_tuple(nodes, to_array(tree.trails));
}

void bind_light_tree(py::module_& module) {
    module.def(
        "build_light_tree", &build_light_tree, py::arg("bounds"),
        "Returns nodes, shape (m, 16), and trails, shape (n,), of a tree over n lights; see "
        "weft.render.light_tree.\n\n"
        "Args:\n    bounds: Of each light, shape (n, 12); the last column is its power, 0: it "
        "is not in the tree.\n\n"
        "Raises:\n    ArgumentError: A light's numbers cannot be; the first such is named.\n");
}

} // namespace

void bind_scene(py::module_& module) {
    bind_light_tree(module);
    module.def("build_alias_table", &build_alias_table, py::arg("scaled"),
               "Returns threshold and other of the alias method, both of shape (n,); see "
               "weft.render.alias_table.\n\n"
               "Args:\n    scaled: Weights with mean 1, shape (n,).\n\n"
               "Raises:\n    ArgumentError: A weight is negative or not finite; the first such is "
               "named.\n");
}

} // namespace weft::python
