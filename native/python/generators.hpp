// SPDX-License-Identifier: Apache-2.0
// Arguments that make values from the call index instead of memory: weft.grid(), weft.call_id(), ...
#pragma once

#include <cstdint>
#include <pybind11/pybind11.h>
#include <vector>

namespace weft::python {

/// Coordinates of the call index: offset + stride * coordinate. An extent of -1 takes the call's.
struct Grid {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> offset;
    std::vector<std::int64_t> stride;
};

/// The call index itself, innermost dimension first in vectors.
struct CallId {};

/// SV_DispatchThreadID of the generated kernel.
struct ThreadId {};

/// Uniform numbers in [minimum, maximum), one stream a seed.
struct RandFloat {
    float minimum = 0.0F;
    float maximum = 1.0F;
    std::uint32_t seed = 0;
};

/// 32-bit hash of call index and seed.
struct WangHash {
    std::uint32_t seed = 0;
};

void bind_generators(pybind11::module_& module);

} // namespace weft::python
