// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/device.hpp"

#include "core/file.hpp"
#include "core/text.hpp"
#include "device/checks.hpp"
#include "device/cuda/stream_order.hpp"

#include <algorithm>
#include <typeinfo>

namespace weft::device::cuda {
namespace {

constexpr std::uint64_t kFirstReadbackBlock = std::uint64_t{1} << 20;

PoolDesc device_pool(const DeviceInfo& info, std::shared_ptr<MemoryLimit> limit) {
    return {
        .device_name = info.name, .max_cached = info.memory_bytes / 4, .limit = std::move(limit)};
}

PoolDesc readback_pool(const DeviceInfo& info) {
    return {.device_name = info.name + " (host memory)",
            .first_block = kFirstReadbackBlock,
            .max_cached = 0,
            .host_access = true};
}

KernelCompiler::Desc compiler_desc(const Driver& driver, const Adapter& adapter,
                                   const DeviceDesc& desc) {
    return {.architecture = adapter.architecture,
            .search = {.directories = desc.library_directories, .driver_version = driver.version},
            .cache_directory = core::path_from_utf8(desc.cache_directory),
            .is_debug = desc.debug};
}

} // namespace

CudaDevice::CudaDevice(const std::shared_ptr<const Driver>& driver, const Adapter& adapter,
                       const DeviceDesc& desc)
    : Device(adapter.info), m_context(std::make_unique<Context>(driver, adapter.device)),
      m_queue(std::make_unique<CommandQueue>(*m_context)),
      m_ring(std::make_unique<UploadRing>(*m_context, *m_queue)),
      m_staging(std::make_unique<Staging>(*m_context, *m_queue)),
      m_limit(std::make_shared<MemoryLimit>(desc.memory_limit)),
      m_device_source(std::make_unique<BlockSource>(*m_context, *m_queue, MemoryKind::device)),
      m_readback_source(std::make_unique<BlockSource>(*m_context, *m_queue, MemoryKind::readback)),
      m_device_pool(std::make_unique<MemoryPool>(*m_device_source, device_pool(m_info, m_limit))),
      m_readback_pool(std::make_unique<MemoryPool>(*m_readback_source, readback_pool(m_info))),
      m_compiler(compiler_desc(*driver, adapter, desc)), m_poll(desc.poll), m_is_debug(desc.debug) {
}

CudaDevice::~CudaDevice() {
    if (!m_context->is_usable()) {
        static_cast<void>(
            m_ring.release()); // a forked child must not touch what the parent's driver holds
        static_cast<void>(m_staging.release());
        static_cast<void>(m_order.release());
        return;
    }
    close_with({});
}

void CudaDevice::require_open(std::string_view function) const {
    m_context->require_usable(function);
    if (m_gate.is_closed()) [[unlikely]] {
        fail_closed(*this, function);
    }
}

const CudaBuffer& CudaDevice::own(const Buffer& buffer, std::string_view function) const {
    if (&buffer.device() != this) [[unlikely]] {
        fail_foreign_buffer(*this, buffer, function);
    }
    return static_cast<const CudaBuffer&>(buffer);
}

const CudaKernel& CudaDevice::own(const Kernel& kernel) const {
    if (typeid(kernel) != typeid(CudaKernel) ||
        static_cast<const CudaKernel&>(kernel).device() != this) [[unlikely]] {
        fail_foreign_kernel(*this);
    }
    return static_cast<const CudaKernel&>(kernel);
}

MemoryInfo CudaDevice::memory_info() const {
    const UseGate::Use use(m_gate);
    require_open("memory_info");
    MemoryInfo info = m_device_pool->statistics();
    add(info, m_readback_pool->statistics());
    return info;
}

std::uint64_t CudaDevice::trim(const InterruptPoll& poll) {
    wait(poll);
    const UseGate::Use use(m_gate);
    require_open("trim");
    std::uint64_t bytes = 0;
    {
        const std::lock_guard lock(m_mutex);
        const CurrentContext current(*m_context);
        m_queue->wait_for(m_queue->submitted(), {}, "trim"); // what another thread added since
        bytes += m_ring->trim();
    }
    const CurrentContext current(*m_context);
    bytes += m_staging->trim(poll);
    return bytes + m_device_pool->trim() + m_readback_pool->trim();
}

void CudaDevice::set_memory_limit(std::uint64_t bytes) {
    const UseGate::Use use(m_gate);
    require_open("set_memory_limit");
    m_limit->set(bytes);
    if (m_limit->left() == 0) {
        wait(m_poll);
        m_device_pool->trim();
    }
}

std::shared_ptr<Buffer> CudaDevice::create_buffer(const BufferDesc& desc) {
    const UseGate::Use use(m_gate);
    require_open("create_buffer");
    if (desc.size_bytes == 0) {
        return std::make_shared<CudaBuffer>(shared_from_this());
    }
    MemoryPool& pool = desc.memory == MemoryKind::readback ? *m_readback_pool : *m_device_pool;
    const Allocation allocation = pool.allocate(desc.size_bytes, desc.label);
    return std::make_shared<CudaBuffer>(shared_from_this(), pool, *m_context, *m_queue, allocation);
}

std::shared_ptr<Buffer> CudaDevice::wrap_external(std::uint64_t address, std::uint64_t size_bytes,
                                                  std::shared_ptr<void> keep_alive) {
    require_open("wrap_external");
    return std::make_shared<CudaBuffer>(shared_from_this(), address, size_bytes,
                                        std::move(keep_alive), false);
}

std::shared_ptr<Buffer> CudaDevice::lend(std::uint64_t address, std::uint64_t size_bytes,
                                         std::shared_ptr<void> keep_alive) {
    require_open("lend");
    return std::make_shared<CudaBuffer>(shared_from_this(), address, size_bytes,
                                        std::move(keep_alive), true);
}

std::shared_ptr<Kernel> CudaDevice::create_kernel(const KernelDesc& desc) {
    const UseGate::Use use(m_gate);
    require_open("create_kernel");
    if (!desc.arguments_by_address && desc.argument_bytes > m_info.limits.max_inline_arguments) {
        throw core::InternalError(core::text("create_kernel: '", desc.label, "' expected at most ",
                                             m_info.limits.max_inline_arguments,
                                             " bytes of arguments by value, got ",
                                             desc.argument_bytes));
    }
    const Module module = load_module(desc);
    std::list<Module>::iterator slot;
    {
        const std::lock_guard lock(m_mutex);
        slot = m_modules.insert(m_modules.end(), module);
    }
    return std::make_shared<CudaKernel>(std::static_pointer_cast<CudaDevice>(shared_from_this()),
                                        slot, desc);
}

Module CudaDevice::load_module(const KernelDesc& desc) {
    const CurrentContext current(*m_context);
    const BesideCapture unhindered(m_context->driver());
    KernelCompiler::Image image = m_compiler.compile(desc);
    CUresult reason = CUDA_SUCCESS;
    if (const auto module = try_load_module(*m_context, image.bytes, desc, reason)) {
        return *module;
    }
    m_compiler.forget(image);
    if (image.is_cached) {
        image = m_compiler.compile(desc);
        if (const auto module = try_load_module(*m_context, image.bytes, desc, reason)) {
            return *module;
        }
        m_compiler.forget(image);
    }
    fail(m_context->driver(), reason, "cuModuleLoadDataEx",
         core::text("create_kernel: '", desc.label, "'"));
}

void CudaDevice::release_module(std::list<Module>::iterator module) noexcept {
    if (!m_context->is_usable()) {
        return;
    }
    const std::lock_guard lock(m_mutex);
    if (!is_closed()) {
        m_retired.splice(m_retired.end(), m_modules, module);
        drop_retired();
    }
}

void CudaDevice::drop_retired() noexcept {
    if (m_retired.empty()) {
        return;
    }
    try {
        const CurrentContext current(*m_context);
        const BesideCapture unhindered(m_context->driver());
        m_retired.remove_if([&](const Module& module) {
            const bool is_finished =
                !module.is_used_elsewhere && module.last_use <= m_queue->completed();
            if (is_finished) {
                m_context->driver().cuModuleUnload(module.handle);
            }
            return is_finished;
        });
    } catch (const std::exception&) {
        // Ignored: no context to enter, as the driver is shutting down, and the modules go with it.
    }
}

void CudaDevice::check_dispatch(const Dispatch& dispatch, const CudaKernel& kernel) const {
    if (dispatch.arguments.size() != kernel.argument_bytes() ||
        dispatch.globals.size() != kernel.global_bytes()) [[unlikely]] {
        throw core::InternalError(
            core::text("dispatch: '", kernel.label(), "' expected ", kernel.argument_bytes(),
                       " bytes of arguments and ", kernel.global_bytes(), " of globals, got ",
                       dispatch.arguments.size(), " and ", dispatch.globals.size()));
    }
    require_group_count(*this, dispatch, kernel.label());
    for (const BufferUse& use : dispatch.buffers) {
        own(*use.buffer, "dispatch");
    }
}

void CudaDevice::dispatch(const Dispatch& dispatch) {
    m_context->require_usable(
        "dispatch"); // before the lock, which a forked child may find taken for ever
    const std::lock_guard lock(m_mutex);
    require_open("dispatch");
    const CudaKernel& kernel = own(*dispatch.kernel);
    check_dispatch(dispatch, kernel);
    if (std::ranges::find(dispatch.group_count, 0U) != dispatch.group_count.end()) {
        return;
    }
    const CurrentContext current(*m_context);
    const CUstream theirs = foreign_stream(dispatch.stream);
    if (theirs == nullptr) {
        launch_in_queue(kernel, dispatch);
    } else if (const std::string reason = reason_for_queue(kernel, dispatch); reason.empty()) {
        launch(kernel, dispatch, dispatch.arguments, theirs);
    } else {
        require_not_captured(m_context->driver(), theirs, kernel.label(), reason);
        order(theirs, m_queue->stream(), "dispatch");
        launch_in_queue(kernel, dispatch);
        order(m_queue->stream(), theirs, "dispatch");
    }
}

void CudaDevice::launch_in_queue(const CudaKernel& kernel, const Dispatch& dispatch) {
    if (!dispatch.globals.empty()) {
        queue_upload(kernel.module().globals_address, dispatch.globals, "dispatch");
    }
    if (kernel.arguments_by_address()) {
        launch_by_address(kernel, dispatch);
    } else {
        launch(kernel, dispatch, dispatch.arguments, m_queue->stream());
    }
}

void CudaDevice::launch(const CudaKernel& kernel, const Dispatch& dispatch,
                        std::span<const std::byte> arguments, CUstream stream) {
    // No buffer is retained: whoever gets its memory next runs later in this stream.
    const Driver& driver = m_context->driver();
    const LaunchArguments parameters(arguments, kernel.module().parameter_bytes);
    const auto& groups = dispatch.group_count;
    const auto& threads = kernel.group_size();
    const CUresult code = driver.cuLaunchKernel(
        kernel.module().function, groups[0], groups[1], groups[2], threads[0], threads[1],
        threads[2], kernel.module().shared_bytes, stream, nullptr, parameters.extra());
    check(driver, code, "cuLaunchKernel",
          [&] { return core::text("dispatch: '", kernel.label(), "'"); });
    if (stream == m_queue->stream()) {
        kernel.module().last_use = m_queue->note_submission();
    } else {
        kernel.module().is_used_elsewhere = true;
        m_has_work_elsewhere.store(true, std::memory_order_release);
    }
    if (m_is_debug) [[unlikely]] {
        require_success(kernel, stream);
    }
}

void CudaDevice::launch_by_address(const CudaKernel& kernel, const Dispatch& dispatch) {
    const Allocation memory = m_device_pool->allocate(dispatch.arguments.size(), "arguments");
    try {
        queue_upload(memory.address(), dispatch.arguments, "dispatch");
        const std::uint64_t address = memory.address();
        launch(kernel, dispatch, std::as_bytes(std::span(&address, 1)), m_queue->stream());
    } catch (...) {
        m_device_pool->free(memory, m_queue->submitted());
        throw;
    }
    m_device_pool->free(memory, m_queue->submitted());
}

void CudaDevice::require_success(const CudaKernel& kernel, CUstream stream) const {
    const Driver& driver = m_context->driver();
    if (is_captured(driver, stream)) {
        return; // nothing has run
    }
    check(driver, driver.cuStreamSynchronize(stream), "cuStreamSynchronize",
          [&] { return core::text("dispatch: '", kernel.label(), "'"); });
}

void CudaDevice::flush() {
    require_open("flush"); // the driver submits every call by itself
}

void CudaDevice::wait(const InterruptPoll& poll) {
    const UseGate::Use use(m_gate);
    require_open("wait");
    const CurrentContext current(*m_context);
    m_queue->wait_for(m_queue->submitted(), poll, "wait");
    if (m_has_work_elsewhere.exchange(false, std::memory_order_acq_rel)) {
        const Driver& driver = m_context->driver();
        const BesideCapture unhindered(driver);
        check(driver, driver.cuCtxSynchronize(), "cuCtxSynchronize", "wait");
    }
}

std::uint64_t CudaDevice::native_context() const noexcept {
    return is_closed() ? 0 : reinterpret_cast<std::uintptr_t>(m_context->handle());
}

std::uint64_t CudaDevice::native_stream() const noexcept {
    return is_closed() ? 0 : reinterpret_cast<std::uintptr_t>(m_queue->stream());
}

void CudaDevice::close() {
    m_context->require_usable("close");
    close_with(m_poll);
}

void CudaDevice::close_with(const InterruptPoll& poll) {
    m_gate.close(poll);
    const auto turn = core::lock_with_poll(m_closing, poll);
    if (is_closed()) {
        return;
    }
    try {
        const CurrentContext current(*m_context);
        if (poll) { // else releasing waits
            m_queue->wait_for(m_queue->submitted(), poll, "close");
        }
    } catch (const core::DeviceError&) {
        // Ignored: a lost context; releasing goes on as far as it can.
    }
    const std::lock_guard lock(m_mutex);
    release_everything();
    m_is_closed.store(true, std::memory_order_release);
}

void CudaDevice::release_everything() noexcept {
    try {
        const CurrentContext current(*m_context);
        const Driver& driver = m_context->driver();
        const BesideCapture unhindered(driver);
        // A lost context fails here, and releasing goes on.
        driver.cuStreamSynchronize(m_queue->stream());
        if (m_has_work_elsewhere.load(std::memory_order_acquire)) {
            driver.cuCtxSynchronize();
        }
        for (const Graph& graph : m_graphs) {
            driver.cuGraphExecDestroy(graph.handle);
        }
        for (const std::list<Module>* const modules : {&m_modules, &m_retired}) {
            for (const Module& module : *modules) {
                driver.cuModuleUnload(module.handle);
            }
        }
        m_retired.clear();
        m_ring.reset();
        m_staging.reset();
        m_order.reset();
        for (std::byte* const pages : m_pinned.remove_all()) {
            driver.cuMemHostUnregister(pages);
        }
    } catch (const std::exception&) {
        static_cast<void>(
            m_ring.release()); // no context to enter: the driver took it along at its shutdown
        static_cast<void>(m_staging.release());
        static_cast<void>(m_order.release());
    }
    m_device_pool->close();
    m_readback_pool->close();
    m_context->release();
}

} // namespace weft::device::cuda
