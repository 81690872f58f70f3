// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/context.hpp"

#include "core/text.hpp"
#include "device/pool.hpp"
#include "device/vulkan/memory.hpp"
#include "device/vulkan/result.hpp"

#include <algorithm>

namespace weft::device::vulkan {

Context::Context(std::shared_ptr<Instance> instance, Adapter adapter)
    : m_instance(std::move(instance)), m_adapter(std::move(adapter)) {
    create_device();
    m_instance->load_device_table(m_api, m_handle);
    m_api.vkGetDeviceQueue(m_handle, m_adapter.queue_family, 0, &m_queue);
    try {
        narrow_memory_types();
    } catch (...) {
        m_api.vkDestroyDevice(m_handle, nullptr);
        throw;
    }
}

Context::~Context() {
    if (can_call_driver()) {
        m_api.vkDestroyDevice(m_handle, nullptr);
    }
}

void Context::create_device() {
    const std::vector<const char*>& extensions = m_adapter.extensions;
    const auto has = [&](std::string_view name) {
        return std::find(extensions.begin(), extensions.end(), name) != extensions.end();
    };
    m_adapter.features.link(chained_extensions(has));
    constexpr float kPriority = 1.0F;
    const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .pNext = nullptr,
                                        .flags = 0,
                                        .queueFamilyIndex = m_adapter.queue_family,
                                        .queueCount = 1,
                                        .pQueuePriorities = &kPriority};
    const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = &m_adapter.features.core,
                                  .flags = 0,
                                  .queueCreateInfoCount = 1,
                                  .pQueueCreateInfos = &queue,
                                  .enabledLayerCount = 0,
                                  .ppEnabledLayerNames = nullptr,
                                  .enabledExtensionCount =
                                      static_cast<std::uint32_t>(extensions.size()),
                                  .ppEnabledExtensionNames = extensions.data(),
                                  .pEnabledFeatures = nullptr};
    vulkan::check(m_instance->api().create_device(m_adapter.handle, &info, nullptr, &m_handle),
                  "vkCreateDevice", core::text("create_device: ", m_adapter.info.name));
}

std::optional<MemoryTypes> Context::memory_types(VkBufferUsageFlags more_usage,
                                                 std::string_view function) const {
    VkBufferCreateInfo info = buffer_info(MemoryPool::kAlignment);
    info.usage |= more_usage;
    VkBuffer probe = VK_NULL_HANDLE;
    vulkan::check(m_api.vkCreateBuffer(m_handle, &info, nullptr, &probe), "vkCreateBuffer",
                  function);
    VkMemoryRequirements requirements{};
    m_api.vkGetBufferMemoryRequirements(m_handle, probe, &requirements);
    m_api.vkDestroyBuffer(m_handle, probe, nullptr);
    return choose_memory_types(m_adapter, requirements.memoryTypeBits);
}

/// Which types a buffer may live in is known only now.
void Context::narrow_memory_types() {
    const std::optional<MemoryTypes> types = memory_types(0, "create_device");
    if (!types) {
        throw core::DeviceError(
            core::text("create_device: ", m_adapter.info.name,
                       " has no memory type for storage buffers; update the driver"),
            core::DeviceError::Kind::unavailable);
    }
    m_adapter.memory = *types;
}

void Context::require_usable(std::string_view function) const {
    if (m_instance->is_exiting()) {
        throw core::DeviceError(
            core::text(function, ": device '", m_adapter.info.name,
                       "' cannot be used while the process exits; finish its work before"));
    }
    if (!can_call_driver()) {
        throw core::DeviceError(core::text(
            function,
            ": expected the process that created the device, got a child forked from it, where '",
            m_adapter.info.name,
            "' cannot be used; start workers with multiprocessing's 'spawn' method"));
    }
    if (is_lost()) {
        throw core::DeviceError(core::text(function, ": device '", m_adapter.info.name,
                                           "' was lost earlier; create a new device"));
    }
}

void Context::check(VkResult result, const char* call, std::string_view function) const {
    if (result == VK_ERROR_DEVICE_LOST) {
        m_is_lost.store(true, std::memory_order_relaxed);
    }
    vulkan::check(result, call, function);
}

} // namespace weft::device::vulkan
