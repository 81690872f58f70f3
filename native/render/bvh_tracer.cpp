// SPDX-License-Identifier: Apache-2.0
#include "render/bvh_tracer.hpp"

#include "core/text.hpp"
#include "dispatch/launch.hpp"
#include "scene/bvh.hpp"
#include "scene/wide_bvh.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
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
                     bool is_wide, TreeBuilder builder)
    : Tracer(context.device), m_is_wide(is_wide), m_trees(context, is_wide, builder) {
    scene::require_valid(geometry);
    m_meshes = m_trees.build(geometry.meshes, m_pool);
    compile::ModuleDesc desc;
    desc.name = "tracer";
    desc.text = source_for(is_wide ? "WideBvhView" : "BvhView");
    desc.target = context.device->target();
    m_module =
        dispatch::Module::create(context, std::move(desc), {.links = {}, .hot_reload = false});
    m_closest = m_module->function("traceClosestRays");
    m_any = m_module->function("traceAnyRays");
    update_instances(geometry.instances);
}

std::unique_ptr<BvhTracer> BvhTracer::create(const dispatch::Context& context,
                                             const scene::Geometry& geometry, bool is_wide,
                                             TreeBuilder builder) {
    return std::unique_ptr<BvhTracer>(new BvhTracer(context, geometry, is_wide, builder));
}

TracerKind BvhTracer::kind() const noexcept {
    return m_is_wide ? TracerKind::wide_bvh : TracerKind::bvh;
}

template <typename Structure>
BvhTracer::TopLevel BvhTracer::make_top_level(std::span<const MeshTree> meshes,
                                              std::span<const scene::Instance> instances) {
    Structure bvh;
    bvh.meshes.reserve(meshes.size());
    for (const MeshTree& tree : meshes) {
        bvh.meshes.push_back(tree.mesh);
    }
    scene::update_instances(bvh, instances, m_pool);
    return {.nodes = upload(device(), std::span(std::as_const(bvh.top_nodes)), "bvh top nodes"),
            .instances =
                upload(device(), std::span(std::as_const(bvh.instances)), "bvh instances")};
}

BvhTracer::TopLevel BvhTracer::top_level(std::span<const MeshTree> meshes,
                                         std::span<const scene::Instance> instances) {
    return m_is_wide ? make_top_level<scene::WideBvh>(meshes, instances)
                     : make_top_level<scene::Bvh>(meshes, instances);
}

void BvhTracer::take(std::vector<MeshTree> meshes, TopLevel top) {
    m_meshes = std::move(meshes);
    m_view = {.nodes = m_trees.nodes(),
              .triangles = m_trees.triangles(),
              .top_nodes = std::move(top.nodes),
              .instances = std::move(top.instances)};
}

void BvhTracer::update_instances(std::span<const scene::Instance> instances) {
    TopLevel top = top_level(m_meshes, instances);
    take(std::move(m_meshes), std::move(top));
}

std::vector<MeshTree> BvhTracer::make_trees(std::span<const MeshSource> meshes,
                                            std::vector<MeshTree>& made) {
    std::vector<MeshTree> trees(meshes.size());
    std::vector<scene::MeshView> added;
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        const MeshSource& source = meshes[i];
        if (source.kept == MeshSource::kNew) {
            added.push_back(source.mesh);
        } else if (source.mesh.positions.empty()) {
            trees[i] = m_meshes[source.kept];
        } else {
            trees[i] = m_trees.rebuild(m_meshes[source.kept], source.mesh, m_pool);
            made.push_back(trees[i]);
        }
    }
    std::vector<MeshTree> built = m_trees.build(added, m_pool);
    made.insert(made.end(), built.begin(), built.end());
    auto next = built.begin();
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        if (meshes[i].kept == MeshSource::kNew) {
            trees[i] = std::move(*next++);
        }
    }
    return trees;
}

void BvhTracer::update(std::span<const MeshSource> meshes,
                       std::span<const scene::Instance> instances) {
    std::vector<MeshSize> sizes;
    std::ranges::transform(
        m_meshes, std::back_inserter(sizes), [](const MeshTree& tree) -> MeshSize {
            return {.vertices = tree.vertex_count, .triangles = tree.triangles.count};
        });
    require_sources(meshes, sizes, instances, m_pool);
    std::vector<MeshTree> made;
    try {
        std::vector<MeshTree> trees = make_trees(meshes, made);
        TopLevel top = top_level(trees, instances);
        for (const MeshSource& source : meshes) {
            if (source.kept != MeshSource::kNew && source.mesh.positions.empty()) {
                m_meshes[source.kept].nodes = m_meshes[source.kept].triangles = {};
            }
        }
        std::ranges::for_each(m_meshes, [this](const MeshTree& tree) { m_trees.drop(tree); });
        take(std::move(trees), std::move(top));
    } catch (...) {
        std::ranges::for_each(made, [this](const MeshTree& tree) { m_trees.drop(tree); });
        // The arrays may have grown, and hold what they held.
        m_view.nodes = m_trees.nodes();
        m_view.triangles = m_trees.triangles();
        throw;
    }
}

TracerMemory BvhTracer::memory() const noexcept {
    TracerMemory out{.build = m_trees.build_bytes()};
    const auto add = [&](const tensor::TensorRef& tensor) {
        out.held += tensor ? tensor->buffer().size_bytes() : 0;
    };
    for (const auto& tensor :
         {m_view.nodes, m_view.triangles, m_view.top_nodes, m_view.instances}) {
        add(tensor);
    }
    for (const MeshTree& tree : m_meshes) {
        if (tree.device_tree) {
            add(tree.device_tree->order);
            add(tree.device_tree->indices);
        }
    }
    return out;
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
