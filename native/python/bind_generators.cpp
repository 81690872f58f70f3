// SPDX-License-Identifier: Apache-2.0
#include "python/generators.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/host_array.hpp"
#include "python/sequence_reader.hpp"
#include "tensor/array_layout.hpp"

#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;

namespace {

constexpr auto kMostDimensions = static_cast<std::int64_t>(tensor::kMaxRank);

std::int64_t integer_entry(py::handle entry, const char* what) {
    if (PyIndex_Check(entry.ptr()) == 0 || PyBool_Check(entry.ptr())) {
        throw core::ArgumentError(core::text("grid: ", what, " must hold integers, got ",
                                             Py_TYPE(entry.ptr())->tp_name,
                                             "; pass for example (4, 4)"),
                                  core::ArgumentError::Kind::type);
    }
    return require_int64(entry, core::text("grid: an entry of ", what));
}

void require_room(std::size_t count, const char* what) {
    if (count >= static_cast<std::size_t>(kMostDimensions)) {
        throw core::ArgumentError(core::text("grid: ", what, " has more than ", kMostDimensions,
                                             " entries; pass one for each dimension"));
    }
}

py::handle iterable(py::handle value, const char* what) {
    if (!has_attribute(value, "__iter__") && PySequence_Check(value.ptr()) == 0) {
        throw core::ArgumentError(
            core::text("grid: ", what, " must be an integer or a tuple of integers, got ",
                       Py_TYPE(value.ptr())->tp_name, "; pass for example (4, 4)"),
            core::ArgumentError::Kind::type);
    }
    return value;
}

std::vector<std::int64_t> entries(const py::object& value, const char* what, std::size_t count) {
    std::vector<std::int64_t> out;
    if (PyIndex_Check(value.ptr()) != 0) {
        out.assign(count, integer_entry(value, what));
        return out;
    }
    for (const py::handle entry : iterable(value, what)) {
        require_room(out.size(), what);
        out.push_back(integer_entry(entry, what));
    }
    if (out.size() != count) {
        throw core::ArgumentError(core::text("grid: ", what, " has ", out.size(),
                                             " entries, the shape has ", count,
                                             "; pass one for each dimension"));
    }
    return out;
}

Grid make_grid(const py::object& shape, const py::object& offset, const py::object& stride) {
    Grid grid;
    if (PyIndex_Check(shape.ptr()) != 0) {
        // As in SlangPy an integer is the number of dimensions; their extents come from the other arguments.
        const std::int64_t dimensions = integer_entry(shape, "shape");
        if (dimensions < 0 || dimensions > kMostDimensions) {
            throw core::ArgumentError(
                core::text("grid: an integer is the number of dimensions, 0 to ", kMostDimensions,
                           ", got ", dimensions, "; pass extents in a tuple, for example (64,)"));
        }
        grid.shape.assign(static_cast<std::size_t>(dimensions), -1);
    } else {
        for (const py::handle entry : iterable(shape, "shape")) {
            require_room(grid.shape.size(), "shape");
            grid.shape.push_back(integer_entry(entry, "shape"));
            if (grid.shape.back() < -1) {
                throw core::ArgumentError(
                    core::text("grid: shape entries must be 0 or greater (or -1 for the call's "
                               "extent), got ",
                               grid.shape.back()));
            }
        }
    }
    grid.offset = offset.is_none() ? std::vector<std::int64_t>(grid.shape.size(), 0)
                                   : entries(offset, "offset", grid.shape.size());
    grid.stride = stride.is_none() ? std::vector<std::int64_t>(grid.shape.size(), 1)
                                   : entries(stride, "stride", grid.shape.size());
    return grid;
}

} // namespace

void bind_generators(py::module_& module) {
    py::class_<Grid>(module, "Grid", "Coordinates of a call; made by grid().")
        .def_readonly("shape", &Grid::shape)
        .def_readonly("offset", &Grid::offset)
        .def_readonly("stride", &Grid::stride)
        .def("__repr__", [](const Grid& grid) {
            return core::text("grid(shape=", core::shape_text(grid.shape),
                              ", offset=", core::shape_text(grid.offset),
                              ", stride=", core::shape_text(grid.stride), ")");
        });
    py::class_<CallId>(module, "CallId", "The call index; made by call_id().")
        .def("__repr__", [](const CallId&) { return "call_id()"; });
    py::class_<ThreadId>(module, "ThreadId", "The thread index; made by thread_id().")
        .def("__repr__", [](const ThreadId&) { return "thread_id()"; });
    py::class_<RandFloat>(module, "RandFloat", "Uniform random numbers; made by rand_float().")
        .def_readonly("min", &RandFloat::minimum)
        .def_readonly("max", &RandFloat::maximum)
        .def_readonly("seed", &RandFloat::seed);
    py::class_<WangHash>(module, "WangHash", "Random bits; made by wang_hash().")
        .def_readonly("seed", &WangHash::seed);

    module.def("grid", &make_grid, py::arg("shape"), py::arg("offset") = py::none(),
               py::arg("stride") = py::none(),
               "Coordinates of each element of a call, for an int, intN or int[N] parameter.\n\n"
               "Args:\n    shape: Extents, or the number of dimensions, or -1 entries for the "
               "call's own extent.\n"
               "    offset: Added to each coordinate; one integer or one a dimension.\n"
               "    stride: Multiplies each coordinate; one integer or one a dimension.\n\n"
               "A vector parameter counts x from the innermost dimension; an array parameter keeps "
               "the order.\n");
    module.def(
        "call_id", [] { return CallId{}; },
        "The call's own coordinates, for an int, intN or int[N] parameter.\n");
    module.def(
        "thread_id", [] { return ThreadId{}; },
        "The index of the device thread, for a uint or uintN parameter.\n");
    module.def(
        "rand_float",
        [](float min, float max, int, std::int64_t seed) {
            return RandFloat{min, max, static_cast<std::uint32_t>(seed)};
        },
        py::arg("min") = 0.0F, py::arg("max") = 1.0F, py::arg("dim") = 1, py::arg("seed") = 0,
        "Uniform random floats in [min, max), for a float or floatN parameter; equal seeds "
        "repeat.\n");
    module.def(
        "wang_hash",
        [](int, std::int64_t seed) { return WangHash{static_cast<std::uint32_t>(seed)}; },
        py::arg("dim") = 1, py::arg("seed") = 0,
        "Random 32-bit integers from the call index, for a uint or uintN parameter; equal seeds "
        "repeat.\n"
        "Source: T. Wang, Integer Hash Function, 1997.\n");
}

} // namespace weft::python
