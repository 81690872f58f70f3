// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.hpp"
#include "core/shared_library.hpp"
#include "device/cuda/nvrtc_location.hpp"

#include <nvrtc.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace weft::device::cuda {

enum class ImageKind : std::uint8_t {
    cubin, ///< machine code of one architecture
    ptx,   ///< the driver compiles it when it loads it
};

struct NvrtcRequest {
    std::string source;               ///< CUDA C++
    std::vector<std::string> options; ///< as for nvcc
    ImageKind image = ImageKind::cubin;
};

struct NvrtcResult {
    std::vector<std::byte> image; ///< empty if the source was rejected
    std::string log;
};

/// The CUDA C++ compiler, a library loaded at run time. Thread-safe.
class Nvrtc {
public:
    /// @throws DeviceError{unavailable} if the library cannot be loaded.
    explicit Nvrtc(const NvrtcLocation& location);

    /// "13.0"
    std::string version() const;
    /// Architectures it compiles machine code for, ascending: 75, 80, ... 121.
    std::vector<int> architectures() const;
    /// @throws DeviceError if NVRTC itself fails; a rejected source is no error of this class.
    [[nodiscard]] NvrtcResult compile(const NvrtcRequest& request) const;

private:
    class Program;
    void check(nvrtcResult result, const char* call) const;

    core::SharedLibrary m_builtins;
    core::SharedLibrary m_library;
    decltype(&::nvrtcVersion) m_version = nullptr;
    decltype(&::nvrtcGetErrorString) m_error_string = nullptr;
    decltype(&::nvrtcGetNumSupportedArchs) m_architecture_count = nullptr;
    decltype(&::nvrtcGetSupportedArchs) m_architectures = nullptr;
    decltype(&::nvrtcCreateProgram) m_create = nullptr;
    decltype(&::nvrtcDestroyProgram) m_destroy = nullptr;
    decltype(&::nvrtcCompileProgram) m_compile = nullptr;
    decltype(&::nvrtcGetProgramLogSize) m_log_size = nullptr;
    decltype(&::nvrtcGetProgramLog) m_log = nullptr;
    decltype(&::nvrtcGetCUBINSize) m_cubin_size = nullptr;
    decltype(&::nvrtcGetCUBIN) m_cubin = nullptr;
    decltype(&::nvrtcGetPTXSize) m_ptx_size = nullptr;
    decltype(&::nvrtcGetPTX) m_ptx = nullptr;
};

} // namespace weft::device::cuda
