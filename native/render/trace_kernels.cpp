// SPDX-License-Identifier: Apache-2.0
#include "render/trace_kernels.hpp"

#include "core/text.hpp"
#include "dispatch/launch.hpp"

#include <algorithm>
#include <bit>

namespace weft::render {

using dispatch::Node;
using dispatch::NodeKind;
using reflect::ScalarKind;

namespace {

// Functions of an imported module are not found by name, those of the source are.
constexpr const char* kSource = R"(
void traceClosestRays(int index, uint count, uint capacity, View bvh, float* rays, uint* hits)
{
    traceClosestRay(index, count, capacity, bvh, rays, hits);
}
void traceAnyRays(int index, uint count, uint capacity, View bvh, float* rays, uint* hits)
{
    traceAnyRay(index, count, capacity, bvh, rays, hits);
}
)";

std::string source_for(const TraceKernels::Structure& structure) {
    return core::text("import \"weft/trace\";\nimport \"", structure.module,
                      "\";\ntypealias View = ", structure.type, ";", kSource);
}

/// Plans are kept by the size of the grid: few sizes, an eighth apart at most.
std::uint32_t grid_size(std::uint32_t count) {
    constexpr std::uint32_t kMinStep = 1024;
    const std::uint32_t step = std::max(kMinStep, std::bit_floor(count) / 8);
    return (count + (step - 1)) / step * step;
}

void add_grid(dispatch::ArgumentList& arguments, std::uint32_t extent) {
    Node& node = add_node(arguments, NodeKind::grid);
    node.rank = 1;
    node.scalar = ScalarKind::int64;
    node.shape_begin = static_cast<std::uint32_t>(arguments.words.size());
    node.data_begin = node.shape_begin + 1;
    node.data_count = 2;
    const std::uint64_t stride = 1;
    const std::uint64_t offset = 0;
    arguments.words.insert(arguments.words.end(), {extent, stride, offset});
}

} // namespace

Node& add_node(dispatch::ArgumentList& arguments, NodeKind kind) {
    arguments.roots.push_back({.node = static_cast<std::uint32_t>(arguments.nodes.size())});
    Node& node = arguments.nodes.emplace_back();
    node.kind = kind;
    return node;
}

TraceKernels::TraceKernels(const dispatch::Context& context, const Structure& structure)
    : m_device(context.device) {
    compile::ModuleDesc desc;
    desc.name = "tracer";
    desc.text = source_for(structure);
    desc.target = context.device->target();
    m_module =
        dispatch::Module::create(context, std::move(desc), {.links = {}, .hot_reload = false});
    m_closest = m_module->function("traceClosestRays");
    m_any = m_module->function("traceAnyRays");
}

void TraceKernels::launch(dispatch::Function& function, const RayBatch& batch,
                          const AddStructure& add) {
    if (batch.count == 0) {
        return;
    }
    m_arguments.clear();
    add_grid(m_arguments, grid_size(batch.count));
    add_node(m_arguments, NodeKind::integer).integer = batch.count;
    add_node(m_arguments, NodeKind::integer).integer = batch.capacity;
    add(m_arguments);
    add_node(m_arguments, NodeKind::tensor).tensor = batch.rays.get();
    add_node(m_arguments, NodeKind::tensor).tensor = batch.hits.get();
    std::shared_ptr<const dispatch::LaunchPlan> plan = function.find_plan(m_arguments);
    if (!plan) {
        plan = function.make_plan(m_arguments);
    }
    m_state.launch(*plan, m_arguments, *m_device, {});
    m_state.release();
}

void TraceKernels::trace_closest(const RayBatch& batch, const AddStructure& add) {
    launch(*m_closest, batch, add);
}

void TraceKernels::trace_any(const RayBatch& batch, const AddStructure& add) {
    launch(*m_any, batch, add);
}

} // namespace weft::render
