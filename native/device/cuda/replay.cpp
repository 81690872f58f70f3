// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/replay.hpp"

#include "device/cuda/device.hpp"

#include <algorithm>
#include <array>

namespace weft::device::cuda {
namespace {

constexpr const char* kDoing = "submit";

constexpr std::uint64_t align(std::uint64_t size) noexcept {
    return (size + MemoryPool::kAlignment - 1) / MemoryPool::kAlignment * MemoryPool::kAlignment;
}

bool is_empty(const Dispatch& dispatch) noexcept {
    return std::ranges::find(dispatch.group_count, 0U) != dispatch.group_count.end();
}

const CudaKernel& kernel_of(const Dispatch& dispatch) noexcept {
    return static_cast<const CudaKernel&>(*dispatch.kernel);
}

/// Calls visit(dispatch, offset of the arguments, offset of the globals) for every dispatch that runs; returns the
/// bytes of all constants.
template <typename Visit>
std::uint64_t for_each(std::span<const Dispatch> dispatches, const Visit& visit) {
    std::uint64_t offset = 0;
    for (const Dispatch& dispatch : dispatches) {
        if (is_empty(dispatch)) {
            continue;
        }
        const std::uint64_t arguments = offset;
        offset += kernel_of(dispatch).arguments_by_address() ? align(dispatch.arguments.size()) : 0;
        const std::uint64_t globals = offset;
        offset += align(dispatch.globals.size());
        visit(dispatch, arguments, globals);
    }
    return offset;
}

/// A graph under construction; every node runs after the one before it.
class Chain {
public:
    explicit Chain(const Context& context) : m_context(context), m_driver(context.driver()) {
        check(m_driver, m_driver.cuGraphCreate(&m_graph, 0), "cuGraphCreate", kDoing);
    }
    ~Chain() { m_driver.cuGraphDestroy(m_graph); }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    void add_copy(CUdeviceptr target, CUdeviceptr source, std::size_t size) {
        CUDA_MEMCPY3D copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = source;
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = target;
        copy.WidthInBytes = size;
        copy.Height = 1;
        copy.Depth = 1;
        CUgraphNode node = nullptr;
        check(m_driver,
              m_driver.cuGraphAddMemcpyNode(&node, m_graph, previous(), previous_count(), &copy,
                                            m_context.handle()),
              "cuGraphAddMemcpyNode", kDoing);
        m_last = node;
    }

    void add_kernel(const Dispatch& dispatch, const LaunchArguments& arguments) {
        const CudaKernel& kernel = kernel_of(dispatch);
        CUDA_KERNEL_NODE_PARAMS parameters{};
        parameters.func = kernel.module().function;
        parameters.gridDimX = dispatch.group_count[0];
        parameters.gridDimY = dispatch.group_count[1];
        parameters.gridDimZ = dispatch.group_count[2];
        parameters.blockDimX = kernel.group_size()[0];
        parameters.blockDimY = kernel.group_size()[1];
        parameters.blockDimZ = kernel.group_size()[2];
        parameters.sharedMemBytes = kernel.module().shared_bytes;
        parameters.extra = arguments.extra();
        CUgraphNode node = nullptr;
        check(m_driver,
              m_driver.cuGraphAddKernelNode(&node, m_graph, previous(), previous_count(),
                                            &parameters),
              "cuGraphAddKernelNode", kDoing);
        m_last = node;
    }

    CUgraphExec instantiate() const {
        CUgraphExec executable = nullptr;
        check(m_driver, m_driver.cuGraphInstantiateWithFlags(&executable, m_graph, 0),
              "cuGraphInstantiateWithFlags", kDoing);
        return executable;
    }

private:
    const CUgraphNode* previous() const noexcept { return m_last != nullptr ? &m_last : nullptr; }
    std::size_t previous_count() const noexcept { return m_last != nullptr ? 1 : 0; }

    const Context& m_context;
    const Driver& m_driver;
    CUgraph m_graph = nullptr;
    CUgraphNode m_last = nullptr;
};

} // namespace

std::uint64_t constant_bytes(std::span<const Dispatch> dispatches) {
    return for_each(dispatches, [](const Dispatch&, std::uint64_t, std::uint64_t) {});
}

void write_constants(std::span<const Dispatch> dispatches, std::byte* target) {
    for_each(dispatches,
             [&](const Dispatch& dispatch, std::uint64_t arguments, std::uint64_t globals) {
                 if (kernel_of(dispatch).arguments_by_address()) {
                     std::ranges::copy(dispatch.arguments, target + arguments);
                 }
                 std::ranges::copy(dispatch.globals, target + globals);
             });
}

CUgraphExec build_graph(const Context& context, std::span<const Dispatch> dispatches,
                        CUdeviceptr constants) {
    Chain chain(context);
    for_each(
        dispatches, [&](const Dispatch& dispatch, std::uint64_t arguments, std::uint64_t globals) {
            const CudaKernel& kernel = kernel_of(dispatch);
            if (!dispatch.globals.empty()) {
                chain.add_copy(kernel.module().globals_address, constants + globals,
                               dispatch.globals.size());
            }
            const std::uint64_t address = constants + arguments;
            chain.add_kernel(dispatch, LaunchArguments(kernel.arguments_by_address()
                                                           ? std::as_bytes(std::span(&address, 1))
                                                           : dispatch.arguments,
                                                       kernel.module().parameter_bytes));
        });
    return chain.instantiate();
}

CudaReplay::~CudaReplay() {
    m_device->release_graph(m_graph);
}

void CudaReplay::submit() {
    m_device->launch_graph(*m_graph);
}

} // namespace weft::device::cuda
