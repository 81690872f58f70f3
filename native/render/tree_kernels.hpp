// SPDX-License-Identifier: Apache-2.0
// The functions of shaders/weft/render/tree.slang and their arguments. The structures are those of the same names there;
// change both together. Addresses are of device memory.
#pragma once

#include "dispatch/module.hpp"
#include "tensor/tensor.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace weft::render {

/// Threads of a group, but of functions that sort.
inline constexpr std::uint32_t kTreeThreads = 256;
/// Numbers that a group sorts, and sums up.
inline constexpr std::uint32_t kSortTile = 1024;
inline constexpr std::uint32_t kScanBlock = 2048;

enum class TreeFunction : std::uint8_t {
    bound_triangles,
    join_bounds,
    encode_centres,
    count_digits,
    scatter_digits,
    scan_blocks,
    add_totals,
    find_neighbours,
    count_pairs,
    merge_pairs,
    list_clusters,
    make_pairs,
    place_nodes,
    refit_nodes
};
inline constexpr std::size_t kTreeFunctions = 14;

struct BoundArguments {
    std::uint64_t positions, indices, boxes, bounds;
    std::uint32_t count;
    std::uint32_t columns = 0; ///< here and below: set by launch()
};

struct JoinArguments {
    std::uint64_t bounds;
    std::uint32_t count;
    std::uint32_t columns = 0;
};

struct EncodeArguments {
    std::uint64_t boxes, bounds, keys, values;
    std::uint32_t count;
    std::uint32_t columns = 0;
};

struct SortArguments {
    std::uint64_t keys, values, keys_out, values_out, counts;
    std::uint32_t count, tiles, shift, word;
    std::uint32_t columns = 0;
};

struct ScanArguments {
    std::uint64_t data, totals;
    std::uint32_t count;
    std::uint32_t columns = 0;
};

struct ClusterArguments {
    std::uint64_t bounds = 0, boxes = 0, infos = 0, clusters = 0;
    std::uint64_t merged = 0, neighbours = 0, places = 0; ///< of a round that looks for pairs
    std::uint64_t primitives = 0, pairs = 0;              ///< of what the host cuts
    std::uint32_t count = 0, triangles = 0, made = 0, pairs_all = 0;
    std::uint32_t columns = 0;
};

struct PlaceArguments {
    std::uint64_t positions, indices, boxes, infos, nodes, records, order;
    std::uint32_t begin, end, root, triangles, first_node, first_triangle;
    std::uint32_t columns = 0;
};

struct RefitArguments {
    std::uint64_t positions, indices, nodes, records, order, costs;
    std::uint32_t begin, end, old_node, first_node, old_triangle, first_triangle;
    float scale;
    std::uint32_t columns = 0;
};

/// Compiles the functions when they are first needed. One thread at a time.
class TreeKernels {
public:
    explicit TreeKernels(const dispatch::Context& context) : m_context(context) {}

    const std::shared_ptr<device::Device>& device() const noexcept { return m_context.device; }
    /// An array of words, not filled.
    [[nodiscard]] tensor::TensorRef create_words(std::uint64_t count, const char* label) const;

    /// @param tensors whose memory the function reads or writes.
    template <typename Arguments>
    void launch(TreeFunction function, Arguments arguments, std::uint64_t groups,
                std::initializer_list<const tensor::Tensor*> tensors) {
        const std::array<std::uint32_t, 3> grid = divide(groups);
        arguments.columns = grid[0];
        launch_bytes(function, std::as_bytes(std::span(&arguments, 1)), grid, tensors);
    }

    /// Turns `count` pairs of numbers into the sums of those before, and returns the sums of all. Waits.
    /// @param sums for scan_sums_size(count) pairs.
    std::array<std::uint32_t, 2> scan(const tensor::Tensor& data, std::uint32_t count,
                                      const tensor::Tensor& sums);
    /// The same without what it returns; does not wait.
    void start_scan(const tensor::Tensor& data, std::uint32_t count, const tensor::Tensor& sums);
    [[nodiscard]] static std::uint64_t scan_sums_size(std::uint64_t count) noexcept;

private:
    std::array<std::uint32_t, 3> divide(std::uint64_t groups) const;
    void launch_bytes(TreeFunction function, std::span<const std::byte> arguments,
                      const std::array<std::uint32_t, 3>& grid,
                      std::initializer_list<const tensor::Tensor*> tensors);
    const dispatch::CompiledKernelRef& kernel(TreeFunction function, std::size_t argument_bytes);

    dispatch::Context m_context;
    std::shared_ptr<dispatch::Module> m_module;
    std::array<dispatch::CompiledKernelRef, kTreeFunctions> m_kernels;
};

} // namespace weft::render
