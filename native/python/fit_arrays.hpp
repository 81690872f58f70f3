// SPDX-License-Identifier: Apache-2.0
// Vectors and matrices of fits as numpy arrays, and back. All need the interpreter lock.
#pragma once

#include "fit/information.hpp"
#include "fit/matrix.hpp"
#include "fit/saved_arrays.hpp"

#include <pybind11/numpy.h>
#include <span>
#include <vector>

namespace weft::python {

/// An array of numpy, converted to T and to rows without gaps. As an argument of a binding it takes arrays alone: numpy
/// ends the process where it reads a list that changes meanwhile.
template <typename T>
class FitArray
    : public pybind11::array_t<T, pybind11::array::c_style | pybind11::array::forcecast> {
public:
    using Base = pybind11::array_t<T, pybind11::array::c_style | pybind11::array::forcecast>;
    using Base::Base;

    /// Empty if `source` cannot be converted.
    static FitArray ensure(pybind11::handle source) {
        return pybind11::reinterpret_steal<FitArray>(Base::ensure(source).release());
    }
};

using FitDoubles = FitArray<double>;
using FitFloats = FitArray<float>;
using FitFlags = FitArray<bool>;
using FitNumbers = FitArray<std::int64_t>;
using FitWords = FitArray<std::uint32_t>;

template <typename T>
std::span<const T> span_of(const FitArray<T>& a) {
    return {a.data(), static_cast<std::size_t>(a.size())};
}

template <typename T>
std::vector<T> vector_of(const FitArray<T>& a) {
    return std::vector<T>(a.data(), a.data() + a.size());
}

/// @throws ArgumentError naming `what` unless the array has two dimensions.
[[nodiscard]] fit::Matrix matrix_of(const FitDoubles& array, const char* what);

[[nodiscard]] pybind11::array_t<double> to_array(std::span<const double> values);
[[nodiscard]] pybind11::array_t<double> to_array(const fit::Matrix& matrix);
[[nodiscard]] pybind11::array_t<float> to_array(std::span<const float> values);
[[nodiscard]] pybind11::array_t<std::uint32_t> to_array(std::span<const std::uint32_t> values);
[[nodiscard]] pybind11::array_t<std::int64_t> to_array(std::span<const std::int64_t> values);
[[nodiscard]] pybind11::array_t<bool> to_array(const std::vector<bool>& flags);

/// Arrays by name.
[[nodiscard]] pybind11::dict to_dict(const fit::SavedArrays& saved);
/// Arrays of floats stay floats; all others become doubles.
[[nodiscard]] fit::SavedArrays saved_arrays_of(const pybind11::dict& arrays);

/// matrix, covariance, lost, drawn_share and is_silent of weft.fit.information.Information.
[[nodiscard]] pybind11::tuple to_tuple(const fit::Information& information);

} // namespace weft::python

namespace pybind11::detail {

template <typename T>
struct fit_array_caster {
    using Array = weft::python::FitArray<T>;
    PYBIND11_TYPE_CASTER(Array, handle_type_name<typename Array::Base>::name);

    bool load(handle source, bool /*convert*/) {
        if (!isinstance<array>(source)) {
            return false;
        }
        value = Array::ensure(source);
        return static_cast<bool>(value);
    }
};

template <>
struct type_caster<weft::python::FitDoubles> : fit_array_caster<double> {};
template <>
struct type_caster<weft::python::FitFloats> : fit_array_caster<float> {};
template <>
struct type_caster<weft::python::FitFlags> : fit_array_caster<bool> {};
template <>
struct type_caster<weft::python::FitNumbers> : fit_array_caster<std::int64_t> {};
template <>
struct type_caster<weft::python::FitWords> : fit_array_caster<std::uint32_t> {};

} // namespace pybind11::detail
