// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/result.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace weft::device::cuda {
namespace {

constexpr std::string_view kLostContext = "a kernel that ran earlier most likely read or wrote "
                                          "outside its buffers; the CUDA context of this process "
                                          "is lost, for other libraries such as torch too: restart "
                                          "the process, and create the device with debug=True "
                                          "to learn which kernel it is";

std::string_view remedy(CUresult code) noexcept {
    if (is_sticky(code)) {
        return kLostContext;
    }
    switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY:
        return "release arrays that are no longer needed, or use smaller ones";
    case CUDA_ERROR_DEINITIALIZED:
        return "the process is shutting down: use the device before that";
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
        return "the NVRTC library is newer than the driver: update the driver, or install an older "
               "NVRTC";
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
        return "another library records a CUDA graph in this thread: call Weft outside of that "
               "recording";
    default: return "update the NVIDIA driver, or choose another device";
    }
}

core::DeviceError::Kind kind_of(CUresult code) noexcept {
    return code == CUDA_ERROR_OUT_OF_MEMORY ? core::DeviceError::Kind::out_of_memory
                                            : core::DeviceError::Kind::failure;
}

} // namespace

std::string_view error_name(const Driver& driver, CUresult code) noexcept {
    const char* name = nullptr;
    if (driver.cuGetErrorName(code, &name) != CUDA_SUCCESS || name == nullptr) {
        return "an unnamed CUresult";
    }
    return name;
}

bool is_sticky(CUresult code) noexcept {
    constexpr std::array kSticky{CUDA_ERROR_ASSERT,
                                 CUDA_ERROR_ECC_UNCORRECTABLE,
                                 CUDA_ERROR_HARDWARE_STACK_ERROR,
                                 CUDA_ERROR_ILLEGAL_ADDRESS,
                                 CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                 CUDA_ERROR_INVALID_ADDRESS_SPACE,
                                 CUDA_ERROR_INVALID_PC,
                                 CUDA_ERROR_LAUNCH_FAILED,
                                 CUDA_ERROR_LAUNCH_TIMEOUT,
                                 CUDA_ERROR_MISALIGNED_ADDRESS};
    return std::ranges::find(kSticky, code) != kSticky.end();
}

void fail(const Driver& driver, CUresult code, const char* call, std::string_view doing) {
    throw core::DeviceError(core::text(doing, ": expected ", call, " to succeed, got ",
                                       error_name(driver, code), " (", static_cast<int>(code),
                                       "); ", remedy(code)),
                            kind_of(code), call, code);
}

} // namespace weft::device::cuda
