// SPDX-License-Identifier: Apache-2.0
// A pass-through Vulkan layer that lets SlangPy run on drivers without VK_KHR_shader_non_semantic_info, such as
// Mesa 22.3's lavapipe: SlangPy enables that extension without asking, and the code that it gives to the driver
// does not use it. The layer advertises the extension and strips it from vkCreateDevice. Only the benchmarks use
// it; Weft needs nothing of the kind. One instance a process is enough for them.
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXTENSION "VK_KHR_shader_non_semantic_info"
#define LAYER "VK_LAYER_WEFT_non_semantic_info"

static VkInstance s_instance;
static PFN_vkGetInstanceProcAddr s_next_instance_function;
static PFN_vkGetDeviceProcAddr s_next_device_function;
static PFN_vkEnumerateDeviceExtensionProperties s_next_extensions;

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                                      const VkAllocationCallbacks* allocator, VkInstance* out)
{
    VkLayerInstanceCreateInfo* link = (VkLayerInstanceCreateInfo*)info->pNext;
    while (link != NULL &&
           (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerInstanceCreateInfo*)link->pNext;
    if (link == NULL)
        return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const VkResult result = ((PFN_vkCreateInstance)next(NULL, "vkCreateInstance"))(info, allocator, out);
    if (result == VK_SUCCESS) {
        s_instance = *out;
        s_next_instance_function = next;
        s_next_extensions =
            (PFN_vkEnumerateDeviceExtensionProperties)next(*out, "vkEnumerateDeviceExtensionProperties");
    }
    return result;
}

static void append_extension(VkExtensionProperties* list, uint32_t* count)
{
    for (uint32_t i = 0; i < *count; ++i)
        if (strcmp(list[i].extensionName, EXTENSION) == 0)
            return;
    strcpy(list[*count].extensionName, EXTENSION);
    list[*count].specVersion = 1;
    ++*count;
}

/// The two-call protocol of Vulkan: count alone if `out` is null, else as many as fit.
static VkResult give(const VkExtensionProperties* list, uint32_t available, uint32_t* count,
                     VkExtensionProperties* out)
{
    if (out == NULL) {
        *count = available;
        return VK_SUCCESS;
    }
    *count = *count < available ? *count : available;
    memcpy(out, list, *count * sizeof *list);
    return *count < available ? VK_INCOMPLETE : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_extensions(VkPhysicalDevice adapter, const char* layer,
                                                           uint32_t* count, VkExtensionProperties* out)
{
    uint32_t available = 0;
    if (layer != NULL && strcmp(layer, LAYER) != 0)
        return s_next_extensions(adapter, layer, count, out);
    if (layer == NULL) {
        const VkResult result = s_next_extensions(adapter, NULL, &available, NULL);
        if (result != VK_SUCCESS)
            return result;
    }
    VkExtensionProperties* list = calloc(available + 1, sizeof *list);
    if (list == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = layer == NULL ? s_next_extensions(adapter, NULL, &available, list) : VK_SUCCESS;
    if (result == VK_SUCCESS) {
        append_extension(list, &available);
        result = give(list, available, count, out);
    }
    free(list);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice adapter, const VkDeviceCreateInfo* info,
                                                    const VkAllocationCallbacks* allocator, VkDevice* out)
{
    VkLayerDeviceCreateInfo* link = (VkLayerDeviceCreateInfo*)info->pNext;
    while (link != NULL &&
           (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerDeviceCreateInfo*)link->pNext;
    const char** names = calloc(info->enabledExtensionCount + 1, sizeof *names);
    if (link == NULL || names == NULL) {
        free(names);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const PFN_vkGetDeviceProcAddr next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkDeviceCreateInfo stripped = *info;
    stripped.enabledExtensionCount = 0;
    stripped.ppEnabledExtensionNames = names;
    for (uint32_t i = 0; i < info->enabledExtensionCount; ++i)
        if (strcmp(info->ppEnabledExtensionNames[i], EXTENSION) != 0)
            names[stripped.enabledExtensionCount++] = info->ppEnabledExtensionNames[i];
    const VkResult result =
        ((PFN_vkCreateDevice)next(s_instance, "vkCreateDevice"))(adapter, &stripped, allocator, out);
    free(names);
    if (result == VK_SUCCESS)
        s_next_device_function = next_device;
    return result;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_device_function(VkDevice device, const char* name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)find_device_function;
    return s_next_device_function != NULL ? s_next_device_function(device, name) : NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_instance_function(VkInstance instance, const char* name)
{
    const struct {
        const char* name;
        PFN_vkVoidFunction function;
    } own[] = {
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)find_instance_function},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)find_device_function},
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)enumerate_extensions},
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        if (strcmp(name, own[i].name) == 0)
            return own[i].function;
    return s_next_instance_function != NULL ? s_next_instance_function(instance, name) : NULL;
}

/// What the loader calls first; the manifest names it.
__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL negotiate(VkNegotiateLayerInterface* version);

VKAPI_ATTR VkResult VKAPI_CALL negotiate(VkNegotiateLayerInterface* version)
{
    version->loaderLayerInterfaceVersion = 2;
    version->pfnGetInstanceProcAddr = find_instance_function;
    version->pfnGetDeviceProcAddr = find_device_function;
    version->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
