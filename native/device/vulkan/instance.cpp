// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/instance.hpp"

#include "core/error.hpp"
#include "device/fork_guard.hpp"
#include "device/vulkan/faults.hpp"
#include "device/vulkan/features.hpp"
#include "device/vulkan/result.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace weft::device::vulkan {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
constexpr const char* kPortabilityExtension = "VK_KHR_portability_enumeration";

using core::DeviceError;

/// Guards volk's function pointers, which every new instance writes, and finds the instances that
/// live.
struct Registry {
    std::mutex mutex;
    std::array<std::weak_ptr<Instance>, 2> instances; // by debug
    bool is_loaded = false;
};

Registry& registry() {
    static Registry the_registry;
    return the_registry;
}

void load_vulkan(Registry& loaded) {
    if (loaded.is_loaded) {
        return;
    }
    if (volkInitialize() != VK_SUCCESS) {
        throw DeviceError(
            "create_device: expected a Vulkan loader (libvulkan.so.1, vulkan-1.dll or "
            "libMoltenVK.dylib), found none; install the graphics driver of your GPU, or on Debian "
            "and Ubuntu run 'apt install libvulkan1 mesa-vulkan-drivers', which also runs on the "
            "CPU",
            DeviceError::Kind::unavailable, "volkInitialize");
    }
    loaded.is_loaded = true;
}

bool has_layer(const char* name) {
    std::uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    vkEnumerateInstanceLayerProperties(&count, layers.data());
    return std::any_of(layers.begin(), layers.end(), [&](const VkLayerProperties& layer) {
        return !std::strcmp(layer.layerName, name);
    });
}

bool has_instance_extension(const char* name) {
    std::uint32_t count = 0;
    vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> extensions(count);
    vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data());
    return std::any_of(extensions.begin(), extensions.end(),
                       [&](const VkExtensionProperties& extension) {
                           return !std::strcmp(extension.extensionName, name);
                       });
}

VKAPI_ATTR VkBool32 VKAPI_CALL receive_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                               VkDebugUtilsMessageTypeFlagsEXT,
                                               const VkDebugUtilsMessengerCallbackDataEXT* data,
                                               void* log) {
    static_cast<MessageLog*>(log)->add(data->pMessage);
    return VK_FALSE;
}

template <typename Function>
void load(Function& function, VkInstance instance, const char* name) {
    function = reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

VkInstance create_instance(bool debug) {
    std::vector<const char*> extensions;
    VkInstanceCreateFlags flags = 0;
    if (has_instance_extension(kPortabilityExtension)) {
        extensions.push_back(kPortabilityExtension);
        flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    if (debug) {
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    }
    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                        .pNext = nullptr,
                                        .pApplicationName = "weft",
                                        .applicationVersion = 1,
                                        .pEngineName = "weft",
                                        .engineVersion = 1,
                                        .apiVersion = kApiVersion};
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                    .pNext = nullptr,
                                    .flags = flags,
                                    .pApplicationInfo = &application,
                                    .enabledLayerCount = debug ? 1U : 0U,
                                    .ppEnabledLayerNames = &kValidationLayer,
                                    .enabledExtensionCount =
                                        static_cast<std::uint32_t>(extensions.size()),
                                    .ppEnabledExtensionNames = extensions.data()};
    VkInstance instance = VK_NULL_HANDLE;
    const VkResult result = vkCreateInstance(&info, nullptr, &instance);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) { // the loader's word for "no driver at all"
        throw DeviceError(
            "create_device: expected a Vulkan driver, found only the loader; install the graphics "
            "driver "
            "of your GPU, or a software driver (Debian, Ubuntu: 'apt install mesa-vulkan-drivers')",
            DeviceError::Kind::unavailable, "vkCreateInstance", result);
    }
    check(result, "vkCreateInstance", "create_device");
    return instance;
}

} // namespace

void MessageLog::add(const char* text) noexcept {
    m_count.fetch_add(1);
    m_logger.log(core::LogLevel::warning, text);
    try {
        const std::lock_guard lock(m_mutex);
        if (m_messages.size() < kMaxKept) {
            m_messages.emplace_back(text);
        }
    } catch (const std::bad_alloc&) {
        return; // still counted
    }
}

std::vector<std::string> MessageLog::messages(std::uint64_t first) const {
    const std::lock_guard lock(m_mutex);
    const std::size_t skipped = std::min<std::size_t>(first, m_messages.size());
    return {m_messages.begin() + static_cast<std::ptrdiff_t>(skipped), m_messages.end()};
}

std::shared_ptr<Instance> Instance::acquire(bool debug) {
    Registry& shared = registry();
    const std::lock_guard lock(shared.mutex);
    load_vulkan(shared);
    std::weak_ptr<Instance>& slot = shared.instances[debug ? 1 : 0];
    if (std::shared_ptr<Instance> existing = slot.lock()) {
        if (existing->m_fork_generation != fork_generation()) {
            throw DeviceError(
                "create_device: this process was forked from one that uses Vulkan, whose driver "
                "does "
                "not survive a fork; start workers with multiprocessing's 'spawn' method",
                DeviceError::Kind::unavailable);
        }
        return existing;
    }
    if (debug && !has_layer(kValidationLayer)) {
        throw DeviceError(
            "create_device: debug=True needs the layer VK_LAYER_KHRONOS_validation, which is not "
            "installed; run 'apt install vulkan-validationlayers', install the Vulkan SDK, or pass "
            "debug=False",
            DeviceError::Kind::unavailable);
    }
    // No make_shared: the constructor is private.
    std::shared_ptr<Instance> instance(new Instance(debug));
    instance->m_self = instance;
    instance->watch_exit(debug);
    slot = instance;
    return instance;
}

Instance::Instance(bool debug)
    : m_handle(create_instance(debug)), m_fork_generation(fork_generation()) {
    volkLoadInstanceOnly(m_handle);
    load_api();
    if (debug) {
        create_messenger();
    }
}

void Instance::watch_exit(bool debug) {
    if (debug) { // each instance has a mark of its own: the second loads further libraries
        static const ExitMark mark(*this);
    } else {
        static const ExitMark mark(*this);
    }
}

bool Instance::can_call_driver() const noexcept {
    return m_fork_generation == fork_generation() && !is_exiting();
}

void Instance::load_api() {
    load(m_api.enumerate_physical_devices, m_handle, "vkEnumeratePhysicalDevices");
    load(m_api.get_properties, m_handle, "vkGetPhysicalDeviceProperties2");
    load(m_api.get_features, m_handle, "vkGetPhysicalDeviceFeatures2");
    load(m_api.get_memory_properties, m_handle, "vkGetPhysicalDeviceMemoryProperties2");
    load(m_api.get_external_buffers, m_handle, "vkGetPhysicalDeviceExternalBufferProperties");
    load(m_api.get_external_semaphores, m_handle, "vkGetPhysicalDeviceExternalSemaphoreProperties");
    load(m_api.get_queue_families, m_handle, "vkGetPhysicalDeviceQueueFamilyProperties");
    load(m_api.enumerate_extensions, m_handle, "vkEnumerateDeviceExtensionProperties");
    load(m_api.create_device, m_handle, "vkCreateDevice");
    load(m_api.create_messenger, m_handle, "vkCreateDebugUtilsMessengerEXT");
    count_calls(m_api);
}

void Instance::create_messenger() {
    const VkDebugUtilsMessengerCreateInfoEXT info{
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .pNext = nullptr,
        .flags = 0,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = receive_message,
        .pUserData = &m_log};
    check(m_api.create_messenger(m_handle, &info, nullptr, &m_messenger),
          "vkCreateDebugUtilsMessengerEXT", "create_device");
}

std::vector<VkPhysicalDevice> Instance::physical_devices() const {
    std::uint32_t count = 0;
    if (m_api.enumerate_physical_devices(m_handle, &count, nullptr) != VK_SUCCESS) {
        return {};
    }
    std::vector<VkPhysicalDevice> devices(count);
    if (m_api.enumerate_physical_devices(m_handle, &count, devices.data()) < VK_SUCCESS) {
        return {};
    }
    devices.resize(count);
    return devices;
}

void Instance::load_device_table(VolkDeviceTable& table, VkDevice device) const {
    const std::lock_guard lock(registry().mutex); // volk reads its own pointers
    volkLoadDeviceTable(&table, device);
    count_calls(table);
}

} // namespace weft::device::vulkan
