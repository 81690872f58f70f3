// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <pybind11/pybind11.h>
#include <vector>

namespace weft::python {

/// A backward call in memory of torch, in the order of its current stream: what weft/torch/derivatives.py does for all
/// calls, for the plainest of them, whose arguments are tensors of torch that are only read, and numbers.
struct TorchBackward {
    pybind11::object function;        ///< f.bwds
    std::vector<std::int64_t> places; ///< an argument's tensor among `values`; -1: a number
    pybind11::tuple numbers;          ///< by argument; None for tensors
    pybind11::tuple values;           ///< the tensors that the call read
    pybind11::tuple needs;            ///< whether a gradient is asked for, one a tensor
    pybind11::object cotangent;       ///< of the one result, with its shape and dtype
    bool is_deterministic = false;    ///< the call is to say so
};

/// A gradient or None for each of `values`. Nothing is done, and nullopt returned, where one of the tensors does not lie
/// in memory of the device's GPU as it is.
[[nodiscard]] std::optional<pybind11::tuple> run_torch_backward(const TorchBackward& backward);

} // namespace weft::python
