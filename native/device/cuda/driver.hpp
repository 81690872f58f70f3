// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/shared_library.hpp"

#include <cuda.h>

#include <filesystem>
#include <memory>

// The functions of the CUDA driver that Weft calls. cuda.h maps some names to a later version
// (cuMemAlloc -> cuMemAlloc_v2); the table follows that mapping, and so do calls through it.
#define WEFT_CUDA_REQUIRED_FUNCTIONS(X)                                                            \
    X(cuCtxGetCurrent)                                                                             \
    X(cuCtxPopCurrent)                                                                             \
    X(cuCtxPushCurrent)                                                                            \
    X(cuCtxSetCurrent)                                                                             \
    X(cuCtxSynchronize)                                                                            \
    X(cuDeviceGet)                                                                                 \
    X(cuDeviceGetAttribute)                                                                        \
    X(cuDeviceGetCount)                                                                            \
    X(cuDeviceGetName)                                                                             \
    X(cuDevicePrimaryCtxRelease)                                                                   \
    X(cuDevicePrimaryCtxRetain)                                                                    \
    X(cuDeviceTotalMem)                                                                            \
    X(cuDriverGetVersion)                                                                          \
    X(cuEventCreate)                                                                               \
    X(cuEventDestroy)                                                                              \
    X(cuEventQuery)                                                                                \
    X(cuEventRecord)                                                                               \
    X(cuEventSynchronize)                                                                          \
    X(cuFuncGetAttribute)                                                                          \
    X(cuFuncSetAttribute)                                                                          \
    X(cuGetErrorName)                                                                              \
    X(cuGetErrorString)                                                                            \
    X(cuGraphAddKernelNode)                                                                        \
    X(cuGraphAddMemcpyNode)                                                                        \
    X(cuGraphCreate)                                                                               \
    X(cuGraphDestroy)                                                                              \
    X(cuGraphExecDestroy)                                                                          \
    X(cuGraphInstantiateWithFlags)                                                                 \
    X(cuGraphLaunch)                                                                               \
    X(cuInit)                                                                                      \
    X(cuLaunchKernel)                                                                              \
    X(cuMemAlloc)                                                                                  \
    X(cuMemFree)                                                                                   \
    X(cuMemFreeHost)                                                                               \
    X(cuMemGetInfo)                                                                                \
    X(cuMemHostAlloc)                                                                              \
    X(cuMemHostGetDevicePointer)                                                                   \
    X(cuMemHostRegister)                                                                           \
    X(cuMemHostUnregister)                                                                         \
    X(cuMemcpyAsync)                                                                               \
    X(cuMemsetD32Async)                                                                            \
    X(cuModuleGetFunction)                                                                         \
    X(cuModuleGetGlobal)                                                                           \
    X(cuModuleLoadDataEx)                                                                          \
    X(cuModuleUnload)                                                                              \
    X(cuStreamIsCapturing)                                                                         \
    X(cuStreamQuery)                                                                               \
    X(cuStreamSynchronize)                                                                         \
    X(cuStreamWaitEvent)                                                                           \
    X(cuThreadExchangeStreamCaptureMode)

/// Null where the driver is older than the function.
#define WEFT_CUDA_OPTIONAL_FUNCTIONS(X)                                                            \
    X(cuDestroyExternalMemory)                                                                     \
    X(cuDestroyExternalSemaphore)                                                                  \
    X(cuDeviceGetUuid)                                                                             \
    X(cuExternalMemoryGetMappedBuffer)                                                             \
    X(cuFuncGetParamInfo)                                                                          \
    X(cuImportExternalMemory)                                                                      \
    X(cuImportExternalSemaphore)                                                                   \
    X(cuSignalExternalSemaphoresAsync)                                                             \
    X(cuWaitExternalSemaphoresAsync)

namespace weft::device::cuda {

/// The driver's functions, found at run time. Immutable; the library stays loaded until the process ends,
/// because the driver's own threads and exit handlers run its code.
struct Driver {
    /// Loads `library`, by default the system's own driver, and calls cuInit.
    /// @throws DeviceError{unavailable} that says what is missing and how to get it.
    [[nodiscard]] static std::shared_ptr<const Driver>
    load(const std::filesystem::path& library = {});

#define WEFT_CUDA_MEMBER(name) decltype(&::name) name = nullptr;
    WEFT_CUDA_REQUIRED_FUNCTIONS(WEFT_CUDA_MEMBER)
    WEFT_CUDA_OPTIONAL_FUNCTIONS(WEFT_CUDA_MEMBER)
#undef WEFT_CUDA_MEMBER

    int version = 0; ///< CUDA version that the driver speaks: 13000 is 13.0
};

} // namespace weft::device::cuda
