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
struct CallId {
    std::int64_t dims = -1; ///< components that the parameter must have; -1: any
};

/// SV_DispatchThreadID of the generated kernel.
struct ThreadId {
    std::int64_t dims = -1; ///< as of CallId
};

/// What random arguments have in common; the sequence is SlangPy's.
struct RandomSettings {
    std::int64_t dims = -1; ///< as of CallId
    std::uint32_t seed = 0;
    std::uint32_t warmup = 0; ///< times that the index is hashed before the seed
    bool hash_seed = true; ///< whether the seed is hashed first, so that neighbouring seeds differ

    /// The seed as the device gets it.
    [[nodiscard]] std::uint32_t seed_bits() const noexcept;
};

/// Uniform numbers in [minimum, maximum), one stream a seed.
struct RandFloat {
    float minimum = 0.0F;
    float maximum = 1.0F;
    RandomSettings settings{};
};

/// 32-bit hash of call index and seed.
struct WangHash {
    RandomSettings settings{};
};

void bind_generators(pybind11::module_& module);

} // namespace weft::python
