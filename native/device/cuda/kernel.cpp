// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/kernel.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/cuda/device.hpp"

#include <algorithm>

namespace weft::device::cuda {
namespace {

constexpr const char* kDoing = "create_kernel";
constexpr std::uint32_t kMaxParameters = 64;

bool is_refused_image(CUresult code) noexcept {
    return code == CUDA_ERROR_INVALID_IMAGE || code == CUDA_ERROR_NO_BINARY_FOR_GPU ||
           code == CUDA_ERROR_INVALID_PTX || code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
           code == CUDA_ERROR_INVALID_SOURCE;
}

std::uint32_t thread_count(const KernelDesc& desc) noexcept {
    return desc.group_size[0] * desc.group_size[1] * desc.group_size[2];
}

std::uint32_t expected_parameter_bytes(const KernelDesc& desc) noexcept {
    return desc.arguments_by_address ? std::uint32_t{sizeof(std::uint64_t)} : desc.argument_bytes;
}

/// Bytes of all kernel parameters as the compiler laid them out: the arguments, with their tail padding, or without
/// what the kernel does not use. Drivers before CUDA 12.4 do not tell.
std::uint32_t parameter_bytes(const Driver& driver, CUfunction function, const KernelDesc& desc) {
    const std::uint32_t expected = expected_parameter_bytes(desc);
    if (driver.cuFuncGetParamInfo == nullptr) {
        return expected;
    }
    std::uint32_t end = 0;
    for (std::uint32_t index = 0; index < kMaxParameters; ++index) {
        std::size_t offset = 0;
        std::size_t size = 0;
        if (driver.cuFuncGetParamInfo(function, index, &offset, &size) != CUDA_SUCCESS) {
            break; // past the last one
        }
        end = std::max(end, static_cast<std::uint32_t>(offset + size));
    }
    if (end >= expected + LaunchArguments::kMaxPadding) {
        throw core::InternalError(core::text("create_kernel: '", desc.label,
                                             "' expected parameters of ", expected, " bytes, got ",
                                             end));
    }
    return end;
}

void require_group_size(const Context& context, CUfunction function, const KernelDesc& desc) {
    int limit = 0;
    const Driver& driver = context.driver();
    check(driver,
          driver.cuFuncGetAttribute(&limit, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
          "cuFuncGetAttribute", kDoing);
    if (thread_count(desc) > static_cast<std::uint32_t>(limit)) {
        throw core::ArgumentError(core::text("create_kernel: '", desc.label, "' has groups of ",
                                             thread_count(desc),
                                             " threads, and its registers allow at most ", limit,
                                             " on this GPU; use smaller groups ([numthreads])"));
    }
}

std::uint32_t device_value(const Context& context, CUdevice_attribute which) {
    int value = 0;
    const Driver& driver = context.driver();
    check(driver, driver.cuDeviceGetAttribute(&value, which, context.device()),
          "cuDeviceGetAttribute", kDoing);
    return static_cast<std::uint32_t>(value);
}

/// What a multiprocessor keeps of its memory for each group.
constexpr std::uint32_t kReservedBytes = 1024;

std::uint32_t function_value(const Driver& driver, CUfunction function,
                             CUfunction_attribute which) {
    int value = 0;
    check(driver, driver.cuFuncGetAttribute(&value, which, function), "cuFuncGetAttribute", kDoing);
    return static_cast<std::uint32_t>(value);
}

void set_function_value(const Driver& driver, CUfunction function, CUfunction_attribute which,
                        std::uint32_t value) {
    check(driver, driver.cuFuncSetAttribute(function, which, static_cast<int>(value)),
          "cuFuncSetAttribute", kDoing);
}

/// Lets a kernel have the group-shared memory that it can use: as much as leaves room for the groups that its registers
/// allow on a multiprocessor, or for one if much would be missing. What is left there is a cache.
std::uint32_t give_shared_bytes(const Context& context, CUfunction function,
                                const KernelDesc& desc) {
    if (desc.shared_bytes == 0) {
        return 0;
    }
    const Driver& driver = context.driver();
    const std::uint32_t own = function_value(driver, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    const std::uint32_t registers = std::max(
        function_value(driver, function, CU_FUNC_ATTRIBUTE_NUM_REGS) * thread_count(desc), 1U);
    const std::uint32_t all =
        device_value(context, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    const std::uint32_t most =
        device_value(context, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    const std::uint32_t groups = std::clamp(
        device_value(context, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) / registers, 1U,
        2U);
    const auto beside = [own](std::uint32_t bytes, std::uint32_t reserved) {
        return bytes > own + reserved ? (bytes - own - reserved) / 16 * 16 : 0;
    };
    const std::uint32_t shared = std::min(beside(all / groups, kReservedBytes), beside(most, 0));
    const bool is_enough = desc.shared_bytes <= shared + shared / 8;
    const std::uint32_t given = std::min(desc.shared_bytes, is_enough ? shared : beside(most, 0));
    set_function_value(driver, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, given);
    // Above what any kernel may have, the driver's own choice may leave no room for the second group.
    if (given + own > device_value(context, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)) {
        const std::uint32_t used = (given + own + kReservedBytes) * (is_enough ? groups : 1);
        set_function_value(driver, function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                           std::min((used * 100 + all - 1) / all, 100U));
    }
    return given;
}

CUdeviceptr globals_address(const Driver& driver, CUmodule module, const KernelDesc& desc) {
    if (desc.globals.size_bytes == 0) {
        return 0;
    }
    CUdeviceptr address = 0;
    std::size_t size = 0;
    const CUresult code =
        driver.cuModuleGetGlobal(&address, &size, module, desc.globals.cuda_symbol.c_str());
    if (code != CUDA_SUCCESS || size < desc.globals.size_bytes) {
        throw core::InternalError(core::text("create_kernel: '", desc.label, "' expected ",
                                             desc.globals.size_bytes, " bytes of globals in '",
                                             desc.globals.cuda_symbol, "', got ", size, " (",
                                             error_name(driver, code), ")"));
    }
    return address;
}

CUfunction find_function(const Driver& driver, CUmodule module, const KernelDesc& desc) {
    CUfunction function = nullptr;
    const CUresult code = driver.cuModuleGetFunction(&function, module, desc.entry_point.c_str());
    if (code == CUDA_ERROR_NOT_FOUND) {
        throw core::InternalError(core::text("create_kernel: '", desc.label,
                                             "' expected an entry point '", desc.entry_point,
                                             "' in its machine code, got none"));
    }
    check(driver, code, "cuModuleGetFunction", kDoing);
    return function;
}

} // namespace

std::optional<Module> try_load_module(const Context& context, std::span<const std::byte> image,
                                      const KernelDesc& desc, CUresult& reason) {
    const Driver& driver = context.driver();
    Module module;
    const CUresult code =
        driver.cuModuleLoadDataEx(&module.handle, image.data(), 0, nullptr, nullptr);
    reason = code;
    if (is_refused_image(code)) {
        return std::nullopt;
    }
    check(driver, code, "cuModuleLoadDataEx", kDoing);
    try {
        module.function = find_function(driver, module.handle, desc);
        module.parameter_bytes = parameter_bytes(driver, module.function, desc);
        module.globals_address = globals_address(driver, module.handle, desc);
        require_group_size(context, module.function, desc);
        module.shared_bytes = give_shared_bytes(context, module.function, desc);
    } catch (...) {
        driver.cuModuleUnload(module.handle);
        throw;
    }
    return module;
}

CudaKernel::CudaKernel(std::shared_ptr<CudaDevice> device, std::list<Module>::iterator module,
                       const KernelDesc& desc)
    : m_device(std::move(device)), m_module(module), m_label(desc.label),
      m_group_size(desc.group_size), m_argument_bytes(desc.argument_bytes),
      m_arguments_by_address(desc.arguments_by_address), m_global_bytes(desc.globals.size_bytes) {}

CudaKernel::~CudaKernel() {
    m_device->release_module(m_module);
}

} // namespace weft::device::cuda
