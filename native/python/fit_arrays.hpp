// SPDX-License-Identifier: Apache-2.0
// Vectors and matrices of fits as numpy arrays, and back. All need the interpreter lock.
#pragma once

#include "fit/information.hpp"
#include "fit/matrix.hpp"

#include <pybind11/numpy.h>
#include <span>
#include <vector>

namespace weft::python {

using FitDoubles = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;
using FitFloats = pybind11::array_t<float, pybind11::array::c_style | pybind11::array::forcecast>;
using FitFlags = pybind11::array_t<bool, pybind11::array::c_style | pybind11::array::forcecast>;
using FitNumbers =
    pybind11::array_t<std::int64_t, pybind11::array::c_style | pybind11::array::forcecast>;

template <typename T>
std::span<const T>
span_of(const pybind11::array_t<T, pybind11::array::c_style | pybind11::array::forcecast>& a) {
    return {a.data(), static_cast<std::size_t>(a.size())};
}

template <typename T>
std::vector<T>
vector_of(const pybind11::array_t<T, pybind11::array::c_style | pybind11::array::forcecast>& a) {
    return std::vector<T>(a.data(), a.data() + a.size());
}

/// @throws ArgumentError naming `what` unless the array has two dimensions.
[[nodiscard]] fit::Matrix matrix_of(const FitDoubles& array, const char* what);

[[nodiscard]] pybind11::array_t<double> to_array(std::span<const double> values);
[[nodiscard]] pybind11::array_t<double> to_array(const fit::Matrix& matrix);
[[nodiscard]] pybind11::array_t<float> to_array(std::span<const float> values);
[[nodiscard]] pybind11::array_t<bool> to_array(const std::vector<bool>& flags);

/// matrix, covariance, lost and drawn_share of weft.fit.information.Information.
[[nodiscard]] pybind11::tuple to_tuple(const fit::Information& information);

} // namespace weft::python
