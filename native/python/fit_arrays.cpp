// SPDX-License-Identifier: Apache-2.0
#include "python/fit_arrays.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace weft::python {

namespace py = pybind11;

fit::Matrix matrix_of(const FitDoubles& array, const char* what) {
    if (array.ndim() != 2) {
        throw core::ArgumentError(core::text(what, " must have two dimensions, got an array of ",
                                             array.ndim(), "; pass shape (rows, columns)"));
    }
    fit::Matrix out(static_cast<std::size_t>(array.shape(0)),
                    static_cast<std::size_t>(array.shape(1)));
    std::copy(array.data(), array.data() + array.size(), out.values.begin());
    return out;
}

py::array_t<double> to_array(std::span<const double> values) {
    return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::array_t<double> to_array(const fit::Matrix& matrix) {
    const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(matrix.rows),
                                         static_cast<py::ssize_t>(matrix.columns)};
    return py::array_t<double>(shape, matrix.values.data());
}

py::array_t<float> to_array(std::span<const float> values) {
    return py::array_t<float>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::array_t<std::uint32_t> to_array(std::span<const std::uint32_t> values) {
    return py::array_t<std::uint32_t>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::array_t<std::int64_t> to_array(std::span<const std::int64_t> values) {
    return py::array_t<std::int64_t>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::array_t<bool> to_array(const std::vector<bool>& flags) {
    py::array_t<bool> out(static_cast<py::ssize_t>(flags.size()));
    std::copy(flags.begin(), flags.end(), out.mutable_data());
    return out;
}

py::dict to_dict(const fit::SavedArrays& saved) {
    py::dict out;
    for (const auto& [name, array] : saved.arrays) {
        const std::vector<py::ssize_t> shape(array.shape.begin(), array.shape.end());
        std::visit(
            [&](const auto& values) {
                using Number = typename std::decay_t<decltype(values)>::value_type;
                out[py::str(name)] = py::array_t<Number>(shape, values.data());
            },
            array.values);
    }
    return out;
}

fit::SavedArrays saved_arrays_of(const py::dict& arrays) {
    fit::SavedArrays out;
    for (const auto& [name, value] : arrays) {
        const py::array array = py::array::ensure(value);
        if (!array) {
            throw py::error_already_set();
        }
        fit::SavedArray own;
        own.shape.assign(array.shape(), array.shape() + array.ndim());
        if (py::isinstance<py::array_t<float>>(array)) {
            own.values = vector_of<float>(FitFloats(array));
        } else {
            own.values = vector_of<double>(FitDoubles(array));
        }
        out.arrays.emplace(py::cast<std::string>(name), std::move(own));
    }
    return out;
}

py::tuple to_tuple(const fit::Information& information) {
    return py::make_tuple(to_array(information.matrix), to_array(information.covariance),
                          to_array(information.lost), to_array(information.drawn_fraction),
                          to_array(information.is_silent));
}

} // namespace weft::python
