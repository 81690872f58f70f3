// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/file_cache.hpp"
#include "core/kernel_images.hpp"
#include "device/cuda/adapter.hpp"
#include "device/cuda/nvrtc.hpp"
#include "device/cuda/prelude.hpp"
#include "device/kernel.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace weft::device::cuda {

/// CUDA C++ as Slang prints it -> machine code of one GPU, through a cache on disk. NVRTC is loaded by the first
/// source that is not in the cache and comes without images. Thread-safe.
class KernelCompiler {
public:
    struct Desc {
        Architecture architecture{};
        CudaSearch search{};
        std::filesystem::path cache_directory{}; ///< empty: no cache
        bool is_debug = false;                   ///< machine code names source lines
    };

    struct Image {
        std::vector<std::byte> bytes; ///< for cuModuleLoadDataEx
        core::Hash128 key;
        bool is_cached = false;  ///< came from the disk
        bool is_shipped = false; ///< came with the source
    };

    /// Further options of NVRTC, separated by spaces, come from the variable WEFT_NVRTC_OPTIONS.
    explicit KernelCompiler(Desc desc);

    /// @throws CompileError if NVRTC rejects the source; DeviceError{unavailable} if NVRTC, or a CUDA header that the
    ///         source needs, is not installed.
    [[nodiscard]] Image compile(const KernelDesc& desc);
    /// Drops an image that the driver refused. If that came with its source, no other that does is taken from then on:
    /// the driver is too old.
    void forget(const Image& image) noexcept;
    /// What Weft ships of a kernel: machine code of the architectures that most have, and PTX. Nothing is cached.
    [[nodiscard]] std::vector<core::KernelImage> compile_all(const KernelDesc& desc);

private:
    static constexpr const char* kCacheKind = "cubin";

    struct Target {
        std::string option; ///< "--gpu-architecture=sm_90"
        ImageKind image = ImageKind::cubin;
    };

    const std::optional<NvrtcLocation>& location();
    const Nvrtc& nvrtc();
    Target choose_target(const Nvrtc& nvrtc) const;
    core::Hash128 key_of(std::string_view source, bool fast_math);
    std::vector<std::byte> build(const std::string& source, const KernelDesc& desc,
                                 const Target& target);

    Desc m_desc;
    core::FileCache m_cache;
    std::atomic<bool> m_refuses_shipped{false};
    std::string m_options;
    PreludeCutter m_cutter;
    std::mutex m_mutex;
    std::optional<std::optional<NvrtcLocation>> m_location;
    std::unique_ptr<const Nvrtc> m_nvrtc;
};

} // namespace weft::device::cuda
