// SPDX-License-Identifier: Apache-2.0
#include "dispatch/plan.hpp"

#include "codegen/leaves.hpp"
#include "codegen/pipeline.hpp"
#include "codegen/print.hpp"
#include "core/error.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "dispatch/deterministic.hpp"
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
                                .reach_bytes = operand.memory.reach_bytes});
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

const Root* find_uniform(const ArgumentList& arguments, std::string_view name) {
    for (const Root& root : arguments.roots) {
        if (root.role == Role::uniform && arguments.root_node(root).name == name) {
            return &root;
        }
    }
    return nullptr;
}

/// "params.scale" -> the node of field 'scale' below the uniform 'params'.
std::uint32_t find_global_node(const ArgumentList& arguments, const std::string& path,
                               const std::string& function) {
    std::string_view rest = path;
    const std::string_view head = rest.substr(0, rest.find('.'));
    const Root* root = find_uniform(arguments, head);
    if (root == nullptr) {
        throw core::ArgumentError(text(function, ": its module reads the uniform '", head,
                                       "', which has no value; give it one with function.set({'",
                                       head, "': ...})"));
    }
    std::uint32_t at = root->node;
    while (rest.find('.') != std::string_view::npos) {
        rest.remove_prefix(rest.find('.') + 1);
        const std::string_view field = rest.substr(0, rest.find('.'));
        const std::uint32_t end = at + arguments.nodes[at].subtree;
        std::uint32_t child = at + 1;
        while (child < end && arguments.nodes[child].name != field) {
            child += arguments.nodes[child].subtree;
        }
        if (child >= end) {
            throw core::ArgumentError(text(function, ": the value of uniform '", head,
                                           "' has no field '", field,
                                           "'; pass a dict with all fields"));
        }
        at = child;
    }
    return at;
}

void add_globals(const ArgumentList& arguments, LaunchPlan& plan) {
    for (const compile::GlobalField& field : plan.compiled->globals) {
        const std::uint32_t node = find_global_node(arguments, field.name, plan.function);
        const auto leaves = codegen::scalar_leaves(*field.type);
        if (!leaves) {
            throw core::ArgumentError(text(plan.function, ": the uniform '", field.name,
                                           "' has type ", tensor::display_name(*field.type),
                                           ", which set() cannot write"));
        }
        for (std::size_t i = 0; i < leaves->size(); ++i) {
            const auto& leaf = (*leaves)[i];
            plan.globals.push_back(
                {.scalar = leaf.kind,
                 .offset = field.offset + static_cast<std::uint32_t>(leaf.offset),
                 .node = node,
                 .component = static_cast<std::uint32_t>(i),
                 .size = static_cast<std::uint32_t>(leaf.size)});
        }
    }
}

/// Layouts of the memory that a call makes, so that a repeated call makes it without looking at types.
void set_layouts(LaunchPlan& plan, device::DeviceType device) {
    for (Source& source : plan.sources) {
        const bool is_made = source.kind == SourceKind::upload ||
                             (source.kind == SourceKind::allocate && !plan.returns_values);
        if (is_made) {
            const reflect::TypeRef dtype = source.kind == SourceKind::upload
                                               ? reflect::scalar_type(source.scalar)
                                               : source.dtype;
            tensor::require_storable(dtype.get());
            source.layout =
                tensor::make_array_layout(tensor::storage_type(dtype, device), source.shape);
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
    case codegen::Accumulation::callee:
        return kernel.collector.empty() ? ", summed in the subgroup, one atomic addition a subgroup"
                                        : ", summed in the group, one atomic addition a group";
    case codegen::Accumulation::none: break;
    }
    return "";
}

std::string threads_text(const codegen::Kernel& kernel) {
    const codegen::Walk& walk = kernel.walk;
    return kernel.is_tiled       ? "32x32 tiles"
           : walk.dimension >= 0 ? text("threads walk along dimension ", walk.dimension, ", ",
                                        walk.lanes, " beside ", walk.columns, " of them a group")
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
        const char* pattern = is_tensor           ? "whole tensor"
                              : memory.is_uniform ? "broadcast"
                              : memory.is_linear  ? "one-to-one"
                                                  : "strided";
        const Source& source = call.sources[static_cast<std::size_t>(operand.source)];
        out += text("  ", source.name, part_suffix(source.part), ": ", pattern,
                    accumulation_words(kernel, operand.accumulation),
                    memory.is_wide      ? ", vector accesses"
                    : memory.stage >= 0 ? ", through shared memory"
                                        : "",
                    memory.binding >= 0 ? ", storage buffer" : ", pointer", "\n");
    });
    return out;
}

void set_flags(LaunchPlan& plan, const CallOptions& options) {
    plan.returns_values = plan.shape.empty() && options.return_kind == ReturnKind::automatic;
    for (Source& source : plan.sources) {
        plan.uploads = plan.uploads || source.kind == SourceKind::upload;
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
}

std::shared_ptr<const LaunchPlan> build_plan(BoundCall& call, const ArgumentList& arguments,
                                             const CallOptions& options,
                                             const KernelProvider& provide) {
    auto plan = std::make_shared<LaunchPlan>();
    codegen::Kernel& kernel = call.kernel;
    plan->function = call.function.name;
    plan->shape = kernel.shape;
    plan->sources = call.sources;
    plan->returned = call.returned;
    plan->warnings = std::move(call.warnings);
    set_flags(*plan, options);
    set_layouts(*plan, call.target.type);
    plan->is_empty = codegen::call_count(kernel) == 0;
    if (plan->is_empty) {
        plan->explanation = "no elements: nothing is launched\n";
        return plan;
    }
    const bool is_deterministic = options.is_deterministic;
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
    add_globals(arguments, *plan);
    return plan;
}

} // namespace weft::dispatch
