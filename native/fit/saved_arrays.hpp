// SPDX-License-Identifier: Apache-2.0
// The state of a solver as arrays by name, for checkpoints.
#pragma once

#include "core/api.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::fit {

/// Numbers, row-major.
struct SavedArray {
    std::vector<std::size_t> shape; ///< empty: one number
    std::variant<std::vector<double>, std::vector<float>> values;
};

/// Arrays by name. Names of parts begin with the name of the part and a dot.
class SavedArrays {
public:
    std::map<std::string, SavedArray> arrays;

    /// Arrays of the part `name` of these, with shorter names; none if there is no such part.
    [[nodiscard]] WEFT_API SavedArrays part(std::string_view name) const;
    /// Adds the arrays of `other` as the part `name`.
    WEFT_API void add_part(std::string_view name, const SavedArrays& other);

    /// Adds doubles of one dimension.
    WEFT_API void add(const std::string& name, std::vector<double> values);
    /// Adds whole numbers, below 2^53.
    WEFT_API void add_counts(const std::string& name, const std::vector<std::size_t>& counts);
    /// Adds flags, as 0 and 1.
    WEFT_API void add_flags(const std::string& name, const std::vector<bool>& flags);

    [[nodiscard]] bool contains(const std::string& name) const { return arrays.contains(name); }
    /// @param count of numbers that there must be.
    /// @throws ArgumentError if there is no such array, or it has another size.
    [[nodiscard]] WEFT_API std::vector<double> doubles(const std::string& name,
                                                       std::size_t count) const;
    /// All numbers. @throws ArgumentError if there is no such array.
    [[nodiscard]] WEFT_API std::vector<double> doubles(const std::string& name) const;
    /// @throws ArgumentError besides if a number is none that add_counts() adds.
    [[nodiscard]] WEFT_API std::vector<std::size_t> counts(const std::string& name,
                                                           std::size_t count) const;
    /// All of them.
    [[nodiscard]] WEFT_API std::vector<std::size_t> counts(const std::string& name) const;
    [[nodiscard]] WEFT_API std::vector<bool> flags(const std::string& name,
                                                   std::size_t count) const;
    /// All numbers, in float.
    [[nodiscard]] WEFT_API std::vector<float> floats(const std::string& name) const;
    /// @throws ArgumentError if there is no such array.
    [[nodiscard]] WEFT_API const SavedArray& at(const std::string& name) const;
};

} // namespace weft::fit
