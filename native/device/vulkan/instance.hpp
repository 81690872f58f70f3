// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/log.hpp"
#include "device/vulkan/api.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace weft::device::vulkan {

/// The instance-level functions that Weft calls.
struct InstanceApi {
    PFN_vkEnumeratePhysicalDevices enumerate_physical_devices = nullptr;
    PFN_vkGetPhysicalDeviceProperties2 get_properties = nullptr;
    PFN_vkGetPhysicalDeviceFeatures2 get_features = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties2 get_memory_properties = nullptr;
    PFN_vkGetPhysicalDeviceExternalBufferProperties get_external_buffers = nullptr;
    PFN_vkGetPhysicalDeviceExternalSemaphoreProperties get_external_semaphores = nullptr;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties get_queue_families = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties enumerate_extensions = nullptr;
    PFN_vkCreateDevice create_device = nullptr;
    PFN_vkCreateDebugUtilsMessengerEXT create_messenger = nullptr;
};

/// What the validation layer said. Thread-safe.
class MessageLog {
public:
    static constexpr std::size_t kMaxKept = 100;

    MessageLog() : m_logger(core::Logger::standard_error()) {}
    void add(const char* text) noexcept;
    std::uint64_t count() const noexcept { return m_count.load(); }
    /// The messages from number `first` on, of the first kMaxKept.
    std::vector<std::string> messages(std::uint64_t first) const;

private:
    mutable std::mutex m_mutex;
    core::Logger m_logger;
    std::vector<std::string> m_messages;
    std::atomic<std::uint64_t> m_count{0};
};

/// A VkInstance, shared by every device that was created with the same `debug`. Lives until the
/// process ends: drivers leak when they are loaded and unloaded again and again (NVIDIA 580 refuses
/// after some thirty rounds), and while the process exits it is too late to call them.
class Instance {
public:
    /// @throws DeviceError{unavailable} without a Vulkan loader or driver, without the validation
    ///         layer (debug), or in a child after fork() of a process that uses Vulkan.
    [[nodiscard]] static std::shared_ptr<Instance> acquire(bool debug);
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    /// False in a child after fork() and once the process exits.
    bool can_call_driver() const noexcept;
    bool is_exiting() const noexcept { return m_is_exiting.load(std::memory_order_relaxed); }
    const InstanceApi& api() const noexcept { return m_api; }
    [[nodiscard]] std::vector<VkPhysicalDevice> physical_devices() const;
    /// Fills the table of device functions.
    void load_device_table(VolkDeviceTable& table, VkDevice device) const;
    const MessageLog& log() const noexcept { return m_log; }

private:
    /// Ends the use of the driver when static objects are destroyed. Made after the driver was
    /// loaded, so it goes before the driver's own static objects.
    class ExitMark {
    public:
        explicit ExitMark(Instance& instance) noexcept : m_instance(instance) {}
        ~ExitMark() { m_instance.m_is_exiting.store(true); }
        ExitMark(const ExitMark&) = delete;
        ExitMark& operator=(const ExitMark&) = delete;

    private:
        Instance& m_instance;
    };

    explicit Instance(bool debug);
    void watch_exit(bool debug);
    void load_api();
    void create_messenger();

    VkInstance m_handle = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT m_messenger = VK_NULL_HANDLE;
    InstanceApi m_api;
    MessageLog m_log;
    std::uint32_t m_fork_generation;
    std::atomic<bool> m_is_exiting{false};
    std::shared_ptr<Instance> m_self; ///< a cycle on purpose: see above
};

} // namespace weft::device::vulkan
