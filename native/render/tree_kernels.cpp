// SPDX-License-Identifier: Apache-2.0
#include "render/tree_kernels.hpp"

#include "codegen/passes/threads.hpp"
#include "codegen/print.hpp"
#include "core/text.hpp"

#include <vector>

namespace weft::render {

using core::text;

namespace {

struct FunctionName {
    const char* name;
    const char* arguments;
    std::uint32_t threads = kTreeThreads;
};

constexpr std::uint32_t kSortThreads = 128;

/// In the order of TreeFunction.
constexpr std::array<FunctionName, kTreeFunctions> kNames{{
    {"boundTriangles", "BoundArguments"},
    {"joinBounds", "JoinArguments"},
    {"encodeCentres", "EncodeArguments"},
    {"countDigits", "SortArguments", kSortThreads},
    {"scatterDigits", "SortArguments", kSortThreads},
    {"scanBlocks", "ScanArguments"},
    {"addTotals", "ScanArguments"},
    {"findNeighbours", "ClusterArguments"},
    {"countPairs", "ClusterArguments"},
    {"mergePairs", "ClusterArguments"},
    {"listClusters", "ClusterArguments"},
    {"makePairs", "ClusterArguments"},
    {"placeNodes", "PlaceArguments"},
    {"refitNodes", "RefitArguments"},
}};

constexpr std::uint64_t kPairBytes = 8;

std::uint64_t divide_up(std::uint64_t count, std::uint64_t size) {
    return (count + size - 1) / size;
}

} // namespace

tensor::TensorRef TreeKernels::create_words(std::uint64_t count, const char* label) const {
    return tensor::Tensor::create(device(),
                                  {.dtype = reflect::scalar_type(reflect::ScalarKind::uint32),
                                   .shape = {static_cast<std::int64_t>(count)}},
                                  label);
}

std::array<std::uint32_t, 3> TreeKernels::divide(std::uint64_t groups) const {
    return codegen::divide_groups(static_cast<std::int64_t>(groups),
                                  device()->info().limits.max_group_count[0]);
}

const dispatch::CompiledKernelRef& TreeKernels::kernel(TreeFunction function,
                                                       std::size_t argument_bytes) {
    dispatch::CompiledKernelRef& found = m_kernels.at(static_cast<std::size_t>(function));
    if (found) {
        return found;
    }
    constexpr const char* kImport = "import \"weft/render/tree\";\n";
    if (!m_module) {
        compile::ModuleDesc desc;
        desc.name = "trees";
        desc.text = kImport;
        desc.target = device()->target();
        m_module = dispatch::Module::create(m_context, std::move(desc),
                                            {.links = {}, .hot_reload = false});
    }
    const FunctionName& name = kNames.at(static_cast<std::size_t>(function));
    codegen::Kernel description;
    description.callee = name.name;
    description.group_size = {name.threads, 1, 1};
    description.argument_bytes = static_cast<std::uint32_t>(argument_bytes);
    description.arguments_by_address =
        argument_bytes > device()->info().limits.max_inline_arguments;
    const bool by_address = description.arguments_by_address;
    const std::string source = text(
        kImport, "[shader(\"compute\")]\n[numthreads(", name.threads, ", 1, 1)]\nvoid ",
        codegen::kEntryPoint, "(uint3 group : SV_GroupID, uint thread : SV_GroupIndex, uniform ",
        name.arguments, by_address ? "*" : "", " weft_arguments)\n{\n    ", name.name, "(",
        by_address ? "*" : "", "weft_arguments, group, thread);\n}\n");
    found = m_module->provide_kernel(source, description);
    return found;
}

void TreeKernels::launch_bytes(TreeFunction function, std::span<const std::byte> arguments,
                               const std::array<std::uint32_t, 3>& grid,
                               std::initializer_list<const tensor::Tensor*> tensors) {
    std::vector<device::BufferUse> uses;
    uses.reserve(tensors.size());
    for (const tensor::Tensor* const tensor : tensors) {
        device::BufferUse use;
        use.buffer = &tensor->buffer();
        use.access = device::BufferAccess::read_write;
        uses.push_back(use);
    }
    device::Dispatch dispatch;
    dispatch.kernel = kernel(function, arguments.size())->kernel.get();
    dispatch.group_count = grid;
    dispatch.arguments = arguments;
    dispatch.buffers = uses;
    device()->dispatch(dispatch);
}

std::uint64_t TreeKernels::scan_sums_size(std::uint64_t count) noexcept {
    std::uint64_t size = 0;
    do {
        count = divide_up(count, kScanBlock);
        size += count;
    } while (count > 1);
    return size;
}

void TreeKernels::start_scan(const tensor::Tensor& data, std::uint32_t count,
                             const tensor::Tensor& sums) {
    std::vector<ScanArguments> levels;
    std::uint64_t address = data.address();
    std::uint64_t totals = sums.address();
    for (std::uint32_t left = count;;) {
        levels.push_back({.data = address, .totals = totals, .count = left});
        left = static_cast<std::uint32_t>(divide_up(left, kScanBlock));
        launch(TreeFunction::scan_blocks, levels.back(), left, {&data, &sums});
        if (left == 1) {
            break;
        }
        address = totals;
        totals += left * kPairBytes;
    }
    levels.pop_back(); // has one block
    for (std::size_t i = levels.size(); i-- > 0;) {
        launch(TreeFunction::add_totals, levels[i], divide_up(levels[i].count, kTreeThreads),
               {&data, &sums});
    }
}

std::array<std::uint32_t, 2> TreeKernels::scan(const tensor::Tensor& data, std::uint32_t count,
                                               const tensor::Tensor& sums) {
    start_scan(data, count, sums);
    std::array<std::uint32_t, 2> total{};
    const std::uint64_t last = (scan_sums_size(count) - 1) * kPairBytes;
    device()->download(sums.buffer(), sums.offset_bytes() + last,
                       std::as_writable_bytes(std::span(total)), m_context.poll);
    return total;
}

} // namespace weft::render
