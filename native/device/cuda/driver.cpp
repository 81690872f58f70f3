// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/driver.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/cuda/result.hpp"

namespace weft::device::cuda {
namespace {

#if defined(_WIN32)
constexpr const char* kDriverLibrary = "nvcuda.dll";
#else
constexpr const char* kDriverLibrary = "libcuda.so.1";
#endif

core::DeviceError unavailable(const std::string& message, const char* call = "",
                              CUresult code = CUDA_SUCCESS) {
    return core::DeviceError("create_device: " + message, core::DeviceError::Kind::unavailable,
                             call, code);
}

core::SharedLibrary open_driver(const std::filesystem::path& library) {
    std::string reason;
    core::SharedLibrary opened =
        core::SharedLibrary::try_load(library.empty() ? kDriverLibrary : library, &reason);
    if (!opened) {
        throw unavailable(
            core::text("CUDA needs the NVIDIA driver, and its library did not load (", reason,
                       "); install the driver of an NVIDIA GPU, or pass DeviceType.vulkan"));
    }
    return opened;
}

template <typename Function>
void require(const core::SharedLibrary& library, Function*& function, const char* name) {
    function = library.try_function<Function>(name);
    if (function == nullptr) {
        throw unavailable(core::text("the NVIDIA driver has no function ", name,
                                     "; update it to one that supports CUDA 12 or later"));
    }
}

std::string_view init_remedy(CUresult code) noexcept {
    switch (code) {
    case CUDA_ERROR_NO_DEVICE:
        return "no NVIDIA GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES, or pass "
               "DeviceType.vulkan";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
        return "the driver's library and kernel module differ in version: reboot after a driver "
               "update";
    default: return "check that nvidia-smi works, or pass DeviceType.vulkan";
    }
}

void initialize(Driver& driver) {
    const CUresult code = driver.cuInit(0);
    if (code != CUDA_SUCCESS) {
        throw unavailable(core::text("expected cuInit to succeed, got ", error_name(driver, code),
                                     " (", static_cast<int>(code), "); ", init_remedy(code)),
                          "cuInit", code);
    }
    check(driver, driver.cuDriverGetVersion(&driver.version), "cuDriverGetVersion",
          "create_device");
}

} // namespace

std::shared_ptr<const Driver> Driver::load(const std::filesystem::path& library_path) {
    core::SharedLibrary library = open_driver(library_path);
    auto driver = std::make_shared<Driver>();
#define WEFT_CUDA_TEXT(name) #name
#define WEFT_CUDA_REQUIRE(name) require(library, driver->name, WEFT_CUDA_TEXT(name));
#define WEFT_CUDA_TRY(name)                                                                        \
    driver->name =                                                                                 \
        library.try_function<std::remove_pointer_t<decltype(driver->name)>>(WEFT_CUDA_TEXT(name));
    WEFT_CUDA_REQUIRED_FUNCTIONS(WEFT_CUDA_REQUIRE)
    WEFT_CUDA_OPTIONAL_FUNCTIONS(WEFT_CUDA_TRY)
#undef WEFT_CUDA_TRY
#undef WEFT_CUDA_REQUIRE
#undef WEFT_CUDA_TEXT
    library.leak();
    initialize(*driver);
    return driver;
}

} // namespace weft::device::cuda
