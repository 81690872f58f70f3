// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/driver.hpp"

#include <cstdint>
#include <string_view>

namespace weft::device::cuda {

/// A CUstream of another library, which hands it out as an integer.
[[nodiscard]] CUstream to_handle(std::uint64_t stream) noexcept;

/// Whether the stream records a graph.
[[nodiscard]] bool is_captured(const Driver& driver, CUstream stream);

/// @throws ArgumentError that names the function and the reason for which the call cannot be part of a graph, while the
/// stream records one.
void require_not_captured(const Driver& driver, CUstream stream, std::string_view function,
                          std::string_view reason);

} // namespace weft::device::cuda
