// SPDX-License-Identifier: Apache-2.0
#include "render/device_tree.hpp"

#include "render/tree_top.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace weft::render {

namespace {

constexpr std::uint32_t kBoxWords = 8;
constexpr std::uint32_t kInfoWords = 4;
constexpr std::uint32_t kDigitBits = 4;
constexpr std::uint32_t kDigits = 1U << kDigitBits;
/// Sorted of each of the two words of a Morton code.
constexpr std::uint32_t kWordBits = 32;
/// A round that makes fewer nodes by the number of clusters is followed by one in which all clusters pair up: sizes
/// that grow from one cluster to the next let one pair form a round.
constexpr std::uint32_t kSlowRound = 10;
/// Where paths could not be longer than those of a balanced tree by as many nodes, clusters go on.
constexpr std::size_t kSpareLevels = 4;
/// The host cuts the clusters when there is one for so many triangles: fewer make trees as quick to trace and take longer.
constexpr std::uint32_t kTrianglesOfCluster = 32;

std::uint64_t groups_for(std::uint64_t count) {
    return (count + kTreeThreads - 1) / kTreeThreads;
}

/// Whether clusters have to pair up from now on for the tree not to become too deep.
bool is_deep(std::size_t rounds, std::uint32_t count) {
    return rounds + static_cast<std::size_t>(std::bit_width(count - 1)) >= scene::kMaxMeshDepth;
}

/// What rounds of merging clusters write besides the tree.
struct ClusterBuffers {
    tensor::TensorRef merged; ///< clusters after a round
    tensor::TensorRef neighbours;
    tensor::TensorRef places;
    tensor::TensorRef sums;

    ClusterBuffers(const TreeKernels& kernels, std::uint32_t count)
        : merged(kernels.create_words(count, "clusters")),
          neighbours(kernels.create_words(count, "neighbours of clusters")),
          places(kernels.create_words(std::uint64_t{2} * count, "places of clusters")),
          sums(kernels.create_words(2 * TreeKernels::scan_sums_size(count), "sums of a tree")) {}
};

/// As Box.scale() of shaders/weft/render/tree/box.slang.
float scale_of(const scene::BvhMesh& mesh) {
    float half_edge = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        half_edge = std::max(half_edge, 0.5F * mesh.highest[axis] - 0.5F * mesh.lowest[axis]);
    }
    const int exponent = static_cast<int>(std::bit_cast<std::uint32_t>(half_edge) >> 23U);
    return std::bit_cast<float>(static_cast<std::uint32_t>(std::clamp(253 - exponent, 1, 253))
                                << 23U);
}

double half_area(const scene::BvhMesh& mesh, double scale) {
    std::array<double, 3> edge{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        edge[axis] = scale * mesh.highest[axis] - scale * mesh.lowest[axis];
    }
    return edge[0] * edge[1] + (edge[0] + edge[1]) * edge[2];
}

float relative_cost(float cost, const scene::BvhMesh& mesh) {
    const double area = half_area(mesh, scale_of(mesh));
    return area > 0 ? static_cast<float>(cost / area) : 0;
}

template <typename Value>
void download(const tensor::Tensor& words, std::uint64_t first, std::span<Value> values) {
    words.device().download(words.buffer(), words.offset_bytes() + first * sizeof(std::uint32_t),
                            std::as_writable_bytes(values));
}

} // namespace

std::uint64_t device_tree_build_bytes(const scene::MeshView& mesh) noexcept {
    constexpr std::uint64_t kBytes = 104;
    constexpr std::uint64_t kSlack = 64 << 10; // sums, and what an allocation is rounded up to
    return kBytes * (mesh.triangles.size() / 3) + mesh.positions.size_bytes() +
           mesh.triangles.size_bytes() + kSlack;
}

tensor::TensorRef DeviceTreeBuilder::upload_positions(const scene::MeshView& mesh) const {
    auto words = m_kernels.create_words(mesh.positions.size(), "vertices of a tree");
    words->device().upload(words->buffer(), words->offset_bytes(), std::as_bytes(mesh.positions));
    return words;
}

tensor::TensorRef DeviceTreeBuilder::upload_indices(const scene::MeshView& mesh) const {
    auto words = m_kernels.create_words(mesh.triangles.size(), "triangles of a tree");
    words->device().upload(words->buffer(), words->offset_bytes(), std::as_bytes(mesh.triangles));
    return words;
}

/// Writes the numbers of the boxes in the order of a Morton curve.
void DeviceTreeBuilder::sort(tensor::TensorRef& values, std::uint32_t count,
                             const tensor::Tensor& boxes, const tensor::Tensor& bounds) {
    tensor::TensorRef keys = m_kernels.create_words(std::uint64_t{2} * count, "keys of a tree");
    tensor::TensorRef keys_out = m_kernels.create_words(std::uint64_t{2} * count, "keys of a tree");
    tensor::TensorRef values_out = m_kernels.create_words(count, "clusters");
    const std::uint32_t tiles = (count + kSortTile - 1) / kSortTile;
    const std::uint32_t count_count = tiles * kDigits;
    const auto counts = m_kernels.create_words(std::uint64_t{2} * count_count, "digits of a tree");
    const auto sums =
        m_kernels.create_words(2 * TreeKernels::scan_sums_size(count_count), "sums of a tree");
    m_kernels.launch(TreeFunction::encode_centres,
                     EncodeArguments{.boxes = boxes.address(),
                                     .bounds = bounds.address(),
                                     .keys = keys->address(),
                                     .values = values->address(),
                                     .count = count},
                     groups_for(count), {&boxes, &bounds, keys.get(), values.get()});
    for (std::uint32_t word = 0; word < 2; ++word) {
        for (std::uint32_t shift = 0; shift < kWordBits; shift += kDigitBits) {
            const SortArguments arguments{.keys = keys->address(),
                                          .values = values->address(),
                                          .keys_out = keys_out->address(),
                                          .values_out = values_out->address(),
                                          .counts = counts->address(),
                                          .count = count,
                                          .tiles = tiles,
                                          .shift = shift,
                                          .word = word};
            m_kernels.launch(TreeFunction::count_digits, arguments, tiles,
                             {keys.get(), counts.get()});
            m_kernels.start_scan(*counts, count_count, *sums);
            m_kernels.launch(
                TreeFunction::scatter_digits, arguments, tiles,
                {keys.get(), values.get(), keys_out.get(), values_out.get(), counts.get()});
            std::swap(keys, keys_out);
            std::swap(values, values_out);
        }
    }
}

/// Makes the nodes above `count` clusters, the host having cut them.
void DeviceTreeBuilder::make_top(ClusteredMesh& out, const tensor::Tensor& clusters,
                                 std::uint32_t count, const tensor::Tensor& bounds,
                                 core::ThreadPool& pool) {
    const auto words = m_kernels.create_words(std::uint64_t{kBoxWords} * count, "clusters");
    ClusterArguments arguments{.bounds = bounds.address(),
                               .boxes = out.boxes->address(),
                               .infos = out.infos->address(),
                               .clusters = clusters.address(),
                               .primitives = words->address(),
                               .count = count,
                               .triangles = out.triangle_count};
    m_kernels.launch(TreeFunction::list_clusters, arguments, groups_for(count),
                     {out.boxes.get(), &clusters, words.get()});
    std::vector<scene::BvhPrimitive> primitives(count);
    download<scene::BvhPrimitive>(*words, 0, primitives);
    const std::uint32_t made = out.rounds.empty() ? 0 : out.rounds.back();
    const auto depth = static_cast<std::uint32_t>(scene::kMaxMeshDepth - out.rounds.size());
    const TreeTop top = cut_clusters(primitives, out.triangle_count + made, depth, pool);
    words->device().upload(words->buffer(), words->offset_bytes(),
                           std::as_bytes(std::span(top.pairs)));
    std::uint32_t begin = 0;
    for (const std::uint32_t end : top.rounds) {
        arguments.pairs = words->address() + begin * sizeof(top.pairs.front());
        arguments.count = end - begin;
        arguments.made = made + begin;
        m_kernels.launch(TreeFunction::make_pairs, arguments, groups_for(end - begin),
                         {&bounds, out.boxes.get(), out.infos.get(), words.get()});
        out.rounds.push_back(made + end);
        begin = end;
    }
}

void DeviceTreeBuilder::make_nodes(ClusteredMesh& out, tensor::TensorRef clusters,
                                   const tensor::Tensor& bounds, core::ThreadPool& pool) {
    std::uint32_t count = out.triangle_count;
    ClusterBuffers own(m_kernels, count);
    std::uint32_t made = 0;
    bool is_slow = false;
    const std::uint32_t enough = out.triangle_count / kTrianglesOfCluster;
    while (count > 1) {
        if (count <= enough && !is_deep(out.rounds.size() + kSpareLevels, count)) {
            make_top(out, *clusters, count, bounds, pool);
            return;
        }
        const bool pairs_all = is_slow || is_deep(out.rounds.size(), count);
        const ClusterArguments arguments{.bounds = bounds.address(),
                                         .boxes = out.boxes->address(),
                                         .infos = out.infos->address(),
                                         .clusters = clusters->address(),
                                         .merged = own.merged->address(),
                                         .neighbours = own.neighbours->address(),
                                         .places = own.places->address(),
                                         .count = count,
                                         .triangles = out.triangle_count,
                                         .made = made,
                                         .pairs_all = pairs_all ? 1U : 0U};
        const std::uint64_t groups = groups_for(count);
        m_kernels.launch(TreeFunction::find_neighbours, arguments, groups,
                         {&bounds, out.boxes.get(), clusters.get(), own.neighbours.get()});
        m_kernels.launch(TreeFunction::count_pairs, arguments, groups,
                         {own.neighbours.get(), own.places.get()});
        const auto [left, pairs] = m_kernels.scan(*own.places, count, *own.sums);
        m_kernels.launch(TreeFunction::merge_pairs, arguments, groups,
                         {&bounds, out.boxes.get(), out.infos.get(), clusters.get(),
                          own.merged.get(), own.neighbours.get(), own.places.get()});
        is_slow = !pairs_all && pairs < count / kSlowRound;
        made += pairs;
        out.rounds.push_back(made);
        count = left;
        std::swap(clusters, own.merged);
    }
}

ClusteredMesh DeviceTreeBuilder::cluster(const scene::MeshView& mesh, core::ThreadPool& pool) {
    const auto count = static_cast<std::uint32_t>(mesh.triangles.size() / 3);
    const std::uint64_t groups = groups_for(count);
    ClusteredMesh out;
    out.triangle_count = count;
    out.positions = upload_positions(mesh);
    out.indices = upload_indices(mesh);
    out.boxes = m_kernels.create_words(std::uint64_t{2} * kBoxWords * count, "boxes of a tree");
    const auto bounds = m_kernels.create_words(kBoxWords * groups, "bounds of a tree");
    m_kernels.launch(TreeFunction::bound_triangles,
                     BoundArguments{.positions = out.positions->address(),
                                    .indices = out.indices->address(),
                                    .boxes = out.boxes->address(),
                                    .bounds = bounds->address(),
                                    .count = count},
                     groups,
                     {out.positions.get(), out.indices.get(), out.boxes.get(), bounds.get()});
    m_kernels.launch(
        TreeFunction::join_bounds,
        JoinArguments{.bounds = bounds->address(), .count = static_cast<std::uint32_t>(groups)}, 1,
        {bounds.get()});
    tensor::TensorRef clusters = m_kernels.create_words(count, "clusters");
    sort(clusters, count, *out.boxes, *bounds);
    out.infos = m_kernels.create_words(std::uint64_t{kInfoWords} * count, "nodes of a tree");
    make_nodes(out, std::move(clusters), *bounds, pool);
    std::array<std::uint32_t, kInfoWords> root{};
    download<std::uint32_t>(*out.infos, std::uint64_t{kInfoWords} * (count - 2), root);
    out.node_count = root[1];
    std::array<float, kBoxWords> box{};
    download<float>(*bounds, 0, box);
    out.mesh.is_empty = false;
    std::copy_n(box.begin(), 3, out.mesh.lowest.begin());
    std::copy_n(box.begin() + 4, 3, out.mesh.highest.begin());
    out.cost = relative_cost(std::bit_cast<float>(root[2]), out.mesh);
    return out;
}

DeviceTree DeviceTreeBuilder::place(const ClusteredMesh& mesh, const TreeArrays& arrays,
                                    const TreePlace& to) {
    DeviceTree tree;
    tree.rounds = mesh.rounds;
    tree.cost = mesh.cost;
    tree.order = m_kernels.create_words(mesh.triangle_count, "order of a tree");
    for (std::size_t i = mesh.rounds.size(); i-- > 0;) {
        const std::uint32_t begin = i == 0 ? 0 : mesh.rounds[i - 1];
        m_kernels.launch(TreeFunction::place_nodes,
                         PlaceArguments{.positions = mesh.positions->address(),
                                        .indices = mesh.indices->address(),
                                        .boxes = mesh.boxes->address(),
                                        .infos = mesh.infos->address(),
                                        .nodes = arrays.nodes.address(),
                                        .records = arrays.triangles.address(),
                                        .order = tree.order->address(),
                                        .begin = begin,
                                        .end = mesh.rounds[i],
                                        .root = mesh.triangle_count - 2,
                                        .triangles = mesh.triangle_count,
                                        .first_node = to.node,
                                        .first_triangle = to.triangle},
                         groups_for(mesh.rounds[i] - begin),
                         {mesh.positions.get(), mesh.indices.get(), mesh.boxes.get(),
                          mesh.infos.get(), &arrays.nodes, &arrays.triangles, tree.order.get()});
    }
    return tree;
}

float DeviceTreeBuilder::refit(DeviceTree& tree, const scene::MeshView& mesh,
                               const scene::BvhMesh& bounds, const TreeArrays& arrays,
                               const TreePlace& from, const TreePlace& to) {
    if (!tree.indices) {
        tree.indices = upload_indices(mesh);
    }
    const auto positions = upload_positions(mesh);
    const auto costs = m_kernels.create_words(mesh.triangles.size() / 3, "costs of a tree");
    for (std::size_t i = 0; i < tree.rounds.size(); ++i) {
        const std::uint32_t begin = i == 0 ? 0 : tree.rounds[i - 1];
        m_kernels.launch(TreeFunction::refit_nodes,
                         RefitArguments{.positions = positions->address(),
                                        .indices = tree.indices->address(),
                                        .nodes = arrays.nodes.address(),
                                        .records = arrays.triangles.address(),
                                        .order = tree.order->address(),
                                        .costs = costs->address(),
                                        .begin = begin,
                                        .end = tree.rounds[i],
                                        .old_node = from.node,
                                        .first_node = to.node,
                                        .old_triangle = from.triangle,
                                        .first_triangle = to.triangle,
                                        .scale = scale_of(bounds)},
                         groups_for(tree.rounds[i] - begin),
                         {positions.get(), tree.indices.get(), &arrays.nodes, &arrays.triangles,
                          tree.order.get(), costs.get()});
    }
    std::array<float, 1> cost{};
    download<float>(*costs, 0, cost);
    return relative_cost(cost[0], bounds);
}

} // namespace weft::render
