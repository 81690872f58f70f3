// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/device.hpp"

#include "core/text.hpp"
#include "device/checks.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <typeinfo>

namespace weft::device::vulkan {
namespace {

constexpr std::uint64_t kArgumentAlignment = 16;
constexpr std::uint64_t kMaxCachedSoftware = std::uint64_t{1} << 30;
constexpr std::uint64_t kFirstReadbackBlock = std::uint64_t{4} << 20;

/// Bytes before the globals in the host data of a dispatch.
std::uint64_t globals_offset(const Context& context, const VulkanKernel& kernel) {
    const std::uint64_t arguments = kernel.arguments_by_address() ? kernel.argument_bytes() : 0;
    const std::uint64_t alignment = context.adapter().uniform_alignment;
    return (arguments + alignment - 1) / alignment * alignment;
}

std::uint64_t host_data_bytes(const Context& context, const VulkanKernel& kernel) {
    if (kernel.globals().size_bytes > 0) {
        return globals_offset(context, kernel) + kernel.globals().size_bytes;
    }
    return kernel.arguments_by_address() ? kernel.argument_bytes() : 0;
}

void copy_bytes(std::byte* target, std::span<const std::byte> bytes) {
    std::copy(bytes.begin(), bytes.end(), target);
}

PoolDesc device_pool(const Context& context, std::shared_ptr<MemoryLimit> limit) {
    const DeviceInfo& info = context.adapter().info;
    return {.device_name = info.name,
            .max_cached = info.features.is_software ? kMaxCachedSoftware : info.memory_bytes / 4,
            .limit = std::move(limit)};
}

PoolDesc readback_pool(const Context& context) {
    return {.device_name = context.adapter().info.name + " (host memory)",
            .first_block = kFirstReadbackBlock,
            .max_cached = 0,
            .host_access = true};
}

} // namespace

VulkanDevice::VulkanDevice(std::shared_ptr<Instance> instance, const Adapter& adapter,
                           const DeviceDesc& desc)
    : Device(adapter.info), m_instance(std::move(instance)),
      m_first_message(m_instance->log().count()),
      m_context(std::make_unique<Context>(m_instance, adapter)),
      m_pipeline_cache(std::make_unique<PipelineCache>(*m_context, desc.cache_directory)),
      m_queue(std::make_unique<CommandQueue>(
          *m_context, adapter.info.features.is_software ? kSoftwareBatches : BatchLimits{})),
      m_limit(std::make_shared<MemoryLimit>(desc.memory_limit)), m_poll(desc.poll) {
    const QueueView view = queue_view();
    m_device_source =
        std::make_unique<BlockSource>(*m_context, m_context->adapter().memory.device, view);
    m_readback_source =
        std::make_unique<BlockSource>(*m_context, m_context->adapter().memory.readback, view);
    m_device_pool =
        std::make_unique<MemoryPool>(*m_device_source, device_pool(*m_context, m_limit));
    m_readback_pool = std::make_unique<MemoryPool>(*m_readback_source, readback_pool(*m_context));
    m_imports = std::make_unique<HostImports>(*m_context, view.completed);
    m_staging = std::make_unique<Staging>(*this, *m_context);
    if (m_context->adapter().max_loop_rounds != 0) {
        create_watch();
    }
}

QueueView VulkanDevice::queue_view() {
    return {.completed = [this] { return m_queue->completed(); }, .drain = [this] { drain(); }};
}

VulkanDevice::~VulkanDevice() {
    try {
        close_with({});
    } catch (const std::exception&) {
        m_is_closed = true; // a destructor has nobody to tell
    }
}

void VulkanDevice::require_open(std::string_view function) const {
    if (m_gate.is_closed()) {
        fail_closed(*this, function);
    }
    m_context->require_usable(function);
}

VulkanBuffer& VulkanDevice::own(const Buffer& buffer, std::string_view function) const {
    if (&buffer.device() != this) {
        fail_foreign_buffer(*this, buffer, function);
    }
    return const_cast<VulkanBuffer&>(
        static_cast<const VulkanBuffer&>(buffer)); // marks change, contents do not
}

VulkanKernel& VulkanDevice::own(Kernel& kernel) const {
    if (typeid(kernel) != typeid(VulkanKernel) ||
        static_cast<VulkanKernel&>(kernel).device() != this) {
        fail_foreign_kernel(*this);
    }
    return static_cast<VulkanKernel&>(kernel);
}

std::shared_ptr<Buffer> VulkanDevice::create_buffer(const BufferDesc& desc) {
    const UseGate::Use use(m_gate);
    require_open("create_buffer");
    if (desc.size_bytes == 0) {
        return std::make_shared<VulkanBuffer>(shared_from_this());
    }
    if (desc.size_bytes > m_info.limits.max_buffer_size) {
        throw core::DeviceError(core::text("create_buffer: '", desc.label, "' asks for ",
                                           desc.size_bytes, " bytes, device '", m_info.name,
                                           "' allows at most ", m_info.limits.max_buffer_size,
                                           " in one buffer; split the array"),
                                core::DeviceError::Kind::out_of_memory);
    }
    const bool is_readback = desc.memory == MemoryKind::readback;
    CudaSharing* const shared = is_readback ? nullptr : m_shared.load(std::memory_order_acquire);
    if (shared != nullptr) {
        order_returned_memory(*shared);
    }
    MemoryPool& pool = shared != nullptr ? shared->pool()
                       : is_readback     ? *m_readback_pool
                                         : *m_device_pool;
    const Allocation allocation = pool.allocate(desc.size_bytes, desc.label);
    auto buffer = std::make_shared<VulkanBuffer>(shared_from_this(), pool, allocation, is_readback);
    if (!m_queue->is_finished(allocation.ready)) {
        // The range is still in use: whoever had it before may have accessed it since the last
        // barrier.
        buffer->marks().read_epoch = buffer->marks().write_epoch = m_queue->epoch();
    }
    return buffer;
}

std::shared_ptr<Buffer> VulkanDevice::wrap_external(std::uint64_t address, std::uint64_t size_bytes,
                                                    std::shared_ptr<void> keep_alive) {
    const UseGate::Use use(m_gate);
    require_open("wrap_external");
    auto* const first = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
    const std::span range(first, static_cast<std::size_t>(size_bytes));
    const auto pages = m_info.features.host_memory
                           ? m_imports->try_import(range, std::move(keep_alive))
                           : std::nullopt;
    if (!pages) {
        return Device::wrap_external(address, size_bytes, nullptr); // says so
    }
    return std::make_shared<VulkanBuffer>(shared_from_this(), *m_imports, *pages, size_bytes);
}

std::shared_ptr<Kernel> VulkanDevice::create_kernel(const KernelDesc& desc) {
    const UseGate::Use use(m_gate);
    require_open("create_kernel");
    Pipeline pipeline =
        create_pipeline(*m_context, m_pipeline_cache->handle(), desc, m_watch.get());
    m_pipeline_cache->note_pipeline();
    std::list<Pipeline>::iterator slot;
    {
        const std::lock_guard lock(m_mutex);
        slot = m_pipelines.insert(m_pipelines.end(), std::move(pipeline));
    }
    return std::make_shared<VulkanKernel>(
        std::static_pointer_cast<VulkanDevice>(shared_from_this()), slot, desc);
}

RayQueries* VulkanDevice::ray_queries() {
    if (VulkanRayQueries* const made = m_tracing.load(std::memory_order_acquire);
        made != nullptr || !m_info.features.ray_query) {
        return made;
    }
    const UseGate::Use use(m_gate);
    require_open("ray_queries");
    const std::lock_guard lock(m_mutex);
    if (!m_ray_queries) {
        m_ray_queries = std::make_unique<VulkanRayQueries>(*this, queue_view(),
                                                           device_pool(*m_context, m_limit));
        m_queue->order_structures();
        m_tracing.store(m_ray_queries.get(), std::memory_order_release);
    }
    return m_ray_queries.get();
}

void VulkanDevice::release_pipeline(std::list<Pipeline>::iterator pipeline) noexcept {
    const std::lock_guard lock(m_mutex);
    if (!is_closed()) {
        m_retired.splice(m_retired.end(), m_pipelines, pipeline);
        drop_retired(m_queue->completed());
    }
}

void VulkanDevice::drop_retired(std::uint64_t completed) noexcept {
    m_retired.remove_if([&](const Pipeline& pipeline) { return pipeline.last_use <= completed; });
}

void VulkanDevice::check_dispatch(const Dispatch& dispatch, const VulkanKernel& kernel) const {
    if (dispatch.arguments.size() != kernel.argument_bytes() ||
        dispatch.globals.size() != kernel.globals().size_bytes) {
        throw core::InternalError(
            core::text("dispatch: '", kernel.label(), "' expected ", kernel.argument_bytes(),
                       " bytes of arguments and ", kernel.globals().size_bytes, " of globals, got ",
                       dispatch.arguments.size(), " and ", dispatch.globals.size()));
    }
    require_group_count(*this, dispatch, kernel.label());
    std::uint32_t bound = 0;
    for (const BufferUse& use : dispatch.buffers) {
        const VulkanBuffer& buffer = own(*use.buffer, "dispatch");
        if (use.binding < 0) {
            continue;
        }
        const auto slot = static_cast<std::uint32_t>(use.binding);
        const bool fits = use.size > 0 && use.offset <= buffer.size_bytes() &&
                          use.size <= buffer.size_bytes() - use.offset;
        if (slot >= kernel.storage_bindings() || !fits) {
            throw core::InternalError(core::text("dispatch: '", kernel.label(), "' binds [",
                                                 use.offset, ", ", use.offset + use.size, ") of a ",
                                                 buffer.size_bytes(), "-byte buffer to slot ", slot,
                                                 " of ", kernel.storage_bindings()));
        }
        bound |= 1U << slot;
    }
    if (static_cast<std::uint32_t>(std::popcount(bound)) != kernel.storage_bindings()) {
        throw core::InternalError(core::text("dispatch: '", kernel.label(), "' expected ",
                                             kernel.storage_bindings(), " bound buffers, got ",
                                             std::popcount(bound)));
    }
}

void VulkanDevice::wait_for_room(std::unique_lock<std::mutex>& lock, std::uint64_t size_bytes,
                                 std::string_view function) {
    while (const std::uint64_t value = m_queue->value_before_room(size_bytes, ring_alignment())) {
        const UseGate::Use use(m_gate); // keeps the queue while others may close the device
        require_open(function);
        lock.unlock();
        m_queue->wait_for(value, m_poll, function);
        lock.lock();
        require_open(function);
    }
}

std::uint64_t VulkanDevice::ring_alignment() const noexcept {
    return std::max<std::uint64_t>(kArgumentAlignment, m_context->adapter().uniform_alignment);
}

void VulkanDevice::dispatch(const Dispatch& dispatch) {
    std::unique_lock lock(m_mutex);
    require_open("dispatch");
    const VulkanKernel& kernel = own(*dispatch.kernel);
    check_dispatch(dispatch, kernel);
    const std::uint64_t groups =
        std::uint64_t{dispatch.group_count[0]} * dispatch.group_count[1] * dispatch.group_count[2];
    if (groups == 0) {
        return;
    }
    const std::uint64_t bytes = host_data_bytes(*m_context, kernel);
    wait_for_room(lock, bytes, "dispatch");
    const RingSlice host_data = bytes > 0 ? m_queue->take(bytes, ring_alignment()) : RingSlice{};
    order(dispatch);
    record(dispatch, kernel, host_data);
    kernel.pipeline()->last_use = m_queue->open_value();
    m_queue->finish_command(groups * kernel.threads_per_group());
}

void VulkanDevice::order(const Dispatch& dispatch) {
    for (const BufferUse& use : dispatch.buffers) {
        if (m_queue->conflicts(static_cast<VulkanBuffer*>(use.buffer)->marks(), use.access)) {
            m_queue->barrier();
            break;
        }
    }
    for (const BufferUse& use : dispatch.buffers) {
        m_queue->mark(static_cast<VulkanBuffer*>(use.buffer)->marks(), use.access);
    }
}

void VulkanDevice::record(const Dispatch& dispatch, const VulkanKernel& kernel,
                          const RingSlice& host_data) {
    const VolkDeviceTable& api = m_context->api();
    const VkCommandBuffer commands = m_queue->open();
    const Pipeline& pipeline = *kernel.pipeline();
    if (m_bound != pipeline.handle.get() || m_bound_in != m_queue->open_value()) {
        api.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle.get());
        m_bound = pipeline.handle.get();
        m_bound_in = m_queue->open_value();
    }
    if (kernel.arguments_by_address()) {
        copy_bytes(host_data.mapped, dispatch.arguments);
        api.vkCmdPushConstants(commands, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               sizeof host_data.address, &host_data.address);
    } else if (kernel.argument_bytes() > 0) {
        api.vkCmdPushConstants(commands, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               kernel.argument_bytes(), dispatch.arguments.data());
    }
    if (pipeline.report_offset != 0) {
        const VkDeviceAddress address = m_watch->address();
        api.vkCmdPushConstants(commands, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT,
                               pipeline.report_offset, sizeof address, &address);
    }
    if (!pipeline.sets.empty()) {
        bind_sets(dispatch, kernel, host_data);
    }
    api.vkCmdDispatch(commands, dispatch.group_count[0], dispatch.group_count[1],
                      dispatch.group_count[2]);
}

void VulkanDevice::bind_sets(const Dispatch& dispatch, const VulkanKernel& kernel,
                             const RingSlice& host_data) {
    const Pipeline& pipeline = *kernel.pipeline();
    std::array<VkDescriptorSet, kMaxSets> sets{};
    for (std::size_t i = 0; i < pipeline.sets.size(); ++i) {
        sets[i] = m_queue->allocate_set(pipeline.sets[i].get());
    }
    std::array<VkDescriptorBufferInfo, kMaxStorageBindings> storage{};
    for (const BufferUse& use : dispatch.buffers) {
        if (use.binding >= 0) {
            const auto& buffer = static_cast<const VulkanBuffer&>(*use.buffer);
            storage[static_cast<std::size_t>(use.binding)] = {
                buffer.handle(), buffer.offset() + use.offset, use.size};
        }
    }
    VkDescriptorBufferInfo globals{};
    std::array<VkWriteDescriptorSet, 2> writes{};
    std::uint32_t count = 0;
    const auto write = [&](VkDescriptorSet set, std::uint32_t binding, std::uint32_t descriptors,
                           VkDescriptorType type, const VkDescriptorBufferInfo* info) {
        writes[count++] = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                           .pNext = nullptr,
                           .dstSet = set,
                           .dstBinding = binding,
                           .dstArrayElement = 0,
                           .descriptorCount = descriptors,
                           .descriptorType = type,
                           .pImageInfo = nullptr,
                           .pBufferInfo = info,
                           .pTexelBufferView = nullptr};
    };
    if (kernel.storage_bindings() > 0) {
        write(sets[0], 0, kernel.storage_bindings(), VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
              storage.data());
    }
    if (const GlobalBlock& block = kernel.globals(); block.size_bytes > 0) {
        const std::uint64_t start = globals_offset(*m_context, kernel);
        copy_bytes(host_data.mapped + start, dispatch.globals);
        globals = {m_queue->ring_buffer(), host_data.offset + start, block.size_bytes};
        write(sets[block.vulkan_set], block.vulkan_binding, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
              &globals);
    }
    const VolkDeviceTable& api = m_context->api();
    api.vkUpdateDescriptorSets(m_context->handle(), count, writes.data(), 0, nullptr);
    api.vkCmdBindDescriptorSets(
        m_queue->open(), VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout.get(), 0,
        static_cast<std::uint32_t>(pipeline.sets.size()), sets.data(), 0, nullptr);
}

void VulkanDevice::flush() {
    const std::lock_guard lock(m_mutex);
    require_open("flush");
    m_queue->submit();
}

std::uint64_t VulkanDevice::submit_up_to(std::uint64_t value) {
    const std::lock_guard lock(m_mutex);
    if (value > m_queue->submitted()) {
        m_queue->submit();
    }
    return std::min(value, m_queue->submitted());
}

void VulkanDevice::wait(const InterruptPoll& poll) {
    const UseGate::Use use(m_gate);
    require_open("wait");
    m_queue->wait_for(submit_up_to(~std::uint64_t{0}), poll, "wait");
    check_loops(0, "wait");
}

void VulkanDevice::create_watch() {
    m_watched =
        try_allocate(*m_context, sizeof(std::uint32_t), m_context->adapter().memory.readback);
    if (!m_watched) {
        throw core::DeviceError(
            "create_device: the driver has no memory for four bytes; close other programs",
            core::DeviceError::Kind::out_of_memory);
    }
    std::memset(m_watched->mapped, 0, sizeof(std::uint32_t));
    m_watch = std::make_unique<LoopWatch>(m_watched->mapped, m_watched->address, m_info.name);
}

void VulkanDevice::check_loops(std::uint64_t written, std::string_view function) {
    if (m_watch) {
        m_watch->check(m_queue->completed(), m_queue->submitted(), written, function);
    }
}

std::uint64_t VulkanDevice::validation_message_count() const noexcept {
    return m_instance->log().count() - m_first_message;
}

std::vector<std::string> VulkanDevice::validation_messages() const {
    return m_instance->log().messages(m_first_message);
}

void VulkanDevice::close() {
    close_with(m_poll);
}

void VulkanDevice::close_with(const InterruptPoll& poll) {
    if (m_instance->can_call_driver()) {
        m_gate.close(poll);
    } else {
        m_gate.refuse(); // threads that a fork or the end of the process stopped never leave
    }
    const auto turn = core::lock_with_poll(m_closing, poll);
    if (is_closed()) {
        return;
    }
    std::exception_ptr failure;
    if (m_context->can_call_driver() && !m_context->is_lost()) {
        try {
            m_queue->wait_for(submit_up_to(~std::uint64_t{0}), poll, "close");
            m_pipeline_cache->save();
        } catch (const core::DeviceError&) {
            failure = std::current_exception(); // told once everything is released
            m_context->api().vkDeviceWaitIdle(m_context->handle());
        }
    }
    release_everything();
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void VulkanDevice::release_everything() {
    std::vector<std::shared_ptr<void>> owners; // of host memory; let go of without the lock
    const std::lock_guard lock(m_mutex);
    m_is_closed.store(true, std::memory_order_release);
    m_device_pool->close(); // the pools stay: living buffers still give their ranges back
    m_readback_pool->close();
    if (m_sharing) {
        m_sharing->close();
    }
    if (m_ray_queries) {
        m_ray_queries->close();
    }
    owners = m_imports->close();
    static_cast<void>(m_pinned.remove_all());
    if (m_context->can_call_driver()) {
        m_staging.reset();
    } else {
        static_cast<void>(m_staging.release()); // a forked child has none of its threads
    }
    m_retired.clear();
    m_pipelines.clear();
    m_watched.reset();
    m_queue.reset();
    m_pipeline_cache.reset();
    m_context.reset();
}

} // namespace weft::device::vulkan
