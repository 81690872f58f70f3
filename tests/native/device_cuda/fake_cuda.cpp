// SPDX-License-Identifier: Apache-2.0
// Contexts, devices, memory and the queue of the fake driver. Start reading at push() and run_to().
#include "device_cuda/fake_cuda_state.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

namespace weft::test::fake {
namespace {

std::unique_ptr<FakeCuda>& holder() {
    static auto fake = std::make_unique<FakeCuda>();
    return fake;
}

CUctx_st& context_of(int device) {
    static std::array<CUctx_st, 2> contexts{{{0}, {1}}};
    return contexts.at(static_cast<std::size_t>(device));
}

thread_local CUstreamCaptureMode t_capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
thread_local std::vector<CUcontext> t_contexts; // the stack of this thread; the last one is current

/// Where these fail nobody can do anything, and what they keep is lost.
bool gives_back(std::string_view name) {
    constexpr std::array kWords{"Free",    "Destroy", "Unload",  "Unregister",
                                "Release", "Pop",     "GetError"};
    return std::ranges::any_of(
        kWords, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

CUcontext current_context() {
    return t_contexts.empty() ? nullptr : t_contexts.back();
}

} // namespace

FakeCuda& state() {
    return *holder();
}

FakeCuda& start_over() {
    holder() = std::make_unique<FakeCuda>();
    t_contexts.clear();
    return *holder();
}

CUresult enter(const char* function) {
    FakeCuda& fake = state();
    ++fake.calls[function];
    if (!gives_back(function) && ++fake.call_count == fake.failing_call) {
        return CUDA_ERROR_UNKNOWN;
    }
    const auto failure = fake.failures.find(function);
    return failure == fake.failures.end() ? CUDA_SUCCESS : failure->second;
}

CUresult enter_context(const char* function) {
    const CUresult result = enter(function);
    const CUcontext current = current_context();
    if (result != CUDA_SUCCESS) {
        return result;
    }
    const bool is_live =
        current != nullptr && state().retained.at(static_cast<std::size_t>(current->device)) > 0;
    return is_live ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

std::uint64_t position() {
    return state().executed + state().queue.size();
}

void run_to(std::uint64_t end) {
    FakeCuda& fake = state();
    while (fake.executed < end && !fake.queue.empty()) {
        const std::function<void()> work = std::move(fake.queue.front());
        fake.queue.erase(fake.queue.begin());
        ++fake.executed;
        work();
    }
}

void push(std::function<void()> work) {
    state().queue.push_back(std::move(work));
    if (state().runs_by_itself) {
        run_to(position());
    }
}

CUresult require_stream(CUstream stream) {
    return stream == nullptr || stream == CU_STREAM_LEGACY ? CUDA_SUCCESS
                                                           : CUDA_ERROR_INVALID_HANDLE;
}

FakeCuda::Stream* find_stream(CUstream stream) {
    const auto found = state().streams.find(reinterpret_cast<std::uintptr_t>(stream));
    return found == state().streams.end() ? nullptr : &found->second;
}

void* to_host(CUdeviceptr address) {
    return reinterpret_cast<void*>(
        static_cast<std::uintptr_t>(address)); // NOLINT: device memory is host memory
}

} // namespace weft::test::fake

namespace {

using weft::test::FakeCuda;
using namespace weft::test::fake;

/// What CUDA forbids while a stream is captured, unless this thread said that it means it.
CUresult require_relaxed() {
    for (auto& [handle, stream] : state().streams) {
        if (stream.is_captured && t_capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
            return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    }
    return CUDA_SUCCESS;
}

CUresult query(std::uint64_t end) {
    if (const CUresult hindered = require_relaxed(); hindered != CUDA_SUCCESS) {
        return hindered;
    }
    if (state().busy_queries > 0) {
        --state().busy_queries;
        return CUDA_ERROR_NOT_READY;
    }
    run_to(end);
    return CUDA_SUCCESS;
}

} // namespace

extern "C" {

WEFT_FAKE_EXPORT weft::test::FakeCuda* weft_fake_cuda() {
    return &start_over();
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuInit(unsigned) {
    WEFT_FAKE_ENTER(enter);
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuDriverGetVersion(int* version) {
    WEFT_FAKE_ENTER(enter);
    *version = state().driver_version;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuGetErrorName(CUresult error, const char** name) {
    static const std::map<CUresult, const char*> names{
        {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
        {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
        {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
        {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
        {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
        {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
        {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
    };
    const auto found = names.find(error);
    *name = found == names.end() ? nullptr : found->second;
    return found == names.end() ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuGetErrorString(CUresult, const char** text) {
    *text = "a fake error";
    return CUDA_SUCCESS;
}

/// NVRTC asks the driver for tables of its own, if there is a driver, and takes a no.
WEFT_FAKE_EXPORT CUresult CUDAAPI cuGetExportTable(const void** table, const CUuuid*) {
    *table = nullptr;
    return CUDA_ERROR_NOT_FOUND;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuDeviceGetCount(int* count) {
    WEFT_FAKE_ENTER(enter);
    *count = state().device_count;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuDeviceGet(CUdevice* device, int index) {
    WEFT_FAKE_ENTER(enter);
    *device = index;
    return index < state().device_count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuDeviceGetName(char* name, int length, CUdevice device) {
    WEFT_FAKE_ENTER(enter);
    const std::string text = "Fake GPU " + std::to_string(device);
    std::strncpy(name, text.c_str(), static_cast<std::size_t>(length));
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
    WEFT_FAKE_ENTER(enter);
    *bytes = state().memory_bytes;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute which,
                                                       CUdevice device) {
    WEFT_FAKE_ENTER(enter);
    switch (which) {
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 0x7fffffff; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: *value = 65535; break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: *value = 64; break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 49152; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 227 << 10; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = 228 << 10; break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: *value = 65536; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = device == 0 ? 9 : 8; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = device == 0 ? 0 : 6; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    WEFT_FAKE_ENTER(enter);
    ++state().retained.at(static_cast<std::size_t>(device));
    *context = &context_of(device);
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device) {
    WEFT_FAKE_ENTER(enter);
    --state().retained.at(static_cast<std::size_t>(device));
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuCtxGetCurrent(CUcontext* context) {
    *context = current_context();
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
    WEFT_FAKE_ENTER(enter);
    if (!t_contexts.empty()) {
        t_contexts.pop_back();
    }
    if (context != nullptr) {
        t_contexts.push_back(context);
    }
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) {
    WEFT_FAKE_ENTER(enter);
    t_contexts.push_back(context);
    ++state().context_depth;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuCtxPopCurrent(CUcontext* context) {
    WEFT_FAKE_ENTER(enter);
    if (t_contexts.empty()) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    *context = t_contexts.back();
    t_contexts.pop_back();
    --state().context_depth;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemAlloc(CUdeviceptr* address, std::size_t size) {
    WEFT_FAKE_ENTER(enter_context);
    if (const CUresult hindered = require_relaxed(); hindered != CUDA_SUCCESS) {
        return hindered;
    }
    FakeCuda& fake = state();
    if (fake.device_bytes + size > fake.memory_bytes) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    void* const memory = ::operator new(size, std::align_val_t{512});
    std::memset(memory, 0xCD, size);
    fake.device_blocks[memory] = size;
    fake.device_bytes += size;
    fake.peak_device_bytes = std::max(fake.peak_device_bytes, fake.device_bytes);
    *address = reinterpret_cast<std::uintptr_t>(memory);
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
    WEFT_FAKE_ENTER(enter_context);
    run_to(position()); // as the real one does: freeing waits for the device
    FakeCuda& fake = state();
    const auto block = fake.device_blocks.find(to_host(address));
    if (block == fake.device_blocks.end()) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    fake.device_bytes -= block->second;
    ::operator delete(block->first, std::align_val_t{512});
    fake.device_blocks.erase(block);
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemGetInfo(std::size_t* available, std::size_t* total) {
    WEFT_FAKE_ENTER(enter_context);
    *available = state().memory_bytes - state().device_bytes;
    *total = state().memory_bytes;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemHostAlloc(void** memory, std::size_t size, unsigned) {
    WEFT_FAKE_ENTER(enter_context);
    *memory = ::operator new(size, std::align_val_t{4096});
    std::memset(*memory, 0xCD, size);
    state().host_blocks[*memory] = size;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemFreeHost(void* memory) {
    WEFT_FAKE_ENTER(enter_context);
    run_to(position());
    if (state().host_blocks.erase(memory) == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    ::operator delete(memory, std::align_val_t{4096});
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemHostRegister(void* memory, std::size_t size, unsigned) {
    WEFT_FAKE_ENTER(enter_context);
    state().pinned[memory] = size;
    return reinterpret_cast<std::uintptr_t>(memory) % 4096 == 0 && size % 4096 == 0
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemHostUnregister(void* memory) {
    WEFT_FAKE_ENTER(enter_context);
    return state().pinned.erase(memory) == 1 ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory,
                                                            unsigned) {
    WEFT_FAKE_ENTER(enter_context);
    *address = reinterpret_cast<std::uintptr_t>(memory);
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source,
                                                std::size_t size, CUstream stream) {
    WEFT_FAKE_ENTER(enter_context);
    push([=] { std::memmove(to_host(target), to_host(source), size); });
    return require_stream(stream);
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr target, unsigned word,
                                                   std::size_t count, CUstream stream) {
    WEFT_FAKE_ENTER(enter_context);
    push([=] { std::fill_n(static_cast<unsigned*>(to_host(target)), count, word); });
    return require_stream(stream);
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuStreamQuery(CUstream) {
    WEFT_FAKE_ENTER(enter_context);
    return query(position());
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuStreamSynchronize(CUstream) {
    WEFT_FAKE_ENTER(enter_context);
    run_to(position());
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuEventCreate(CUevent* event, unsigned) {
    WEFT_FAKE_ENTER(enter_context);
    *event = new CUevent_st;
    ++state().live_events;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuEventDestroy(CUevent event) {
    WEFT_FAKE_ENTER(enter_context);
    delete event;
    --state().live_events;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
    WEFT_FAKE_ENTER(enter_context);
    event->stream = find_stream(stream);
    event->position = event->stream == nullptr ? position() : event->stream->queue.size();
    return event->stream == nullptr ? require_stream(stream) : CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
    WEFT_FAKE_ENTER(enter_context);
    const auto wait = [recorded = *event] {
        if (recorded.stream != nullptr) {
            recorded.stream->run_to(recorded.position);
        } else {
            run_to(recorded.position);
        }
    };
    if (FakeCuda::Stream* const other = find_stream(stream)) {
        other->queue.emplace_back(wait);
        return CUDA_SUCCESS;
    }
    push(wait);
    return require_stream(stream);
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuStreamIsCapturing(CUstream stream,
                                                      CUstreamCaptureStatus* status) {
    WEFT_FAKE_ENTER(enter_context);
    const FakeCuda::Stream* const found = find_stream(stream);
    *status = found != nullptr && found->is_captured ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                                     : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuCtxSynchronize() {
    WEFT_FAKE_ENTER(enter_context);
    run_to(position());
    for (auto& [handle, stream] : state().streams) {
        stream.run_to(stream.queue.size());
    }
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    std::swap(*mode, t_capture_mode);
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuEventQuery(CUevent event) {
    WEFT_FAKE_ENTER(enter_context);
    return query(event->position);
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuEventSynchronize(CUevent event) {
    WEFT_FAKE_ENTER(enter_context);
    run_to(event->position);
    return CUDA_SUCCESS;
}

} // extern "C"
