// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/kernel.hpp"

#include "core/process.hpp"
#include "core/text.hpp"
#include "device/vulkan/device.hpp"
#include "device/vulkan/spirv.hpp"
#include "device/vulkan/spirv_addresses.hpp"
#include "device/vulkan/spirv_arrays.hpp"
#include "device/vulkan/spirv_loops.hpp"
#include "device/vulkan/spirv_uniforms.hpp"

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

/// Bytes of push constants that hold the arguments, or their address.
std::uint32_t push_bytes(const KernelDesc& desc) {
    return desc.arguments_by_address ? static_cast<std::uint32_t>(sizeof(VkDeviceAddress))
                                     : desc.argument_bytes;
}

UniquePipelineLayout create_layout(const Context& context, const KernelDesc& desc,
                                   const Pipeline& pipeline) {
    const std::vector<UniqueSetLayout>& sets = pipeline.sets;
    std::vector<VkDescriptorSetLayout> handles;
    handles.reserve(sets.size());
    for (const UniqueSetLayout& set : sets) {
        handles.push_back(set.get());
    }
    const VkPushConstantRange range{
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .offset = 0,
        .size = pipeline.report_offset != 0
                    ? pipeline.report_offset + static_cast<std::uint32_t>(sizeof(VkDeviceAddress))
                    : push_bytes(desc)};
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

SpirvCode require_spirv(const KernelDesc& desc) {
    std::optional<SpirvCode> code = read_spirv(desc.code);
    if (!code) {
        throw core::InternalError(core::text("create_kernel: '", desc.label,
                                             "' expected SPIR-V with an entry point, got ",
                                             desc.code.size(), " bytes of something else"));
    }
    return std::move(*code);
}

void require_right_reads(const Context& context, const KernelDesc& desc,
                         const SpirvModule& module) {
    const std::optional<std::string> uniform = find_indexed_narrow_uniform(module);
    if (uniform) {
        const std::string where =
            uniform->empty() ? "a uniform" : core::text("the uniform '", *uniform, "'");
        throw core::ArgumentError(core::text(
            "create_kernel: '", desc.label,
            "' picks a component of a vector or matrix of 8- or "
            "16-bit numbers in ",
            where,
            " by an index that only the run tells, and the driver of "
            "device '",
            context.adapter().info.name, "' (", context.adapter().info.driver,
            ") reads other components than these; use constant indices (.x, [0]), a type of 32-bit "
            "numbers, a parameter in place of the uniform, or a CUDA device"));
    }
}

/// Lets loops report. Returns the pipeline's report_offset: 0 if there are none.
std::uint32_t add_reports(const KernelDesc& desc, LoopWatch& watch, SpirvModule& module) {
    constexpr std::uint32_t kAlignment = sizeof(VkDeviceAddress);
    // Never 0, which means that the kernel does not report.
    const std::uint32_t offset =
        std::max(kAlignment, (push_bytes(desc) + kAlignment - 1) / kAlignment * kAlignment);
    const bool reports =
        guard_loops(module, {.argument_offset = offset, .mark = watch.mark_of(desc.label)});
    return reports ? offset : 0;
}

/// Does to the code what this device's compiler needs. Returns the pipeline's report_offset.
/// @throws ArgumentError for code that it gets wrong.
std::uint32_t adapt(const Context& context, const KernelDesc& desc, LoopWatch* watch,
                    SpirvCode& code) {
    // The variable lets tests do on a CPU what GPUs get.
    const auto made_for = core::environment_variable("WEFT_KERNELS_FOR");
    const bool widens = !context.adapter().info.features.is_software || made_for == "large";
    const bool misreads = context.adapter().misreads_narrow_uniforms || made_for == "nvidia";
    std::optional<SpirvModule> module = SpirvModule::read(code.words);
    if (!module) {
        return 0;
    }
    if (misreads) {
        require_right_reads(context, desc, *module);
    }
    // Before the reports, which must know of every loop.
    loop_over_arrays(*module);
    const std::uint32_t offset = watch != nullptr ? add_reports(desc, *watch, *module) : 0;
    if (widens) {
        widen_addresses(*module);
    }
    code.words = module->write();
    return offset;
}

/// Says why a driver may not have made a kernel of code that holds large arrays: NVIDIA's (580.159.04) has 16 KB a thread.
void require_small_arrays(const Context& context, const KernelDesc& desc, const SpirvCode& code) {
    constexpr std::uint64_t kManyNumbers = 2048;
    const std::optional<SpirvModule> module = SpirvModule::read(code.words);
    const std::uint64_t numbers = module ? array_numbers(*module) : 0;
    if (numbers >= kManyNumbers) {
        throw core::ArgumentError(core::text(
            "create_kernel: '", desc.label, "' holds ", numbers,
            " numbers in arrays of each thread, more than the driver of device '",
            context.adapter().info.name, "' (", context.adapter().info.driver,
            ") compiles (16 KB with NVIDIA's); use smaller arrays, for derivatives loops of fewer "
            "rounds or levels, or a CUDA device"));
    }
}

UniquePipeline compile(const Context& context, VkPipelineCache cache, const KernelDesc& desc,
                       const SpirvCode& code, VkPipelineLayout layout) {
    const UniqueShaderModule module = create_module(context, code);
    const VkComputePipelineCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .pNext = nullptr,
        .flags = 0,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = nullptr,
                  .flags = 0,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module.get(),
                  .pName = code.entry_point.c_str(),
                  .pSpecializationInfo = nullptr},
        .layout = layout,
        .basePipelineHandle = VK_NULL_HANDLE,
        .basePipelineIndex = -1};
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result = context.api().vkCreateComputePipelines(context.handle(), cache, 1,
                                                                   &info, nullptr, &pipeline);
    if (result == VK_ERROR_UNKNOWN) {
        require_small_arrays(context, desc, code);
    }
    context.check(result, "vkCreateComputePipelines",
                  core::text(kFunction, ": '", desc.label, "'"));
    return {context, pipeline};
}

} // namespace

Pipeline create_pipeline(const Context& context, VkPipelineCache cache, const KernelDesc& desc,
                         LoopWatch* watch) {
    require_limits(context, desc);
    SpirvCode code = require_spirv(desc);
    Pipeline pipeline;
    pipeline.report_offset = adapt(context, desc, watch, code);
    pipeline.sets = create_set_layouts(context, desc);
    pipeline.layout = create_layout(context, desc, pipeline);
    pipeline.handle = compile(context, cache, desc, code, pipeline.layout.get());
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
