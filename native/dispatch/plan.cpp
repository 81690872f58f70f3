// SPDX-License-Identifier: Apache-2.0
#include "dispatch/plan.hpp"

#include "codegen/pipeline.hpp"
#include "codegen/print.hpp"
#include "core/error.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "dispatch/deterministic.hpp"
#include "dispatch/global_values.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>
#include <cstring>

namespace weft::dispatch {

using codegen::ArgumentField;
using codegen::FieldKind;
using codegen::Operand;
using core::text;

namespace {

void add_buffers(codegen::Kernel& kernel, LaunchPlan& plan) {
    codegen::for_each_memory_operand(kernel, [&](Operand& operand) {
        const auto source = static_cast<std::uint32_t>(operand.source);
        plan.buffers.push_back({.source = source,
                                .access = plan.sources[source].access,
                                .binding = operand.memory.binding,
                                .extent_bytes = operand.memory.extent_bytes});
    });
}

void add_arguments(const codegen::Kernel& kernel, LaunchPlan& plan) {
    plan.arguments.resize(kernel.argument_bytes);
    for (const ArgumentField& field : kernel.arguments) {
        if (field.kind == FieldKind::constant) {
            std::memcpy(plan.arguments.data() + field.offset, &field.value, field.size);
            continue;
        }
        plan.pack.push_back({.kind = field.kind,
                             .scalar = field.scalar,
                             .offset = field.offset,
                             .source = static_cast<std::uint32_t>(field.source),
                             .component = static_cast<std::uint32_t>(field.component)});
    }
}

/// Layouts of the memory that a call makes, so that a repeated call makes it without looking at types.
void set_layouts(LaunchPlan& plan, reflect::LayoutRules rules) {
    for (Source& source : plan.sources) {
        const bool is_made = source.kind == SourceKind::upload || source.kind == SourceKind::pack ||
                             (source.kind == SourceKind::allocate && !plan.returns_values);
        if (is_made) {
            const reflect::TypeRef dtype = source.kind == SourceKind::upload
                                               ? reflect::scalar_type(source.scalar)
                                               : source.dtype;
            tensor::require_storable(dtype.get());
            source.layout =
                tensor::make_array_layout(tensor::storage_type(dtype, rules), source.shape);
        }
    }
}

const char* part_suffix(SourcePart part) {
    switch (part) {
    case SourcePart::gradient_in: return ".grad_in";
    case SourcePart::gradient_out: return ".grad_out";
    case SourcePart::primal: break;
    }
    return "";
}

const char* accumulation_words(const codegen::Kernel& kernel, codegen::Accumulation accumulation) {
    switch (accumulation) {
    case codegen::Accumulation::plain: return ", added to by one call";
    case codegen::Accumulation::group:
        return ", summed in registers and the group, one atomic addition a group";
    case codegen::Accumulation::subgroup: return ", one atomic addition a subgroup";
    case codegen::Accumulation::atomic: return ", one atomic addition a call";
    case codegen::Accumulation::table:
        return ", collected in shared memory, one atomic addition an entry and group";
    case codegen::Accumulation::cache:
        return ", partly collected in shared memory, one atomic addition an entry and block";
    case codegen::Accumulation::callee:
        return kernel.collector.empty() ? ", summed in the subgroup, one atomic addition a subgroup"
                                        : ", summed in the group, one atomic addition a group";
    case codegen::Accumulation::none: break;
    }
    return "";
}

std::string threads_text(const codegen::Kernel& kernel) {
    const codegen::ReductionAxis& axis = kernel.reduction;
    return kernel.is_tiled       ? "32x32 tiles"
           : axis.dimension >= 0 ? text("threads reduce along dimension ", axis.dimension, ", ",
                                        axis.lanes, " beside ", axis.columns, " of them a group")
                                 : text(kernel.width, " elements a thread");
}

/// Sums that a function makes itself come in any order.
void check_determinism(const BoundCall& call, const codegen::Kernel& kernel) {
    codegen::for_each_operand(kernel, [&](const Operand& operand) {
        if (operand.accumulation == codegen::Accumulation::callee) {
            throw core::ArgumentError(
                text(call.function.name,
                     ".bwds: deterministic=True cannot order what is added to "
                     "the gradient of '",
                     call.sources[static_cast<std::size_t>(operand.source)].name,
                     "', the weights of a network; pass False, or turn Device.deterministic off"));
        }
    });
}

const char* pattern_words(const codegen::Memory& memory) {
    return memory.is_uniform ? "broadcast" : memory.is_linear ? "one-to-one" : "strided";
}

const char* access_words(const codegen::Memory& memory) {
    if (memory.is_wide) {
        return ", vector accesses";
    }
    return memory.stage >= 0 || memory.tile >= 0 ? ", through shared memory" : "";
}

std::string explain(const BoundCall& call, const codegen::Kernel& kernel) {
    std::string out =
        text(signature_text(call.function), " over shape ", core::shape_text(kernel.shape), "\n");
    out += text("  collapsed to ", core::shape_text(kernel.dimensions), ", ",
                kernel.is_index64 ? 64 : 32, "-bit indices, ", threads_text(kernel), ", ",
                kernel.argument_bytes, " bytes of arguments ",
                kernel.arguments_by_address ? "by address" : "by value", "\n");
    codegen::for_each_operand(kernel, [&](const Operand& operand) {
        const bool is_tensor = operand.kind == codegen::OperandKind::tensor;
        const bool is_sum = operand.accumulation == codegen::Accumulation::callee;
        if (operand.kind != codegen::OperandKind::element && !is_tensor && !is_sum) {
            return;
        }
        const codegen::Memory& memory = operand.memory;
        const char* pattern = is_tensor ? "whole tensor" : pattern_words(memory);
        const Source& source = call.sources[static_cast<std::size_t>(operand.source)];
        out += text("  ", source.name, part_suffix(source.part), ": ", pattern,
                    accumulation_words(kernel, operand.accumulation), access_words(memory),
                    memory.binding >= 0 ? ", storage buffer" : ", pointer", "\n");
    });
    return out;
}

/// Coordinates are made as integers, also where the parameter is a float.
std::vector<GridCheck> find_grid_checks(const codegen::Kernel& kernel,
                                        const std::vector<Source>& sources) {
    std::vector<GridCheck> checks;
    codegen::for_each_operand(kernel, [&](const Operand& operand) {
        const bool has_coordinates = operand.kind == codegen::OperandKind::grid ||
                                     operand.kind == codegen::OperandKind::call_id;
        if (!has_coordinates) {
            return;
        }
        const Source& source = sources[static_cast<std::size_t>(operand.source)];
        const reflect::ScalarKind scalar = reflect::leaf(*operand.type).scalar;
        GridCheck check{.node = source.node, .extents = {}, .name = source.name};
        check.scalar = reflect::is_integer(scalar)        ? scalar
                       : reflect::size_bytes(scalar) == 8 ? reflect::ScalarKind::int64
                                                          : reflect::ScalarKind::int32;
        for (const std::int32_t dimension : operand.dimensions) {
            check.extents.push_back(kernel.shape[static_cast<std::size_t>(dimension)]);
        }
        checks.push_back(std::move(check));
    });
    return checks;
}

/// Why single elements tell nothing; null if they do.
const char* why_unchecked(const Operand& operand, const Source& source) {
    if (operand.kind == codegen::OperandKind::pointer &&
        source.access != device::BufferAccess::read) {
        return "it takes a pointer, through which it may write";
    }
    const bool has_both = !operand.gradient_in.empty() && !operand.gradient_out.empty();
    return has_both && operand.kind == codegen::OperandKind::tensor
               ? "it reads and writes one tensor"
               : nullptr;
}

/// What a check of the gradients at single elements needs to know. Before passes merge dimensions.
void note_axes(const BoundCall& call, LaunchPlan& plan) {
    codegen::for_each_operand(call.kernel, [&](const Operand& operand) {
        if (operand.source < 0) {
            return;
        }
        const Source& source = call.sources[static_cast<std::size_t>(operand.source)];
        if (source.part != SourcePart::primal || source.node == kNoNode) {
            return;
        }
        if (const char* const reason = why_unchecked(operand, source)) {
            plan.unchecked = reason;
        }
        std::vector<std::int32_t> dimensions = operand.mapping;
        const auto first =
            static_cast<std::int32_t>(call.kernel.shape.size() - operand.own_shape.size());
        for (std::size_t i = dimensions.size(); i < operand.own_shape.size(); ++i) {
            dimensions.push_back(first + static_cast<std::int32_t>(i));
        }
        if (!dimensions.empty()) {
            plan.axes.push_back({.node = source.node, .dimensions = std::move(dimensions)});
        }
    });
}

/// How the arguments are used, for who has to differentiate the call.
void note_uses(const BoundCall& call, LaunchPlan& plan) {
    codegen::for_each_operand(call.kernel, [&](const Operand& operand) {
        if (operand.source < 0) {
            return;
        }
        Source& source = plan.sources[static_cast<std::size_t>(operand.source)];
        const bool is_pointer = operand.kind == codegen::OperandKind::pointer;
        const bool is_tensor = operand.kind == codegen::OperandKind::tensor;
        source.is_whole = source.is_whole || is_pointer || is_tensor;
        const bool reads =
            source.is_whole ? source.access != device::BufferAccess::write : operand.reads;
        const bool writes =
            source.is_whole ? source.access != device::BufferAccess::read : operand.writes;
        source.is_read = source.is_read || reads;
        source.is_written = source.is_written || writes;
        source.rank = std::max(source.rank, static_cast<std::int32_t>(operand.own_shape.size()));
    });
}

void set_flags(LaunchPlan& plan, const CallOptions& options) {
    plan.returns_values = plan.shape.empty() && options.return_kind == ReturnKind::automatic;
    for (Source& source : plan.sources) {
        plan.uploads =
            plan.uploads || source.kind == SourceKind::upload || source.kind == SourceKind::pack;
        plan.downloads = plan.downloads || source.downloads;
        plan.allocates = plan.allocates || source.kind == SourceKind::allocate;
    }
}

} // namespace

void adapt_to_device(codegen::Kernel& kernel, const device::Device& device) {
    const device::DeviceInfo& info = device.info();
    // Lets tests run on a CPU what is made for GPUs, and on small tensors what is made for large ones.
    const auto made_for = core::environment_variable("WEFT_KERNELS_FOR");
    kernel.prefers_storage_bindings =
        info.features.is_software && made_for != "gpu" && made_for != "large";
    kernel.max_inline_arguments = info.limits.max_inline_arguments;
    kernel.max_group_count = info.limits.max_group_count[0];
    kernel.adds_float = info.features.float32_atomic_add;
    kernel.adds_double = info.features.float64_atomic_add;
    kernel.subgroup_size = kernel.prefers_storage_bindings ? 0 : info.limits.subgroup_size;
    kernel.has_subgroup_sums = info.features.subgroup_arithmetic;
    kernel.has_matrix_units = info.features.matrix_units;
    kernel.shared_bytes = std::min(info.limits.max_shared_memory, codegen::kMaxSharedBytes);
}

std::shared_ptr<LaunchPlan> build_plan(BoundCall& call, const ArgumentList& arguments,
                                       const CallOptions& options, const KernelProvider& provide) {
    auto plan = std::make_shared<LaunchPlan>();
    codegen::Kernel& kernel = call.kernel;
    plan->function = call.function.name;
    plan->shape = kernel.shape;
    plan->sources = call.sources;
    plan->returned = call.returned;
    plan->names = std::move(call.names);
    plan->warnings = std::move(call.warnings);
    plan->is_differentiable = call.function.is_differentiable;
    note_uses(call, *plan);
    set_flags(*plan, options);
    set_layouts(*plan, call.target.rules);
    plan->is_empty = codegen::call_count(kernel) == 0;
    if (plan->is_empty) {
        plan->explanation = "no elements: nothing is launched\n";
        return plan;
    }
    if (kernel.derivative == codegen::Derivative::backward) {
        note_axes(call, *plan);
    }
    const bool is_deterministic = options.is_deterministic;
    plan->grids = find_grid_checks(kernel, plan->sources);
    kernel.sums = is_deterministic ? codegen::SumPass::fixed : codegen::SumPass::at_once;
    codegen::lower(kernel);
    plan->explanation = explain(call, kernel);
    if (is_deterministic) {
        check_determinism(call, kernel);
    }
    if (is_deterministic && add_record_sources(kernel, *plan)) {
        plan->records = compile_record_steps(kernel, *plan, provide);
        plan->explanation += kDeterministicWords;
    }
    plan->compiled = provide(codegen::print(kernel), kernel);
    plan->group_count = kernel.group_count;
    add_arguments(kernel, *plan);
    add_buffers(kernel, *plan);
    plan->overlaps = find_overlap_checks(kernel, plan->sources);
    plan->written = find_written_sources(kernel);
    add_globals(call, arguments, *plan);
    set_flags(*plan, options);
    set_layouts(*plan, call.target.rules);
    return plan;
}

} // namespace weft::dispatch
