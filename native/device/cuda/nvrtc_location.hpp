// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::device::cuda {

/// Where NVRTC and the CUDA headers were found. Nothing is loaded to find them, so a start that finds all its
/// kernels in the cache pays for a few file names only.
struct NvrtcLocation {
    std::filesystem::path library; ///< absolute, or a bare name for the system's loader
    std::string identity; ///< differs when the library is another one; part of the cache key
};

/// What is searched, in this order: `directories`, $CUDA_HOME, $CUDA_PATH and the usual places of a toolkit.
/// $WEFT_NVRTC, a library or a folder, replaces all of that for NVRTC.
struct CudaSearch {
    std::vector<std::string>
        directories{};      ///< UTF-8; folders of libraries, e.g. site-packages/nvidia/cu13/lib
    int driver_version = 0; ///< 13000: an NVRTC of a later major version is of no use
};

/// If no folder has it, the bare name: the system's loader may know more. nullopt if $WEFT_NVRTC is set and holds
/// none.
[[nodiscard]] std::optional<NvrtcLocation> find_nvrtc(const CudaSearch& search);

/// Names under which NVRTC is looked for, latest first: libnvrtc.so.13, libnvrtc.so.12.
[[nodiscard]] std::vector<std::string> nvrtc_names(int driver_version);

/// The folder that holds `header` ("cuda_fp16.h"); empty if there is none.
[[nodiscard]] std::filesystem::path find_header_directory(const CudaSearch& search,
                                                          const std::string& header);

} // namespace weft::device::cuda
