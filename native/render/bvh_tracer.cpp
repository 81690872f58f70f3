// SPDX-License-Identifier: Apache-2.0
#include "render/bvh_tracer.hpp"

#include "scene/bvh.hpp"
#include "scene/wide_bvh.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::render {

using dispatch::Node;
using dispatch::NodeKind;
using reflect::ScalarKind;

namespace {

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

} // namespace

BvhTracer::BvhTracer(const dispatch::Context& context, const scene::Geometry& geometry,
                     bool is_wide, TreeBuilder builder)
    : Tracer(context.device), m_is_wide(is_wide), m_trees(context, is_wide, builder),
      m_kernels(context,
                {.module = "weft/render/bvh", .type = is_wide ? "WideBvhView" : "BvhView"}) {
    scene::require_valid(geometry);
    m_meshes = m_trees.build(geometry.meshes, m_pool);
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

void BvhTracer::trace_closest(const RayBatch& batch) {
    require_batch(batch, kHitRows, "trace_closest");
    m_kernels.trace_closest(batch, [this](auto& arguments) { add_view(m_view, {}, arguments); });
}

void BvhTracer::trace_any(const RayBatch& batch) {
    require_batch(batch, 1, "trace_any");
    m_kernels.trace_any(batch, [this](auto& arguments) { add_view(m_view, {}, arguments); });
}

} // namespace weft::render
