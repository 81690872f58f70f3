// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/command_queue.hpp"

#include <algorithm>
#include <chrono>

namespace weft::device::vulkan {
namespace {

constexpr std::uint64_t kPollNanoseconds = 50'000'000;
constexpr std::chrono::microseconds kSpin{100};
constexpr std::uint64_t kRingBytes = std::uint64_t{16} << 20;

UniqueCommandPool create_command_pool(const Context& context) {
    const VkCommandPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .pNext = nullptr,
                                       .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                       .queueFamilyIndex = context.adapter().queue_family};
    VkCommandPool pool = VK_NULL_HANDLE;
    context.check(context.api().vkCreateCommandPool(context.handle(), &info, nullptr, &pool),
                  "vkCreateCommandPool", "dispatch");
    return {context, pool};
}

VkCommandBuffer allocate_commands(const Context& context, VkCommandPool pool) {
    const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .pNext = nullptr,
                                           .commandPool = pool,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    context.check(context.api().vkAllocateCommandBuffers(context.handle(), &info, &commands),
                  "vkAllocateCommandBuffers", "dispatch");
    return commands;
}

} // namespace

UniqueSemaphore create_timeline(const Context& context, std::uint64_t value, bool is_exported,
                                std::string_view function) {
    const VkExportSemaphoreCreateInfo external{.sType =
                                                   VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                               .pNext = nullptr,
                                               .handleTypes = kExportedSemaphore};
    const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                         .pNext = is_exported ? &external : nullptr,
                                         .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                         .initialValue = value};
    const VkSemaphoreCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type, .flags = 0};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    context.check(context.api().vkCreateSemaphore(context.handle(), &info, nullptr, &semaphore),
                  "vkCreateSemaphore", function);
    return {context, semaphore};
}

CommandQueue::CommandQueue(const Context& context, BatchLimits limits)
    : m_context(context), m_limits(limits),
      m_timeline(create_timeline(context, 0, false, "create_device")), m_ring(context, kRingBytes) {
}

CommandQueue::~CommandQueue() = default;

void CommandQueue::retire() {
    const std::uint64_t done = completed();
    while (m_in_flight > 0 && m_batches[m_first].value <= done) {
        m_ring.release(m_batches[m_first].ring_position);
        m_first = (m_first + 1) % kBatches;
        --m_in_flight;
    }
}

CommandQueue::Batch& CommandQueue::next_batch() {
    retire();
    if (m_in_flight == m_limits.in_flight) {
        wait_for(m_batches[m_first].value, {}, "dispatch");
        retire();
    }
    return m_batches[(m_first + m_in_flight) % kBatches];
}

std::uint64_t CommandQueue::value_before_room(std::uint64_t size_bytes, std::uint64_t alignment) {
    if (m_open == VK_NULL_HANDLE && m_in_flight >= m_limits.in_flight) {
        retire();
        if (m_in_flight >= m_limits.in_flight) {
            return m_batches[m_first].value;
        }
    }
    if (size_bytes == 0 || m_ring.has_room(size_bytes, alignment)) {
        return 0;
    }
    retire();
    if (m_ring.has_room(size_bytes, alignment)) {
        return 0;
    }
    if (m_in_flight == 0) {
        submit();
    }
    return m_batches[m_first].value;
}

VkCommandBuffer CommandQueue::open() {
    if (m_open != VK_NULL_HANDLE) {
        return m_open;
    }
    submit(); // one that failed
    Batch& batch = next_batch();
    const VolkDeviceTable& api = m_context.api();
    if (!batch.pool) {
        UniqueCommandPool pool = create_command_pool(m_context);
        batch.commands = allocate_commands(m_context, pool.get());
        batch.pool = std::move(pool);
    } else {
        m_context.check(api.vkResetCommandPool(m_context.handle(), batch.pool.get(), 0),
                        "vkResetCommandPool", "dispatch");
        batch.descriptors.reset(m_context);
    }
    const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                        .pNext = nullptr,
                                        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
                                        .pInheritanceInfo = nullptr};
    m_context.check(api.vkBeginCommandBuffer(batch.commands, &info), "vkBeginCommandBuffer",
                    "dispatch");
    m_open = batch.commands;
    m_commands = 0;
    m_threads = 0;
    return m_open;
}

void CommandQueue::record_barrier(VkPipelineStageFlags stages, VkAccessFlags access) {
    const VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .pNext = nullptr,
                                  .srcAccessMask = m_scope.writes,
                                  .dstAccessMask = access};
    m_context.api().vkCmdPipelineBarrier(open(), m_scope.stages, stages, 0, 1, &barrier, 0, nullptr,
                                         0, nullptr);
}

bool CommandQueue::conflicts(const AccessMarks& marks, BufferAccess access) const noexcept {
    const std::uint64_t now = epoch();
    return marks.write_epoch == now || (access != BufferAccess::read && marks.read_epoch == now);
}

std::uint64_t CommandQueue::last_value() const noexcept {
    if (m_open != VK_NULL_HANDLE) {
        return m_open_value;
    }
    return m_ended != VK_NULL_HANDLE ? m_open_value - 1 : submitted();
}

void CommandQueue::order_structures() noexcept {
    m_scope.stages |= VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR;
    m_scope.writes |= VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR;
    m_scope.reads |= VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR;
}

void CommandQueue::barrier() {
    record_barrier(m_scope.stages, m_scope.reads | m_scope.writes);
    m_epoch.store(epoch() + 1, std::memory_order_relaxed);
}

void CommandQueue::mark(AccessMarks& marks, BufferAccess access) const noexcept {
    marks.last_use = open_value();
    if (access != BufferAccess::write) {
        marks.read_epoch = epoch();
    }
    if (access != BufferAccess::read) {
        marks.write_epoch = epoch();
        marks.last_write = open_value();
    }
}

RingSlice CommandQueue::take(std::uint64_t size_bytes, std::uint64_t alignment) {
    for (;;) {
        open();
        if (const std::optional<RingSlice> slice = m_ring.try_take(size_bytes, alignment)) {
            return *slice;
        }
        retire();
        if (const std::optional<RingSlice> slice = m_ring.try_take(size_bytes, alignment)) {
            return *slice;
        }
        if (m_in_flight == 0) {
            submit();
        }
        wait_for(m_batches[m_first].value, {}, "upload");
        retire();
    }
}

VkDescriptorSet CommandQueue::allocate_set(VkDescriptorSetLayout layout) {
    open();
    return m_batches[(m_first + m_in_flight) % kBatches].descriptors.allocate(m_context, layout);
}

void CommandQueue::finish_command(std::uint64_t threads) {
    ++m_commands;
    m_threads += threads;
    if (m_commands >= m_limits.commands || m_threads >= m_limits.threads) {
        submit();
    }
}

void CommandQueue::end_open() {
    // Signalling a semaphore makes writes available, but only this barrier makes them visible to
    // the host.
    record_barrier(VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    const VkCommandBuffer commands = m_open;
    m_open = VK_NULL_HANDLE;
    const VkResult result = m_context.api().vkEndCommandBuffer(commands);
    if (result < VK_SUCCESS) {
        m_context.mark_lost(); // with the commands go results that were promised
    }
    m_context.check(result, "vkEndCommandBuffer", "flush");
    m_ended = commands;
    ++m_open_value;
}

void CommandQueue::submit() {
    if (m_open != VK_NULL_HANDLE) {
        end_open();
    }
    if (m_ended == VK_NULL_HANDLE) {
        return;
    }
    const VolkDeviceTable& api = m_context.api();
    const std::uint64_t value = submitted() + 1;
    const std::array signals{m_timeline.get(), m_exported.get()};
    const std::array signal_values{value, value};
    const std::uint32_t signal_count = m_exported ? 2 : 1;
    const std::vector<VkPipelineStageFlags> stages(m_waits.size(),
                                                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    const auto waits = static_cast<std::uint32_t>(m_waits.size());
    const VkTimelineSemaphoreSubmitInfo values{.sType =
                                                   VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                               .pNext = nullptr,
                                               .waitSemaphoreValueCount = waits,
                                               .pWaitSemaphoreValues = m_wait_values.data(),
                                               .signalSemaphoreValueCount = signal_count,
                                               .pSignalSemaphoreValues = signal_values.data()};
    const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                            .pNext = &values,
                            .waitSemaphoreCount = waits,
                            .pWaitSemaphores = m_waits.data(),
                            .pWaitDstStageMask = stages.data(),
                            .commandBufferCount = 1,
                            .pCommandBuffers = &m_ended,
                            .signalSemaphoreCount = signal_count,
                            .pSignalSemaphores = signals.data()};
    m_context.check(api.vkQueueSubmit(m_context.queue(), 1, &info, VK_NULL_HANDLE), "vkQueueSubmit",
                    "flush"); // if it fails, m_ended is submitted the next time
    m_ended = VK_NULL_HANDLE;
    m_waits.clear();
    m_wait_values.clear();
    Batch& batch = m_batches[(m_first + m_in_flight) % kBatches];
    batch.value = value;
    batch.ring_position = m_ring.position();
    ++m_in_flight;
    m_submitted.store(value, std::memory_order_release);
}

void CommandQueue::wait_before_next(VkSemaphore semaphore, std::uint64_t value) {
    const auto found = std::ranges::find(m_waits, semaphore);
    if (found != m_waits.end()) {
        m_wait_values[static_cast<std::size_t>(found - m_waits.begin())] = value;
        return;
    }
    m_waits.push_back(semaphore);
    m_wait_values.push_back(value);
}

VkSemaphore CommandQueue::export_timeline() {
    m_exported = create_timeline(m_context, submitted(), true, "share_with_cuda");
    return m_exported.get();
}

std::uint64_t CommandQueue::completed() const noexcept {
    if (!m_context.can_call_driver()) {
        return m_completed.load(std::memory_order_relaxed);
    }
    std::uint64_t value = 0;
    if (m_context.api().vkGetSemaphoreCounterValue(m_context.handle(), m_timeline.get(), &value) !=
        VK_SUCCESS) {
        return m_completed.load(std::memory_order_relaxed);
    }
    m_completed.store(value, std::memory_order_relaxed);
    return value;
}

bool CommandQueue::is_finished(std::uint64_t value) const noexcept {
    return m_completed.load(std::memory_order_relaxed) >= value || completed() >= value;
}

/// Short work ends sooner than a sleeping thread wakes up. A software device needs the core itself.
bool CommandQueue::finishes_while_spinning(std::uint64_t value) const noexcept {
    if (m_context.adapter().info.features.is_software) {
        return is_finished(value);
    }
    const auto end = std::chrono::steady_clock::now() + kSpin;
    while (!is_finished(value)) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
    }
    return true;
}

void CommandQueue::wait_for(std::uint64_t value, const InterruptPoll& poll,
                            std::string_view function) const {
    if (finishes_while_spinning(value)) {
        return;
    }
    const VkSemaphore semaphore = m_timeline.get();
    const VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                   .pNext = nullptr,
                                   .flags = 0,
                                   .semaphoreCount = 1,
                                   .pSemaphores = &semaphore,
                                   .pValues = &value};
    for (;;) {
        const VkResult result =
            m_context.api().vkWaitSemaphores(m_context.handle(), &info, kPollNanoseconds);
        m_context.check(result, "vkWaitSemaphores", function);
        if (result != VK_TIMEOUT) {
            return;
        }
        if (poll) {
            poll();
        }
    }
}

} // namespace weft::device::vulkan
