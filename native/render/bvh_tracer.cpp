// SPDX-License-Identifier: Apache-2.0
#include "render/bvh_tracer.hpp"

#include "core/text.hpp"
#include "dispatch/launch.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <bit>
#include <utility>

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

std::string source_for(std::string_view view) {
    return core::text("import \"weft/trace\";\ntypealias View = ", view, ";", kSource);
}

/// An array of structures as words on the device; at least one, so that there is an address.
template <typename Element>
tensor::TensorRef upload(const std::shared_ptr<device::Device>& device,
                         std::span<const Element> elements, const char* label) {
    constexpr auto kWords = static_cast<std::int64_t>(sizeof(Element) / sizeof(std::uint32_t));
    const std::int64_t count = std::max<std::int64_t>(std::ssize(elements), 1);
    tensor::TensorRef words = tensor::Tensor::create(
        device, {.dtype = reflect::scalar_type(ScalarKind::uint32), .shape = {count * kWords}},
        label);
    if (elements.empty()) {
        tensor::clear(*words);
    } else {
        tensor::upload(*words, std::as_bytes(elements));
    }
    return words;
}

Node& add_node(dispatch::ArgumentList& arguments, NodeKind kind) {
    arguments.roots.push_back({.node = static_cast<std::uint32_t>(arguments.nodes.size())});
    Node& node = arguments.nodes.emplace_back();
    node.kind = kind;
    return node;
}

/// Plans are kept by the size of the grid: few sizes, an eighth apart at most.
std::uint32_t grid_size(std::uint32_t count) {
    constexpr std::uint32_t kLeast = 1024;
    const std::uint32_t step = std::max(kLeast, std::bit_floor(count) / 8);
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

BvhTracer::BvhTracer(const dispatch::Context& context, const scene::Geometry& geometry,
                     bool is_wide)
    : Tracer(context.device), m_bvh(is_wide ? Structure(scene::build_wide_bvh(geometry, m_pool))
                                            : Structure(scene::build_bvh(geometry, m_pool))) {
    compile::ModuleDesc desc;
    desc.name = "tracer";
    desc.text = source_for(kind() == TracerKind::wide_bvh ? "WideBvhView" : "BvhView");
    desc.target = context.device->target();
    m_module =
        dispatch::Module::create(context, std::move(desc), {.links = {}, .hot_reload = false});
    m_closest = m_module->function("traceClosestRays");
    m_any = m_module->function("traceAnyRays");
    upload_meshes();
    upload_top_level();
}

std::unique_ptr<BvhTracer> BvhTracer::create(const dispatch::Context& context,
                                             const scene::Geometry& geometry, bool is_wide) {
    return std::unique_ptr<BvhTracer>(new BvhTracer(context, geometry, is_wide));
}

TracerKind BvhTracer::kind() const noexcept {
    return std::holds_alternative<scene::WideBvh>(m_bvh) ? TracerKind::wide_bvh : TracerKind::bvh;
}

void BvhTracer::upload_meshes() {
    const auto work = [&](auto& bvh) {
        m_view.nodes = upload(device(), std::span(std::as_const(bvh.nodes)), "bvh nodes");
        m_view.triangles =
            upload(device(), std::span(std::as_const(bvh.triangles)), "bvh triangles");
        bvh.nodes = {};
        bvh.triangles = {};
    };
    std::visit(work, m_bvh);
}

void BvhTracer::upload_top_level() {
    const auto work = [&](const auto& bvh) {
        m_view.top_nodes = upload(device(), std::span(bvh.top_nodes), "bvh top nodes");
        m_view.instances = upload(device(), std::span(bvh.instances), "bvh instances");
    };
    std::visit(work, m_bvh);
}

void BvhTracer::update_instances(std::span<const scene::Instance> instances) {
    const auto work = [&](auto& bvh) { scene::update_instances(bvh, instances, m_pool); };
    std::visit(work, m_bvh);
    upload_top_level();
}

void BvhTracer::add_view(const View& view, std::string_view name,
                         dispatch::ArgumentList& arguments) {
    Node& structure = add_node(arguments, NodeKind::structure);
    structure.name = name;
    structure.subtree = 5;
    structure.children = 4;
    const auto add_field = [&](std::string_view field, const tensor::TensorRef& tensor) {
        Node& node = arguments.nodes.emplace_back();
        node.kind = NodeKind::tensor;
        node.name = field;
        node.tensor = tensor.get();
    };
    add_field("nodes", view.nodes);
    add_field("triangles", view.triangles);
    add_field("top_nodes", view.top_nodes);
    add_field("instances", view.instances);
}

void BvhTracer::launch(dispatch::Function& function, const RayBatch& batch) {
    if (batch.count == 0) {
        return;
    }
    m_arguments.clear();
    add_grid(m_arguments, grid_size(batch.count));
    add_node(m_arguments, NodeKind::integer).integer = batch.count;
    add_node(m_arguments, NodeKind::integer).integer = batch.capacity;
    add_view(m_view, {}, m_arguments);
    add_node(m_arguments, NodeKind::tensor).tensor = batch.rays.get();
    add_node(m_arguments, NodeKind::tensor).tensor = batch.hits.get();
    std::shared_ptr<const dispatch::LaunchPlan> plan = function.find_plan(m_arguments);
    if (!plan) {
        plan = function.make_plan(m_arguments);
    }
    m_state.launch(*plan, m_arguments, *device(), {});
    m_state.release();
}

void BvhTracer::trace_closest(const RayBatch& batch) {
    require_batch(batch, kHitRows, "trace_closest");
    launch(*m_closest, batch);
}

void BvhTracer::trace_any(const RayBatch& batch) {
    require_batch(batch, 1, "trace_any");
    launch(*m_any, batch);
}

} // namespace weft::render
