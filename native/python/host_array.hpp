// SPDX-License-Identifier: Apache-2.0
// numpy arrays as host memory. Nothing here imports numpy unless a function says so.
#pragma once

#include "dispatch/argument.hpp"
#include "tensor/convert.hpp"

#include <cstdint>
#include <memory>
#include <pybind11/numpy.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::python {

/// True if a class of this name is among the bases of the value's class: "numpy.generic".
[[nodiscard]] bool has_base(pybind11::handle value, std::string_view name) noexcept;
/// True if asking the object for the attribute gives one; what asking raises counts as no, and nobody hears of it.
[[nodiscard]] bool has_attribute(pybind11::handle value, const char* name) noexcept;

/// True for numpy.ndarray and its subclasses; costs a few pointer comparisons.
[[nodiscard]] bool is_numpy_array(pybind11::handle value) noexcept;

/// @throws ArgumentError{type} for a masked array: what it masks would count.
void require_unmasked(pybind11::handle value, std::string_view context);

/// The scalar kind of a numpy dtype; void_ for complex numbers, text, objects, structures and the like.
[[nodiscard]] reflect::ScalarKind scalar_kind(const pybind11::dtype& dtype);

[[nodiscard]] bool has_native_order(const pybind11::dtype& dtype);

/// Numbers in host memory: a numpy array, in place where its byte order is the machine's.
class NumberArray {
public:
    /// @param context begins the message: "from_numpy: argument 'array'".
    /// @throws ArgumentError{type} for an array that holds no bools, integers or floats.
    NumberArray(pybind11::array array, std::string_view context);

    reflect::ScalarKind kind() const noexcept { return m_kind; }
    const std::vector<std::int64_t>& shape() const noexcept { return m_shape; }
    /// Valid while this object lives. Reading it needs no interpreter lock.
    tensor::HostSource source() const noexcept;
    /// To store elements; the array must be writeable.
    tensor::HostTarget target();
    /// The array itself, or a copy of it in the machine's byte order.
    const pybind11::array& array() const noexcept { return m_array; }

private:
    pybind11::array m_array;
    reflect::ScalarKind m_kind = reflect::ScalarKind::void_;
    std::vector<std::int64_t> m_shape;
    std::vector<std::int64_t> m_strides; ///< bytes
};

/// Whether elements may lie in one place, as those of broadcast arrays and sliding windows do.
/// @param strides bytes. @param item_bytes size of an element.
[[nodiscard]] bool shares_elements(std::span<const std::int64_t> shape,
                                   std::span<const std::int64_t> strides, std::int64_t item_bytes);

/// From the first byte of the elements to the last; empty if there are none.
/// @param data element 0. @param strides bytes.
[[nodiscard]] std::span<std::byte> extent_of(std::byte* data, std::span<const std::int64_t> shape,
                                             std::span<const std::int64_t> strides,
                                             std::int64_t item_bytes) noexcept;

/// Whether the elements are row-major without gaps. @param strides bytes.
[[nodiscard]] bool is_row_major(std::span<const std::int64_t> shape,
                                std::span<const std::int64_t> strides,
                                std::int64_t item_bytes) noexcept;

/// Whatever numpy.asarray takes: arrays, nested lists, numbers, objects with __array__. Imports numpy.
/// @throws ArgumentError for ragged lists and for what holds no numbers.
[[nodiscard]] pybind11::array to_array(pybind11::handle values, std::string_view context);

/// A numpy array as an argument of a call. Made and destroyed under the interpreter lock.
class HostArrayView final : public dispatch::HostArray {
public:
    /// @param write_refusal as of HostArray, for an array that may not be written although numpy would.
    /// @throws ArgumentError{type} naming `parameter` for an array that holds no numbers.
    HostArrayView(pybind11::array array, std::string_view parameter,
                  std::string write_refusal = {});

    void read_as(reflect::ScalarKind kind, std::span<std::byte> out,
                 std::string_view parameter) const override;
    void write_from(reflect::ScalarKind kind, std::span<const std::byte> bytes,
                    std::string_view parameter) override;
    [[nodiscard]] std::span<std::byte> memory() const noexcept override;
    [[nodiscard]] bool is_packed() const noexcept override;
    [[nodiscard]] std::shared_ptr<void> keep_alive() const override;

private:
    pybind11::array m_original;
    NumberArray m_numbers;
};

} // namespace weft::python
