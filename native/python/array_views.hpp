// SPDX-License-Identifier: Apache-2.0
// numpy arrays that bindings of tables take and give.
#pragma once

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/light_tree.hpp"

#include <pybind11/numpy.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace weft::python {

using Doubles = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;
using Floats = pybind11::array_t<float, pybind11::array::c_style | pybind11::array::forcecast>;
using Flags = pybind11::array_t<bool, pybind11::array::c_style | pybind11::array::forcecast>;
using Integers =
    pybind11::array_t<std::int64_t, pybind11::array::c_style | pybind11::array::forcecast>;

inline constexpr pybind11::ssize_t kBoundsWords = sizeof(scene::LightBounds) / sizeof(float);

/// @throws ArgumentError unless the array has this shape.
inline void require_shape(std::string_view name, const pybind11::array& array,
                          std::initializer_list<pybind11::ssize_t> shape) {
    const std::vector<std::int64_t> came(array.shape(), array.shape() + array.ndim());
    const std::vector<std::int64_t> wanted(shape.begin(), shape.end());
    if (came != wanted) {
        throw core::ArgumentError(core::text(name, " must have shape ", core::shape_text(wanted),
                                             ", got ", core::shape_text(came)));
    }
}

template <typename T>
pybind11::array_t<T> to_array(const std::vector<T>& values) {
    return pybind11::array_t<T>(static_cast<pybind11::ssize_t>(values.size()), values.data());
}

/// Rows that `owner` holds as an array of numbers, without a copy; it may not be written to.
template <typename Number, typename Row>
pybind11::array_t<Number> rows_view(const pybind11::object& owner, const std::vector<Row>& rows) {
    static_assert(sizeof(Row) % sizeof(Number) == 0);
    constexpr pybind11::ssize_t kWidth = sizeof(Row) / sizeof(Number);
    pybind11::array_t<Number> view({static_cast<pybind11::ssize_t>(rows.size()), kWidth},
                                   reinterpret_cast<const Number*>(rows.data()), owner);
    pybind11::detail::array_proxy(view.ptr())->flags &=
        ~pybind11::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return view;
}

} // namespace weft::python
