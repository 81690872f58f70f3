// SPDX-License-Identifier: Apache-2.0
#include "dispatch/deterministic.hpp"

#include "codegen/leaves.hpp"
#include "codegen/names.hpp"
#include "codegen/passes/threads.hpp"
#include "codegen/print.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "dispatch/launch.hpp"

#include <algorithm>
#include <cstring>

namespace weft::dispatch {

using codegen::Operand;
using core::text;
using reflect::ScalarKind;

namespace {

constexpr std::uint32_t kThreads = 256;

/// The argument block of the kernels around the sums.
struct RecordArguments {
    std::uint64_t records = 0;
    std::uint64_t gradient = 0;
    std::uint64_t count = 0;
    std::uint64_t columns = 0; ///< groups in a row of the grid
};

ScalarKind scalar_of(const Operand& gradient) {
    return codegen::scalar_leaves(*gradient.memory.leaf)->front().kind;
}

void check_scalars(const Operand& gradient, const std::string& function) {
    const auto leaves = codegen::scalar_leaves(*gradient.memory.leaf);
    const auto is_like_first = [&](const codegen::ScalarLeaf& leaf) {
        return leaf.kind == leaves->front().kind;
    };
    if (!leaves || !std::all_of(leaves->begin(), leaves->end(), is_like_first)) {
        throw core::ArgumentError(
            text(function, ": deterministic=True needs gradients of one scalar type, got ",
                 gradient.type->full_name, "; pass a dict of tensors, or False"));
    }
}

CompiledKernelRef compile_step(const std::string& call, const KernelProvider& provide) {
    codegen::Kernel description;
    description.callee = "deterministic sum";
    description.group_size = {kThreads, 1, 1};
    description.argument_bytes = sizeof(RecordArguments);
    return provide(
        text(
            "import \"weft\";\n"
            "struct weft_Arguments { uint64_t records; uint64_t gradient; uint64_t count; uint64_t "
            "columns; }\n"
            "[shader(\"compute\")]\n[numthreads(",
            kThreads, ", 1, 1)]\nvoid ", codegen::kEntryPoint,
            "(uint3 group : SV_GroupID, uint thread : SV_GroupIndex, uniform weft_Arguments "
            "weft_arguments)\n{\n"
            "    let a = weft_arguments;\n"
            "    const uint64_t i = (uint64_t(group.y) * a.columns + group.x) * ",
            kThreads, "u + thread;\n    if (i < a.count) ", call, ";\n}\n"),
        description);
}

device::Dispatch make_dispatch(const CompiledKernelRef& step, RecordArguments& arguments,
                               std::span<const device::BufferUse> uses,
                               const device::Device& device) {
    const std::uint64_t groups = (arguments.count + kThreads - 1) / kThreads;
    device::Dispatch dispatch;
    dispatch.kernel = step->kernel.get();
    dispatch.group_count = codegen::divide_groups(static_cast<std::int64_t>(groups),
                                                  device.info().limits.max_group_count[0]);
    arguments.columns = dispatch.group_count[0];
    dispatch.arguments = std::as_bytes(std::span(&arguments, 1));
    dispatch.buffers = uses;
    return dispatch;
}

} // namespace

bool add_record_sources(codegen::Kernel& kernel, LaunchPlan& plan) {
    bool has_any = false;
    codegen::for_each_memory_operand(kernel, [&](Operand& operand) {
        if (!codegen::adds_atomically(operand)) {
            return;
        }
        check_scalars(operand, plan.function);
        has_any = true;
        Source source;
        source.kind = SourceKind::records;
        source.summed = static_cast<std::uint32_t>(operand.source);
        source.scalar = scalar_of(operand);
        source.count = operand.memory.extent_bytes / reflect::size_bytes(source.scalar);
        source.access = device::BufferAccess::write;
        source.name = plan.sources[source.summed].name;
        operand.source = static_cast<std::int32_t>(plan.sources.size());
        plan.sources.push_back(std::move(source));
        for (codegen::ArgumentField& field : kernel.arguments) {
            if (field.kind == codegen::FieldKind::address &&
                field.name == codegen::address_field(operand)) {
                field.source = operand.source;
            }
        }
    });
    return has_any;
}

RecordSteps compile_record_steps(const codegen::Kernel& kernel, const LaunchPlan& plan,
                                 const KernelProvider& provide) {
    codegen::Kernel measure = kernel;
    measure.sums = codegen::SumPass::measure;
    codegen::for_each_memory_operand(measure, [](Operand& operand) {
        operand.writes = operand.writes && codegen::adds_atomically(operand);
    });
    RecordSteps steps;
    steps.clear = compile_step("weft_clear_record(a.records, i)", provide);
    steps.measure = provide(codegen::print(measure), measure);
    for (const Source& source : plan.sources) {
        if (source.kind == SourceKind::records) {
            steps.finish.push_back(
                compile_step(text("weft_finish_record<", slang_name(source.scalar),
                                  ">(a.records, a.gradient, i)"),
                             provide));
        }
    }
    return steps;
}

void CallState::prepare_records(const LaunchPlan& plan, device::Device& device, CallMemory* memory,
                                const Submit& submit) {
    m_records.clear();
    for (std::size_t i = 0; i < plan.sources.size(); ++i) {
        const Source& source = plan.sources[i];
        if (source.kind != SourceKind::records) {
            continue;
        }
        const std::uint64_t bytes = source.count * kRecordBytes;
        auto buffer = memory != nullptr ? memory->scratch(bytes) : nullptr;
        if (!buffer) {
            buffer = device.create_buffer({.size_bytes = bytes, .label = "deterministic sums"});
        }
        // Additions scale the address of a scalar back to that of its record.
        const std::uint64_t scale = kRecordBytes / reflect::size_bytes(source.scalar);
        m_slots[i] = {buffer.get(), buffer->address() / scale, 0};
        RecordArguments arguments{.records = buffer->address(), .count = source.count};
        const std::array uses{
            device::BufferUse{.buffer = buffer.get(), .access = device::BufferAccess::write}};
        submit(make_dispatch(plan.records->clear, arguments, uses, device));
        m_records.push_back(std::move(buffer));
    }
}

void CallState::finish_records(const LaunchPlan& plan, device::Device& device,
                               const Submit& submit) {
    std::size_t at = 0;
    for (const Source& source : plan.sources) {
        if (source.kind != SourceKind::records) {
            continue;
        }
        const Slot& gradient = m_slots[source.summed];
        device::Buffer& records = *m_records[at];
        RecordArguments arguments{
            .records = records.address(), .gradient = gradient.address, .count = source.count};
        const std::array uses{
            device::BufferUse{.buffer = &records, .access = device::BufferAccess::read},
            device::BufferUse{.buffer = gradient.buffer, .access = device::BufferAccess::write}};
        submit(make_dispatch(plan.records->finish[at], arguments, uses, device));
        ++at;
    }
}

} // namespace weft::dispatch
