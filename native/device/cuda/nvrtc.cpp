// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nvrtc.hpp"

#include "core/file.hpp"
#include "core/text.hpp"

namespace weft::device::cuda {
namespace {

namespace fs = std::filesystem;

/// NVRTC opens its second library by bare name and looks in no folder of its own, so that one has to be in the
/// process already. Absent beside a library that the system's loader finds: then the loader finds both.
core::SharedLibrary load_builtins(const fs::path& folder) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::string name = core::utf8_path(entry.path().filename());
        const bool is_builtins = name.find("nvrtc-builtins") != std::string::npos;
        if (is_builtins && name.find(".alt.") == std::string::npos &&
            name.find(".a") != name.size() - 2) {
            if (core::SharedLibrary library = core::SharedLibrary::try_load(entry.path())) {
                return library;
            }
        }
    }
    return {};
}

core::SharedLibrary load_nvrtc(const NvrtcLocation& location) {
    std::string reason;
    core::SharedLibrary library = core::SharedLibrary::try_load(location.library, &reason);
    if (!library) {
        throw core::DeviceError(
            core::text(
                "create_kernel: compiling for CUDA needs NVRTC, and '",
                core::utf8_path(location.library), "' did not load (", reason,
                "); run 'pip install nvidia-cuda-nvrtc', or set WEFT_NVRTC to the library's path"),
            core::DeviceError::Kind::unavailable);
    }
    return library;
}

template <typename Function>
void find(const core::SharedLibrary& library, Function*& function, const char* name) {
    function = library.try_function<Function>(name);
    if (function == nullptr) {
        throw core::DeviceError(
            core::text("create_kernel: the NVRTC library has no function ", name,
                       "; install one of CUDA 12 or later: 'pip install nvidia-cuda-nvrtc'"),
            core::DeviceError::Kind::unavailable);
    }
}

} // namespace

/// Owns one nvrtcProgram.
class Nvrtc::Program {
public:
    Program(const Nvrtc& nvrtc, const std::string& source) : m_nvrtc(nvrtc) {
        nvrtc.check(nvrtc.m_create(&m_handle, source.c_str(), "kernel.cu", 0, nullptr, nullptr),
                    "nvrtcCreateProgram");
    }
    ~Program() { m_nvrtc.m_destroy(&m_handle); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    nvrtcProgram get() const noexcept { return m_handle; }

    std::string log() const {
        std::size_t size = 0;
        m_nvrtc.check(m_nvrtc.m_log_size(m_handle, &size), "nvrtcGetProgramLogSize");
        std::string text(size, '\0');
        m_nvrtc.check(m_nvrtc.m_log(m_handle, text.data()), "nvrtcGetProgramLog");
        text.resize(text.find_last_not_of(std::string_view("\0\n ", 3)) + 1);
        return text;
    }

    std::vector<std::byte> image(ImageKind kind) const {
        const bool is_cubin = kind == ImageKind::cubin;
        std::size_t size = 0;
        m_nvrtc.check((is_cubin ? m_nvrtc.m_cubin_size : m_nvrtc.m_ptx_size)(m_handle, &size),
                      is_cubin ? "nvrtcGetCUBINSize" : "nvrtcGetPTXSize");
        std::vector<std::byte> bytes(size);
        m_nvrtc.check((is_cubin ? m_nvrtc.m_cubin
                                : m_nvrtc.m_ptx)(m_handle, reinterpret_cast<char*>(bytes.data())),
                      is_cubin ? "nvrtcGetCUBIN" : "nvrtcGetPTX");
        return bytes;
    }

private:
    const Nvrtc& m_nvrtc;
    nvrtcProgram m_handle = nullptr;
};

Nvrtc::Nvrtc(const NvrtcLocation& location)
    : m_builtins(location.library.has_parent_path() ? load_builtins(location.library.parent_path())
                                                    : core::SharedLibrary()),
      m_library(load_nvrtc(location)) {
    find(m_library, m_version, "nvrtcVersion");
    find(m_library, m_error_string, "nvrtcGetErrorString");
    find(m_library, m_architecture_count, "nvrtcGetNumSupportedArchs");
    find(m_library, m_architectures, "nvrtcGetSupportedArchs");
    find(m_library, m_create, "nvrtcCreateProgram");
    find(m_library, m_destroy, "nvrtcDestroyProgram");
    find(m_library, m_compile, "nvrtcCompileProgram");
    find(m_library, m_log_size, "nvrtcGetProgramLogSize");
    find(m_library, m_log, "nvrtcGetProgramLog");
    find(m_library, m_cubin_size, "nvrtcGetCUBINSize");
    find(m_library, m_cubin, "nvrtcGetCUBIN");
    find(m_library, m_ptx_size, "nvrtcGetPTXSize");
    find(m_library, m_ptx, "nvrtcGetPTX");
    m_library.leak(); // shared with torch in many processes; unloading it at exit is not safe
    m_builtins.leak();
}

void Nvrtc::check(nvrtcResult result, const char* call) const {
    if (result != NVRTC_SUCCESS) {
        throw core::DeviceError(core::text("create_kernel: expected ", call, " to succeed, got ",
                                           m_error_string(result), " (", static_cast<int>(result),
                                           "); reinstall NVRTC: 'pip install nvidia-cuda-nvrtc'"),
                                core::DeviceError::Kind::failure, call, result);
    }
}

std::string Nvrtc::version() const {
    int major = 0;
    int minor = 0;
    check(m_version(&major, &minor), "nvrtcVersion");
    return core::text(major, ".", minor);
}

std::vector<int> Nvrtc::architectures() const {
    int count = 0;
    check(m_architecture_count(&count), "nvrtcGetNumSupportedArchs");
    std::vector<int> numbers(static_cast<std::size_t>(count));
    check(m_architectures(numbers.data()), "nvrtcGetSupportedArchs");
    return numbers;
}

NvrtcResult Nvrtc::compile(const NvrtcRequest& request) const {
    const Program program(*this, request.source);
    std::vector<const char*> options;
    options.reserve(request.options.size());
    for (const std::string& option : request.options) {
        options.push_back(option.c_str());
    }
    const nvrtcResult result =
        m_compile(program.get(), static_cast<int>(options.size()), options.data());
    if (result == NVRTC_ERROR_COMPILATION) {
        return {.image = {}, .log = program.log()};
    }
    if (result != NVRTC_SUCCESS) {
        throw core::DeviceError(
            core::text("create_kernel: expected nvrtcCompileProgram to succeed, got ",
                       m_error_string(result), " (", static_cast<int>(result), "): ", program.log(),
                       "; reinstall NVRTC: 'pip install nvidia-cuda-nvrtc'"),
            core::DeviceError::Kind::failure, "nvrtcCompileProgram", result);
    }
    return {.image = program.image(request.image), .log = program.log()};
}

} // namespace weft::device::cuda
