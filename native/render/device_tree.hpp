// SPDX-License-Identifier: Apache-2.0
// Trees of meshes made on the device, in the form of scene/bvh.hpp. Start reading at DeviceTreeBuilder::cluster().
#pragma once

#include "core/thread_pool.hpp"
#include "render/tree_kernels.hpp"
#include "scene/bvh.hpp"

#include <cstdint>
#include <vector>

namespace weft::render {

/// Fewest and most triangles of a mesh whose tree the device can make.
inline constexpr std::uint64_t kMinDeviceTree = 2;
inline constexpr std::uint64_t kMaxDeviceTree = std::uint64_t{1} << 28U;

/// Bytes of the device that making a tree takes beside the tree, at most: 104 a triangle, and its mesh.
[[nodiscard]] std::uint64_t device_tree_build_bytes(const scene::MeshView& mesh) noexcept;

/// The mesh on the device, and which nodes its tree has, before they have places.
struct ClusteredMesh {
    tensor::TensorRef positions;
    tensor::TensorRef indices;
    tensor::TensorRef boxes; ///< see ClusterArguments of shaders/weft/render/tree/cluster.slang
    tensor::TensorRef infos;
    std::vector<std::uint32_t> rounds; ///< nodes that were made by the end of each round
    std::uint32_t triangle_count = 0;
    std::uint32_t node_count = 0; ///< of the tree
    float cost = 0;               ///< as refit() returns it
    scene::BvhMesh mesh;          ///< but root
};

/// A tree in arrays that hold those of other meshes as well.
struct DeviceTree {
    tensor::TensorRef
        order; ///< of nodes, as they were made: place, or ~0 for what became part of a leaf
    std::vector<std::uint32_t> rounds; ///< as of ClusteredMesh
    tensor::TensorRef indices;         ///< three vertices a triangle; null before the first refit()
    float cost = 0;                    ///< when it was made, as refit() returns it
};

/// Arrays of BvhNode and BvhTriangle.
struct TreeArrays {
    const tensor::Tensor& nodes;
    const tensor::Tensor& triangles;
};

/// Where a tree begins in these arrays.
struct TreePlace {
    std::uint32_t node = 0;
    std::uint32_t triangle = 0;
};

/// Makes trees of two children a node: the same tree for the same mesh on the same device each time. A path has at
/// most kMaxMeshDepth inner nodes. One thread at a time.
class DeviceTreeBuilder {
public:
    explicit DeviceTreeBuilder(const dispatch::Context& context) : m_kernels(context) {}

    /// Decides which nodes there are. Waits for the device several times.
    /// @param mesh valid, see scene::require_valid(); kMinDeviceTree to kMaxDeviceTree triangles.
    /// @throws DeviceError if memory is short.
    [[nodiscard]] ClusteredMesh cluster(const scene::MeshView& mesh, core::ThreadPool& pool);

    /// Writes the nodes and the triangles of the tree, from `to` on. Does not wait.
    [[nodiscard]] DeviceTree place(const ClusteredMesh& mesh, const TreeArrays& arrays,
                                   const TreePlace& to);

    /// A tree that lies at `from`, with boxes and triangles for vertices that have moved, is written to `to`. With the
    /// vertices that it was made for, it is the same bit by bit.
    /// @param tree gets indices if it has none. @param mesh with the triangles of the tree; valid. @param bounds of it.
    /// @returns time to trace a ray through the tree by that of its root, by the surface area heuristic. Waits.
    [[nodiscard]] float refit(DeviceTree& tree, const scene::MeshView& mesh,
                              const scene::BvhMesh& bounds, const TreeArrays& arrays,
                              const TreePlace& from, const TreePlace& to);

private:
    void sort(tensor::TensorRef& values, std::uint32_t count, const tensor::Tensor& boxes,
              const tensor::Tensor& bounds);
    void make_nodes(ClusteredMesh& out, tensor::TensorRef clusters, const tensor::Tensor& bounds,
                    core::ThreadPool& pool);
    void make_top(ClusteredMesh& out, const tensor::Tensor& clusters, std::uint32_t count,
                  const tensor::Tensor& bounds, core::ThreadPool& pool);
    tensor::TensorRef upload_positions(const scene::MeshView& mesh) const;
    tensor::TensorRef upload_indices(const scene::MeshView& mesh) const;

    TreeKernels m_kernels;
};

} // namespace weft::render
