// SPDX-License-Identifier: Apache-2.0
#include "python/generators.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/host_array.hpp"
#include "python/sequence_reader.hpp"
#include "tensor/array_layout.hpp"

#include <limits>
#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;

namespace {

constexpr auto kMaxDimensions = static_cast<std::int64_t>(tensor::kMaxRank);

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
    if (count >= static_cast<std::size_t>(kMaxDimensions)) {
        throw core::ArgumentError(core::text("grid: ", what, " has more than ", kMaxDimensions,
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
        if (dimensions < 0 || dimensions > kMaxDimensions) {
            throw core::ArgumentError(
                core::text("grid: an integer is the number of dimensions, 0 to ", kMaxDimensions,
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

/// Components that a parameter must have. @param most: of the parameters that there are.
std::int64_t dims_argument(const py::object& value, const char* function, std::int64_t most) {
    if (PyIndex_Check(value.ptr()) == 0 || PyBool_Check(value.ptr())) {
        throw core::ArgumentError(core::text(function, ": dims must be an integer, got ",
                                             Py_TYPE(value.ptr())->tp_name,
                                             "; pass the components of the parameter, or -1 for "
                                             "any; grid(shape) takes extents"),
                                  core::ArgumentError::Kind::type);
    }
    const std::int64_t dims = require_int64(value, core::text(function, ": dims"));
    if (dims != -1 && (dims < 1 || dims > most)) {
        throw core::ArgumentError(core::text(function, ": dims must be 1 to ", most,
                                             ", or -1 for any, got ", dims,
                                             "; pass the components of the parameter"));
    }
    return dims;
}

RandomSettings random_settings(const py::object& dims, const py::object& seed,
                               const py::object& warmup, bool hash_seed, const char* function) {
    constexpr std::int64_t kMaxComponents = 4;
    constexpr std::int64_t kMaxWarmup = 1'000'000; // a millisecond a thread
    const std::int64_t bits = require_int64(seed, core::text(function, ": seed"));
    if (bits < std::numeric_limits<std::int32_t>::min() ||
        bits > std::numeric_limits<std::uint32_t>::max()) {
        throw core::ArgumentError(core::text(function, ": seed must fit 32 bits, got ", bits,
                                             "; pass for example seed % 2**32"));
    }
    const std::int64_t times = require_int64(warmup, core::text(function, ": warmup"));
    if (times < 0 || times > kMaxWarmup) {
        throw core::ArgumentError(core::text(function, ": warmup must be 0 to ", kMaxWarmup,
                                             ", got ", times, "; it is the times of hashing"));
    }
    return {.dims = dims_argument(dims, function, kMaxComponents),
            .seed = static_cast<std::uint32_t>(bits),
            .warmup = static_cast<std::uint32_t>(times),
            .hash_seed = hash_seed};
}

RandFloat make_rand_float(float min, float max, const py::object& dim, const py::object& seed,
                          const py::object& warmup, bool hash_seed) {
    return {min, max, random_settings(dim, seed, warmup, hash_seed, "rand_float")};
}

WangHash make_wang_hash(const py::object& dims, const py::object& seed, const py::object& warmup,
                        bool hash_seed) {
    return {random_settings(dims, seed, warmup, hash_seed, "wang_hash")};
}

CallId make_call_id(const py::object& dims) {
    return {dims_argument(dims, "call_id", kMaxDimensions)};
}

ThreadId make_thread_id(const py::object& dims) {
    constexpr std::int64_t kMaxComponents = 3;
    return {dims_argument(dims, "thread_id", kMaxComponents)};
}

/// call_id((4, 4)) is grid((4, 4)), as in SlangPy.
py::object call_id(const py::object& dims) {
    if (PyTuple_Check(dims.ptr()) || PyList_Check(dims.ptr())) {
        return py::cast(make_grid(dims, py::none(), py::none()));
    }
    return py::cast(make_call_id(dims));
}

void bind_index_classes(py::module_& module) {
    py::class_<Grid>(module, "Grid", "Coordinates of a call; made by grid().")
        .def(py::init(&make_grid), py::arg("shape"), py::arg("offset") = py::none(),
             py::arg("stride") = py::none())
        .def_readonly("shape", &Grid::shape)
        .def_readonly("offset", &Grid::offset)
        .def_readonly("stride", &Grid::stride)
        .def_property_readonly(
            "dims", [](const Grid& grid) { return grid.shape.size(); }, "How many dimensions.")
        .def("__repr__", [](const Grid& grid) {
            return core::text("grid(shape=", core::shape_text(grid.shape),
                              ", offset=", core::shape_text(grid.offset),
                              ", stride=", core::shape_text(grid.stride), ")");
        });
    py::class_<CallId>(module, "CallId", "The call index; made by call_id().")
        .def(py::init(&make_call_id), py::arg("dims") = -1)
        .def_readonly("dims", &CallId::dims, "Components of the parameter; -1: any.")
        .def("__repr__", [](const CallId& self) {
            return self.dims < 0 ? "call_id()" : core::text("call_id(", self.dims, ")");
        });
    py::class_<ThreadId>(module, "ThreadId", "The thread index; made by thread_id().")
        .def(py::init(&make_thread_id), py::arg("dims") = -1)
        .def_readonly("dims", &ThreadId::dims, "Components of the parameter; -1: any.")
        .def("__repr__", [](const ThreadId& self) {
            return self.dims < 0 ? "thread_id()" : core::text("thread_id(", self.dims, ")");
        });
}

template <typename T>
void bind_settings(py::class_<T>& bound) {
    bound
        .def_property_readonly(
            "dims", [](const T& self) { return self.settings.dims; },
            "Components of the parameter; -1: any.")
        .def_property_readonly("seed", [](const T& self) { return self.settings.seed; })
        .def_property_readonly(
            "warmup", [](const T& self) { return self.settings.warmup; },
            "Times that the index is hashed before the seed.")
        .def_property_readonly(
            "hash_seed", [](const T& self) { return self.settings.hash_seed; },
            "Whether the seed is hashed first.");
}

void bind_random_classes(py::module_& module) {
    py::class_<RandFloat> floats(module, "RandFloat",
                                 "Uniform random numbers; made by rand_float().");
    floats
        .def(py::init(&make_rand_float), py::arg("min"), py::arg("max"), py::arg("dim") = -1,
             py::arg("seed") = 0, py::arg("warmup") = 0, py::arg("hash_seed") = true)
        .def_readonly("min", &RandFloat::minimum)
        .def_readonly("max", &RandFloat::maximum);
    bind_settings(floats);
    py::class_<WangHash> bits(module, "WangHash", "Random bits; made by wang_hash().");
    bits.def(py::init(&make_wang_hash), py::arg("dims") = -1, py::arg("seed") = 0,
             py::arg("warmup") = 0, py::arg("hash_seed") = true);
    bind_settings(bits);
}

constexpr const char* kRandFloatDoc =
    R"(Uniform random floats from min to max, for a float or floatN parameter; equal seeds repeat.

Args:
    min: The least value.
    max: Above all values, unless rounding reaches it.
    dim: Components that the parameter must have, 1 to 4; -1: any.
    seed: A 32-bit integer.
    warmup: Times that an element's index is hashed before the seed; more hide its pattern.
    hash_seed: Hashes the seed first, so that neighbouring seeds differ.

One of 2^23 numbers; the sequence is that of SlangPy. Source of the hash: T. Wang, Integer Hash Function, 2007.
)";

constexpr const char* kWangHashDoc =
    R"(Random 32-bit integers from the call index, for an int, uint, intN or uintN parameter; equal seeds repeat.

Arguments as of rand_float().
)";

constexpr std::uint32_t kDefaultSeed = 2640457667; // as in SlangPy

} // namespace

std::uint32_t RandomSettings::seed_bits() const noexcept {
    if (!hash_seed) {
        return seed;
    }
    std::uint32_t bits = (seed ^ 61U) ^ (seed >> 16U);
    bits *= 9U;
    bits ^= bits >> 4U;
    bits *= 0x27d4eb2dU;
    return bits ^ (bits >> 15U);
}

void bind_generators(py::module_& module) {
    bind_index_classes(module);
    bind_random_classes(module);
    module.def("grid", &make_grid, py::arg("shape"), py::arg("offset") = py::none(),
               py::arg("stride") = py::none(),
               "Coordinates of each element of a call, for an int, intN or int[N] parameter.\n\n"
               "Args:\n    shape: Extents, or the number of dimensions, or -1 entries for the "
               "call's own extent.\n"
               "    offset: Added to each coordinate; one integer or one a dimension.\n"
               "    stride: Multiplies each coordinate; one integer or one a dimension.\n\n"
               "A vector parameter counts x from the innermost dimension; an array parameter keeps "
               "the order.\n");
    module.def("call_id", &call_id, py::arg("dims") = -1,
               "The call's own coordinates, for an int, intN or int[N] parameter.\n\n"
               "Args:\n    dims: Components that the parameter must have; -1: any. A tuple is the "
               "shape of a grid().\n");
    module.def("thread_id", &make_thread_id, py::arg("dims") = -1,
               "The index of the device thread, for an integer parameter of up to 3 "
               "components.\n\n"
               "Args:\n    dims: Components that the parameter must have, 1 to 3; -1: any.\n");
    module.def("rand_float", &make_rand_float, py::arg("min") = 0.0F, py::arg("max") = 1.0F,
               py::arg("dim") = -1, py::arg("seed") = kDefaultSeed, py::arg("warmup") = 0,
               py::arg("hash_seed") = true, kRandFloatDoc);
    module.def("wang_hash", &make_wang_hash, py::arg("dim") = -1, py::arg("seed") = kDefaultSeed,
               py::arg("warmup") = 0, py::arg("hash_seed") = true, kWangHashDoc);
}

} // namespace weft::python
