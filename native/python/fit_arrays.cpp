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

py::tuple to_tuple(const fit::Information& information) {
    return py::make_tuple(to_array(information.matrix), to_array(information.covariance),
                          to_array(information.lost), to_array(information.drawn_fraction));
}

} // namespace weft::python
