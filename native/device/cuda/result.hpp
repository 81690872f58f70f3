// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/driver.hpp"

#include <string_view>

namespace weft::device::cuda {

/// "CUDA_ERROR_ILLEGAL_ADDRESS", by the driver's own table.
[[nodiscard]] std::string_view error_name(const Driver& driver, CUresult code) noexcept;

/// True if the code means that the context is lost: every later call in this process fails with it.
[[nodiscard]] bool is_sticky(CUresult code) noexcept;

/// The DeviceError for a failed call. `call` is the CUDA function, `doing` what Weft was doing.
[[noreturn]] void fail(const Driver& driver, CUresult code, const char* call,
                       std::string_view doing);

/// @throws DeviceError unless `code` is CUDA_SUCCESS. `doing` is text, or a function that makes it.
template <typename Doing>
void check(const Driver& driver, CUresult code, const char* call, const Doing& doing) {
    if (code == CUDA_SUCCESS) [[likely]] {
        return;
    }
    if constexpr (std::is_invocable_v<const Doing&>) {
        fail(driver, code, call, doing());
    } else {
        fail(driver, code, call, doing);
    }
}

} // namespace weft::device::cuda
