// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dispatch/launch.hpp"

#include <algorithm>
#include <pybind11/pybind11.h>
#include <utility>
#include <vector>

namespace weft::python {

/// Results of a call in memory of Python's arrays: those of torch, or of numpy. Lives as long as the call. Under the
/// interpreter lock.
class ResultMemory : public dispatch::CallMemory {
public:
    /// The array around what result() gave; null for another Tensor.
    [[nodiscard]] pybind11::object owner(const tensor::Tensor& result) const noexcept {
        const auto found = std::ranges::find(
            m_results, &result, &std::pair<const tensor::Tensor*, pybind11::object>::first);
        return found == m_results.end() ? pybind11::object() : found->second;
    }

protected:
    void keep(const tensor::Tensor& result, pybind11::object owner) {
        m_results.emplace_back(&result, std::move(owner));
    }

private:
    std::vector<std::pair<const tensor::Tensor*, pybind11::object>> m_results;
};

} // namespace weft::python
