// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/vulkan/adapter.hpp"
#include "device/vulkan/api.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace weft::device::vulkan {

/// The logical device and its function table: what every file of the backend works with. Outlives
/// all of it.
class Context {
public:
    Context(std::shared_ptr<Instance> instance, Adapter adapter);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    const Instance& instance() const noexcept { return *m_instance; }
    const Adapter& adapter() const noexcept { return m_adapter; }
    const VolkDeviceTable& api() const noexcept { return m_api; }
    VkDevice handle() const noexcept { return m_handle; }
    VkQueue queue() const noexcept { return m_queue; }

    /// False in a child after fork() and once the process exits: driver objects are then left
    /// alone.
    bool can_call_driver() const noexcept { return m_instance->can_call_driver(); }
    bool is_lost() const noexcept { return m_is_lost.load(std::memory_order_relaxed); }
    /// @throws DeviceError if the device was lost or this is a child after fork(). `function` is
    ///         Weft's own.
    void require_usable(std::string_view function) const;
    /// Later calls say that the device was lost.
    void mark_lost() const noexcept { m_is_lost.store(true, std::memory_order_relaxed); }
    /// Types of memory for Weft's buffers with more usage than the usual; nullopt if there are none.
    std::optional<MemoryTypes> memory_types(VkBufferUsageFlags more_usage,
                                            std::string_view function) const;
    /// vulkan::check() that remembers a lost device.
    void check(VkResult result, const char* call, std::string_view function) const;

private:
    void create_device();
    void narrow_memory_types();

    std::shared_ptr<Instance> m_instance;
    Adapter m_adapter;
    VkDevice m_handle = VK_NULL_HANDLE;
    VkQueue m_queue = VK_NULL_HANDLE;
    VolkDeviceTable m_api{};
    mutable std::atomic<bool> m_is_lost{false};
};

/// Owns one device-level object. `kDestroy` is a member of VolkDeviceTable. Empty, or bound to a
/// living Context.
template <typename Object, auto kDestroy>
class Handle {
public:
    Handle() noexcept = default;
    Handle(const Context& context, Object object) noexcept
        : m_context(&context), m_object(object) {}
    Handle(Handle&& other) noexcept
        : m_context(other.m_context),
          m_object(std::exchange(other.m_object, Object{VK_NULL_HANDLE})) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(m_context, other.m_context);
        std::swap(m_object, other.m_object);
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (m_object != VK_NULL_HANDLE && m_context->can_call_driver()) {
            (m_context->api().*kDestroy)(m_context->handle(), m_object, nullptr);
        }
    }
    Object get() const noexcept { return m_object; }
    explicit operator bool() const noexcept { return m_object != VK_NULL_HANDLE; }

private:
    const Context* m_context = nullptr;
    Object m_object = VK_NULL_HANDLE;
};

using UniqueBuffer = Handle<VkBuffer, &VolkDeviceTable::vkDestroyBuffer>;
using UniqueMemory = Handle<VkDeviceMemory, &VolkDeviceTable::vkFreeMemory>;
using UniqueSemaphore = Handle<VkSemaphore, &VolkDeviceTable::vkDestroySemaphore>;
using UniqueCommandPool = Handle<VkCommandPool, &VolkDeviceTable::vkDestroyCommandPool>;
using UniqueDescriptorPool = Handle<VkDescriptorPool, &VolkDeviceTable::vkDestroyDescriptorPool>;
using UniqueSetLayout =
    Handle<VkDescriptorSetLayout, &VolkDeviceTable::vkDestroyDescriptorSetLayout>;
using UniquePipelineLayout = Handle<VkPipelineLayout, &VolkDeviceTable::vkDestroyPipelineLayout>;
using UniquePipeline = Handle<VkPipeline, &VolkDeviceTable::vkDestroyPipeline>;
using UniquePipelineCache = Handle<VkPipelineCache, &VolkDeviceTable::vkDestroyPipelineCache>;
using UniqueShaderModule = Handle<VkShaderModule, &VolkDeviceTable::vkDestroyShaderModule>;

} // namespace weft::device::vulkan
