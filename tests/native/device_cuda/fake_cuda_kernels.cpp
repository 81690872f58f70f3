// SPDX-License-Identifier: Apache-2.0
// Modules, launches and graphs of the fake driver. An "image" is machine code of the real NVRTC, or text that
// fake_nvrtc.cpp makes:
//   IMAGE
//   kernel <name> <bytes of parameters>
//   global <name> <bytes>
#include "device_cuda/fake_cubin.hpp"
#include "device_cuda/fake_cuda_state.hpp"

#include <algorithm>
#include <sstream>

struct CUfunc_st {
    std::string name;
    std::size_t parameter_bytes = 0;
    CUmodule module = nullptr;
    int most_shared_bytes = 0; ///< beside its own
};

struct CUmod_st {
    std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
    std::map<std::string, std::vector<std::byte>> globals;
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

using weft::test::FakeLaunch;
using namespace weft::test::fake;

constexpr int kMaxSharedBytes = 227 << 10;

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

std::function<void()> work_of(CUfunction function, std::array<unsigned, 3> grid,
                              std::array<unsigned, 3> block, void** extra) {
    const auto kernel = state().kernels.find(function->name);
    if (kernel == state().kernels.end()) {
        return [] {};
    }
    return [run = kernel->second, launch = FakeLaunch{.grid = grid,
                                                      .block = block,
                                                      .parameters = parameters_of(*function, extra),
                                                      .globals = &function->module->globals}] {
        run(launch);
    };
}

void add_kernel(CUmod_st& module, const std::string& name, std::size_t parameter_bytes) {
    auto function = std::make_unique<CUfunc_st>();
    function->name = name;
    function->parameter_bytes = parameter_bytes;
    function->module = &module;
    module.functions[name] = std::move(function);
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
    std::string size;
    // Not through the stream: with libstdc++ linked into both this library and its program, as on Ubuntu
    // 24.04, it reads every number as 0.
    while (lines >> word >> name >> size) {
        const std::size_t bytes = std::stoull(size);
        if (word == "kernel") {
            add_kernel(module, name, bytes);
        } else {
            module.globals[name].resize(bytes);
        }
    }
    return CUDA_SUCCESS;
}

} // namespace

extern "C" {

WEFT_FAKE_EXPORT CUresult CUDAAPI cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned,
                                                     CUjit_option*, void**) {
    WEFT_FAKE_ENTER(enter_context);
    auto loaded = std::make_unique<CUmod_st>();
    if (const CUresult parsed = parse_image(static_cast<const char*>(image), *loaded);
        parsed != CUDA_SUCCESS) {
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

WEFT_FAKE_EXPORT CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule module,
                                                      const char* name) {
    WEFT_FAKE_ENTER(enter_context);
    const auto found = module->functions.find(name);
    if (found == module->functions.end()) {
        return CUDA_ERROR_NOT_FOUND;
    }
    *function = found->second.get();
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr* address, std::size_t* size,
                                                    CUmodule module, const char* name) {
    WEFT_FAKE_ENTER(enter_context);
    const auto found = module->globals.find(name);
    if (found == module->globals.end()) {
        return CUDA_ERROR_NOT_FOUND;
    }
    *address = reinterpret_cast<std::uintptr_t>(found->second.data());
    *size = found->second.size();
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuFuncGetAttribute(int* value, CUfunction_attribute which,
                                                     CUfunction) {
    WEFT_FAKE_ENTER(enter_context);
    *value = which == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? state().shared_bytes
             : which == CU_FUNC_ATTRIBUTE_NUM_REGS        ? state().registers
                                                          : state().max_threads;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuFuncSetAttribute(CUfunction function,
                                                     CUfunction_attribute which, int value) {
    WEFT_FAKE_ENTER(enter_context);
    if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        return CUDA_SUCCESS;
    }
    if (value < 0 || value + state().shared_bytes > kMaxSharedBytes) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    function->most_shared_bytes = value;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, std::size_t index,
                                                     std::size_t* offset, std::size_t* size) {
    WEFT_FAKE_ENTER(enter);
    if (index > 0 || function->parameter_bytes == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *offset = 0;
    *size = function->parameter_bytes;
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned grid_x,
                                                 unsigned grid_y, unsigned grid_z, unsigned block_x,
                                                 unsigned block_y, unsigned block_z,
                                                 unsigned shared_bytes, CUstream stream, void**,
                                                 void** extra) {
    WEFT_FAKE_ENTER(enter_context);
    if (grid_x * grid_y * grid_z == 0 || !has_parameters(*function, extra)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (shared_bytes > static_cast<unsigned>(function->most_shared_bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    state().given_shared_bytes = shared_bytes;
    auto work = work_of(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, extra);
    if (weft::test::FakeCuda::Stream* const other = find_stream(stream)) {
        other->queue.push_back(std::move(work));
        return CUDA_SUCCESS;
    }
    push(std::move(work));
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
                                                       const CUgraphNode* dependencies,
                                                       std::size_t count,
                                                       const CUDA_KERNEL_NODE_PARAMS* parameters) {
    WEFT_FAKE_ENTER(enter);
    const bool is_chain = graph->nodes.empty()
                              ? count == 0
                              : count == 1 && *dependencies == graph->nodes.back().get();
    if (!is_chain || !has_parameters(*parameters->func, parameters->extra)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    graph->nodes.push_back(std::make_unique<CUgraphNode_st>(CUgraphNode_st{work_of(
        parameters->func, {parameters->gridDimX, parameters->gridDimY, parameters->gridDimZ},
        {parameters->blockDimX, parameters->blockDimY, parameters->blockDimZ},
        parameters->extra)}));
    *node = graph->nodes.back().get();
    return CUDA_SUCCESS;
}

WEFT_FAKE_EXPORT CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph,
                                                       const CUgraphNode* dependencies,
                                                       std::size_t count, const CUDA_MEMCPY3D* copy,
                                                       CUcontext) {
    WEFT_FAKE_ENTER(enter);
    const bool is_chain = graph->nodes.empty()
                              ? count == 0
                              : count == 1 && *dependencies == graph->nodes.back().get();
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

WEFT_FAKE_EXPORT CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec* executable,
                                                              CUgraph graph, unsigned long long) {
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
