// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/kernel.hpp"

#include "core/text.hpp"
#include "device/vulkan/device.hpp"
#include "device/vulkan/spirv.hpp"

#include <algorithm>

namespace weft::device::vulkan {
namespace {

constexpr const char* kFunction = "create_kernel";

std::uint64_t thread_count(const KernelDesc& desc) {
    return std::uint64_t{desc.group_size[0]} * desc.group_size[1] * desc.group_size[2];
}

void require_limits(const Context& context, const KernelDesc& desc) {
    const DeviceLimits& limits = context.adapter().info.limits;
    if (thread_count(desc) > limits.max_threads_per_group) {
        throw core::ArgumentError(
            core::text("create_kernel: '", desc.label, "' has ", thread_count(desc),
                       " threads a group, '", context.adapter().info.name, "' takes at most ",
                       limits.max_threads_per_group, "; use smaller [numthreads]"));
    }
    if (!desc.arguments_by_address && desc.argument_bytes > limits.max_inline_arguments) {
        throw core::InternalError(core::text(
            "create_kernel: '", desc.label, "' has ", desc.argument_bytes,
            " bytes of inline arguments, expected at most ", limits.max_inline_arguments));
    }
    if (desc.storage_bindings > kMaxStorageBindings || desc.globals.vulkan_set >= kMaxSets) {
        throw core::InternalError(
            core::text("create_kernel: '", desc.label, "' has ", desc.storage_bindings,
                       " storage bindings and its globals in set ", desc.globals.vulkan_set,
                       ", expected at most ", kMaxStorageBindings, " and a set below ", kMaxSets));
    }
}

VkDescriptorSetLayoutBinding binding_of(std::uint32_t binding, VkDescriptorType type) {
    return {.binding = binding,
            .descriptorType = type,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
            .pImmutableSamplers = nullptr};
}

UniqueSetLayout create_set_layout(const Context& context, const KernelDesc& desc,
                                  std::uint32_t set) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (std::uint32_t i = 0; set == 0 && i < desc.storage_bindings; ++i) {
        bindings.push_back(binding_of(i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER));
    }
    if (desc.globals.size_bytes > 0 && desc.globals.vulkan_set == set) {
        bindings.push_back(
            binding_of(desc.globals.vulkan_binding, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER));
    }
    const VkDescriptorSetLayoutCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .pNext = nullptr,
        .flags = 0,
        .bindingCount = static_cast<std::uint32_t>(bindings.size()),
        .pBindings = bindings.data()};
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    context.check(
        context.api().vkCreateDescriptorSetLayout(context.handle(), &info, nullptr, &layout),
        "vkCreateDescriptorSetLayout", kFunction);
    return {context, layout};
}

std::vector<UniqueSetLayout> create_set_layouts(const Context& context, const KernelDesc& desc) {
    const std::uint32_t globals_end = desc.globals.size_bytes > 0 ? desc.globals.vulkan_set + 1 : 0;
    const std::uint32_t count = std::max(globals_end, desc.storage_bindings > 0 ? 1U : 0U);
    std::vector<UniqueSetLayout> layouts;
    layouts.reserve(count);
    for (std::uint32_t set = 0; set < count; ++set) {
        layouts.push_back(create_set_layout(context, desc, set));
    }
    return layouts;
}

UniquePipelineLayout create_layout(const Context& context, const KernelDesc& desc,
                                   const std::vector<UniqueSetLayout>& sets) {
    std::vector<VkDescriptorSetLayout> handles;
    handles.reserve(sets.size());
    for (const UniqueSetLayout& set : sets) {
        handles.push_back(set.get());
    }
    const VkPushConstantRange range{
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .offset = 0,
        .size = desc.arguments_by_address ? static_cast<std::uint32_t>(sizeof(VkDeviceAddress))
                                          : desc.argument_bytes};
    const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .pNext = nullptr,
                                          .flags = 0,
                                          .setLayoutCount =
                                              static_cast<std::uint32_t>(handles.size()),
                                          .pSetLayouts = handles.data(),
                                          .pushConstantRangeCount = range.size > 0 ? 1U : 0U,
                                          .pPushConstantRanges = &range};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    context.check(context.api().vkCreatePipelineLayout(context.handle(), &info, nullptr, &layout),
                  "vkCreatePipelineLayout", kFunction);
    return {context, layout};
}

UniqueShaderModule create_module(const Context& context, const SpirvCode& code) {
    const VkShaderModuleCreateInfo info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                        .pNext = nullptr,
                                        .flags = 0,
                                        .codeSize = code.words.size() * sizeof(std::uint32_t),
                                        .pCode = code.words.data()};
    VkShaderModule module = VK_NULL_HANDLE;
    context.check(context.api().vkCreateShaderModule(context.handle(), &info, nullptr, &module),
                  "vkCreateShaderModule", kFunction);
    return {context, module};
}

UniquePipeline compile(const Context& context, VkPipelineCache cache, const KernelDesc& desc,
                       VkPipelineLayout layout) {
    const std::optional<SpirvCode> code = read_spirv(desc.code);
    if (!code) {
        throw core::InternalError(core::text("create_kernel: '", desc.label,
                                             "' expected SPIR-V with an entry point, got ",
                                             desc.code.size(), " bytes of something else"));
    }
    const UniqueShaderModule module = create_module(context, *code);
    const VkComputePipelineCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .pNext = nullptr,
        .flags = 0,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = nullptr,
                  .flags = 0,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module.get(),
                  .pName = code->entry_point.c_str(),
                  .pSpecializationInfo = nullptr},
        .layout = layout,
        .basePipelineHandle = VK_NULL_HANDLE,
        .basePipelineIndex = -1};
    VkPipeline pipeline = VK_NULL_HANDLE;
    context.check(context.api().vkCreateComputePipelines(context.handle(), cache, 1, &info, nullptr,
                                                         &pipeline),
                  "vkCreateComputePipelines", core::text(kFunction, ": '", desc.label, "'"));
    return {context, pipeline};
}

} // namespace

Pipeline create_pipeline(const Context& context, VkPipelineCache cache, const KernelDesc& desc) {
    require_limits(context, desc);
    Pipeline pipeline;
    pipeline.sets = create_set_layouts(context, desc);
    pipeline.layout = create_layout(context, desc, pipeline.sets);
    pipeline.handle = compile(context, cache, desc, pipeline.layout.get());
    return pipeline;
}

VulkanKernel::VulkanKernel(std::shared_ptr<VulkanDevice> device,
                           std::list<Pipeline>::iterator pipeline, const KernelDesc& desc)
    : m_device(std::move(device)), m_pipeline(pipeline), m_label(desc.label),
      m_argument_bytes(desc.argument_bytes), m_arguments_by_address(desc.arguments_by_address),
      m_storage_bindings(desc.storage_bindings), m_globals(desc.globals),
      m_threads_per_group(thread_count(desc)) {}

VulkanKernel::~VulkanKernel() {
    m_device->release_pipeline(m_pipeline);
}

} // namespace weft::device::vulkan
