// SPDX-License-Identifier: Apache-2.0
// Numbers of Python, and names of enumerators, alone and in nested lists.
#pragma once

#include "reflect/type.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <pybind11/pybind11.h>
#include <string>
#include <string_view>
#include <vector>

namespace weft::python {

/// An integer of 64 bits; those from 2^63 on are unsigned.
struct Integer {
    std::int64_t bits = 0;
    bool is_unsigned = false;

    double as_double() const noexcept {
        return is_unsigned ? static_cast<double>(static_cast<std::uint64_t>(bits))
                           : static_cast<double>(bits);
    }
};

/// nullopt if the integer needs more than 64 bits.
[[nodiscard]] std::optional<Integer> integer_value(PyObject* value);

/// The integer that `value` is or gives as its index. @param what names it: "grid: shape".
/// @throws ArgumentError if it needs more than 64 bits, or is no integer; what its __index__ raises.
[[nodiscard]] std::int64_t require_int64(pybind11::handle value, std::string_view what);

/// Flattens nested sequences of numbers, or of names; remembers the widest kind and the shape.
class SequenceReader {
public:
    /// What is wrong; the caller knows whose argument it is.
    struct Problem {
        std::string what;
    };
    /// A row or an entry is an array of numpy or torch, which read the sequence better.
    struct HoldsArrays {};

    /// @param depth 0 for the outermost sequence. @throws Problem, HoldsArrays.
    void read(PyObject* value, std::size_t depth);
    /// The numbers, as the bits of `kind`; of names, their places in `names`.
    void append_to(std::vector<std::uint64_t>& words) const;

    std::vector<std::int64_t> shape;
    reflect::ScalarKind kind = reflect::ScalarKind::bool_; ///< bool, int64, uint64 or float64
    std::vector<pybind11::object>
        names;                 ///< different ones, in alphabetical order; empty for numbers
    std::vector<double> reals; ///< same length as the integers; used once a float was seen

private:
    void note_extent(std::size_t depth, Py_ssize_t count);
    void read_scalar(PyObject* item, std::size_t depth);
    void read_name(PyObject* item);
    void sort_names();
    void push(const Integer& integer, double real, reflect::ScalarKind item_kind);

    std::vector<std::int64_t> m_integers;
    std::map<std::string, std::int64_t, std::less<>> m_name_indices; ///< by order of appearance
    bool m_has_leaf = false;
    bool m_has_negative = false;
};

} // namespace weft::python
