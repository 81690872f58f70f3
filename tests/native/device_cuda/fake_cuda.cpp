// SPDX-License-Identifier: Apache-2.0
// Start reading at the queue (push, run_to), then cuLaunchKernel. An "image" is machine code of the real NVRTC, or
// text that fake_nvrtc.cpp makes:
//   IMAGE
//   kernel <name> <bytes of parameters>
//   global <name> <bytes>
#include "device_cuda/fake_cuda.hpp"

#include "device_cuda/fake_cubin.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string_view>

#if defined(_WIN32)
#define WEFT_FAKE_EXPORT __declspec(dllexport)
#else
#define WEFT_FAKE_EXPORT __attribute__((visibility("default")))
#endif

struct CUctx_st {
    int device = 0;
};

struct CUfunc_st {
    std::string name;
    std::size_t parameter_bytes = 0;
    CUmodule module = nullptr;
};

struct CUmod_st {
    std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
    std::map<std::string, std::vector<std::byte>> globals;
};

struct CUevent_st {
    std::uint64_t position = 0; ///< work queued before it
};

struct CUgraphNode_st {
    std::function<void()> run;
};

struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

struct CUgraphExec_st {
    std::vector<std::function<void()>> work;
};

namespace {

using weft::test::FakeCuda;
using weft::test::FakeLaunch;

std::unique_ptr<FakeCuda>& holder() {
    static auto fake = std::make_unique<FakeCuda>();
    return fake;
}

FakeCuda& state() {
    return *holder();
}

CUctx_st& context_of(int device) {
    static std::array<CUctx_st, 2> contexts{{{0}, {1}}};
    return contexts.at(static_cast<std::size_t>(device));
}

thread_local std::vector<CUcontext> t_contexts; // the stack of this thread; the last one is current

CUcontext current_context() {
    return t_contexts.empty() ? nullptr : t_contexts.back();
}

/// Counts the call; what the test wants it to return.
CUresult enter(const char* function) {
    FakeCuda& fake = state();
    ++fake.calls[function];
    const auto failure = fake.failures.find(function);
    return failure == fake.failures.end() ? CUDA_SUCCESS : failure->second;
}

/// The same for a function that needs a live context.
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

CUresult query(std::uint64_t end) {
    if (state().busy_queries > 0) {
        --state().busy_queries;
        return CUDA_ERROR_NOT_READY;
    }
    run_to(end);
    return CUDA_SUCCESS;
}

CUresult require_stream(CUstream stream) {
    return stream == nullptr || stream == CU_STREAM_LEGACY ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

std::vector<std::byte> parameters_of(const CUfunc_st& function, void** extra) {
    std::vector<std::byte> bytes(function.parameter_bytes);
    if (extra == nullptr) {
        return bytes;
    }
    const void* data = nullptr;
    std::size_t size = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            data = extra[1];
        } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            size = *static_cast<const std::size_t*>(extra[1]);
        }
    }
    std::memcpy(bytes.data(), data, std::min(size, bytes.size()));
    return bytes;
}

bool has_parameters(const CUfunc_st& function, void** extra) {
    if (extra == nullptr) {
        return function.parameter_bytes == 0;
    }
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            return *static_cast<const std::size_t*>(extra[1]) == function.parameter_bytes;
        }
    }
    return false;
}

std::function<void()> work_of(CUfunction function, std::array<unsigned, 3> grid, std::array<unsigned, 3> block,
                              void** extra) {
    const auto kernel = state().kernels.find(function->name);
    if (kernel == state().kernels.end()) {
        return [] {};
    }
    return [run = kernel->second, launch = FakeLaunch{.grid = grid,
                                                      .block = block,
                                                      .parameters = parameters_of(*function, extra),
                                                      .globals = &function->module->globals}] { run(launch); };
}

void* to_host(CUdeviceptr address) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); // NOLINT: device memory is host memory
}

void add_kernel(CUmod_st& module, const std::string& name, std::size_t parameter_bytes) {
    module.functions[name] = std::make_unique<CUfunc_st>(CUfunc_st{name, parameter_bytes, &module});
}

CUresult parse_image(const char* image, CUmod_st& module) {
    if (weft::test::is_cubin(image)) {
        const weft::test::CubinContents contents = weft::test::read_cubin(image);
        for (const auto& [kernel, size] : contents.kernels) {
            add_kernel(module, kernel, size);
        }
        for (const auto& [global, size] : contents.globals) {
            module.globals[global].resize(size);
        }
        return CUDA_SUCCESS;
    }
    std::istringstream lines{std::string(image)};
    std::string word;
    if (!(lines >> word) || word != "IMAGE") {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    std::string name;
    std::size_t bytes = 0;
    while (lines >> word >> name >> bytes) {
        if (word == "kernel") {
            add_kernel(module, name, bytes);
        } else {
            module.globals[name].resize(bytes);
        }
    }
    return CUDA_SUCCESS;
}

using Lock = std::lock_guard<std::recursive_mutex>;

} // namespace

#define WEFT_FAKE_ENTER(check)                                                                     \
    const Lock lock(state().mutex);                                                                \
    if (const CUresult entered = check(__func__); entered != CUDA_SUCCESS) {                       \
        return entered;                                                                            \
    }                                                                                              \
    static_assert(true)

extern "C" {

WEFT_FAKE_EXPORT weft::test::FakeCuda* weft_fake_cuda() {
    holder() = std::make_unique<FakeCuda>();
    t_contexts.clear();
    return holder().get();
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

WEFT_FAKE_EXPORT CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
    WEFT_FAKE_ENTER(enter);
    switch (which) {
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
        *value = 0x7fffffff;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
        *value = 65535;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 1024;
        break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
        *value = 32;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        *value = 49152;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = device == 0 ? 9 : 8;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = device == 0 ? 0 : 6;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
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

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned) {
    WEFT_FAKE_ENTER(enter_context);
    *address = reinterpret_cast<std::uintptr_t>(memory);
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, std::size_t size,
                                                CUstream stream) {
    WEFT_FAKE_ENTER(enter_context);
    push([=] { std::memmove(to_host(target), to_host(source), size); });
    return require_stream(stream);
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr target, unsigned word, std::size_t count,
                                                   CUstream stream) {
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
    event->position = position();
    return require_stream(stream);
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

WEFT_FAKE_EXPORT CUresult CUDAAPI cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*,
                                                     void**) {
    WEFT_FAKE_ENTER(enter_context);
    auto loaded = std::make_unique<CUmod_st>();
    if (const CUresult parsed = parse_image(static_cast<const char*>(image), *loaded); parsed != CUDA_SUCCESS) {
        return parsed;
    }
    *module = loaded.release();
    ++state().live_modules;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuModuleUnload(CUmodule module) {
    WEFT_FAKE_ENTER(enter_context);
    delete module;
    --state().live_modules;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    WEFT_FAKE_ENTER(enter_context);
    const auto found = module->functions.find(name);
    if (found == module->functions.end()) {
        return CUDA_ERROR_NOT_FOUND;
    }
    *function = found->second.get();
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr* address, std::size_t* size, CUmodule module,
                                                    const char* name) {
    WEFT_FAKE_ENTER(enter_context);
    const auto found = module->globals.find(name);
    if (found == module->globals.end()) {
        return CUDA_ERROR_NOT_FOUND;
    }
    *address = reinterpret_cast<std::uintptr_t>(found->second.data());
    *size = found->second.size();
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
    WEFT_FAKE_ENTER(enter_context);
    *value = state().max_threads;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                                                     std::size_t* size) {
    WEFT_FAKE_ENTER(enter);
    if (index > 0 || function->parameter_bytes == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *offset = 0;
    *size = function->parameter_bytes;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                                 unsigned block_z, unsigned, CUstream stream, void**,
                                                 void** extra) {
    WEFT_FAKE_ENTER(enter_context);
    if (grid_x * grid_y * grid_z == 0 || !has_parameters(*function, extra)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    push(work_of(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, extra));
    return require_stream(stream);
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuGraphCreate(CUgraph* graph, unsigned) {
    WEFT_FAKE_ENTER(enter);
    *graph = new CUgraph_st;
    ++state().live_graphs;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuGraphDestroy(CUgraph graph) {
    WEFT_FAKE_ENTER(enter);
    delete graph;
    --state().live_graphs;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph,
                                                       const CUgraphNode* dependencies, std::size_t count,
                                                       const CUDA_KERNEL_NODE_PARAMS* parameters) {
    WEFT_FAKE_ENTER(enter);
    const bool is_chain = graph->nodes.empty() ? count == 0 : count == 1 && *dependencies == graph->nodes.back().get();
    if (!is_chain || !has_parameters(*parameters->func, parameters->extra)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    graph->nodes.push_back(std::make_unique<CUgraphNode_st>(CUgraphNode_st{
        work_of(parameters->func, {parameters->gridDimX, parameters->gridDimY, parameters->gridDimZ},
                {parameters->blockDimX, parameters->blockDimY, parameters->blockDimZ}, parameters->extra)}));
    *node = graph->nodes.back().get();
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph,
                                                       const CUgraphNode* dependencies, std::size_t count,
                                                       const CUDA_MEMCPY3D* copy, CUcontext) {
    WEFT_FAKE_ENTER(enter);
    const bool is_chain = graph->nodes.empty() ? count == 0 : count == 1 && *dependencies == graph->nodes.back().get();
    if (!is_chain || copy->Height != 1 || copy->Depth != 1) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    graph->nodes.push_back(std::make_unique<CUgraphNode_st>(CUgraphNode_st{
        [target = copy->dstDevice, source = copy->srcDevice, size = copy->WidthInBytes] {
            std::memmove(to_host(target), to_host(source), size);
        }}));
    *node = graph->nodes.back().get();
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph,
                                                              unsigned long long) {
    WEFT_FAKE_ENTER(enter_context);
    auto made = std::make_unique<CUgraphExec_st>();
    for (const auto& node : graph->nodes) {
        made->work.push_back(node->run);
    }
    *executable = made.release();
    ++state().live_graphs;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec executable) {
    WEFT_FAKE_ENTER(enter_context);
    delete executable;
    --state().live_graphs;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuGraphLaunch(CUgraphExec executable, CUstream stream) {
    WEFT_FAKE_ENTER(enter_context);
    for (const std::function<void()>& work : executable->work) {
        push(work);
    }
    return require_stream(stream);
}

} // extern "C"
