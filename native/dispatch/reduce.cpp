// SPDX-License-Identifier: Apache-2.0
#include "dispatch/reduce.hpp"

#include "codegen/passes/threads.hpp"
#include "codegen/print.hpp"
#include "core/error.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "dispatch/reduce_layout.hpp"
#include "tensor/dtype.hpp"
#include "tensor/transfer.hpp"
#include "tensor/view.hpp"

#include <algorithm>
#include <cstring>

namespace weft::dispatch {

using core::text;
using reflect::ScalarKind;

namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint64_t kSegmentElements = 4096;
constexpr std::uint64_t kEnoughGroups = 4096;
constexpr std::uint64_t kThreadElements = 64;
constexpr std::uint64_t kEnoughThreads = std::uint64_t{1} << 19U;
constexpr std::uint64_t kCoalescedRows = 32; ///< whose elements make whole cache lines
constexpr std::uint64_t kWideBytes = 4096;   ///< of a row: one access of each thread of a group

std::string_view structure_name(Reduction operation) {
    switch (operation) {
    case Reduction::sum:
    case Reduction::mean: return "Sum";
    case Reduction::minimum: return "Minimum";
    case Reduction::maximum: return "Maximum";
    case Reduction::norm: return "SumOfSquares";
    case Reduction::dot: return "Dot";
    case Reduction::any: return "Any";
    case Reduction::all: return "All";
    case Reduction::all_close: return "AllClose";
    }
    return "";
}

bool is_test(Reduction operation) {
    return operation == Reduction::any || operation == Reduction::all ||
           operation == Reduction::all_close;
}

ScalarKind wide_kind(Reduction operation, ScalarKind kind) {
    if (is_test(operation)) {
        return ScalarKind::uint32;
    }
    if (reflect::is_float(kind)) {
        return kind == ScalarKind::float64 ? kind : ScalarKind::float32;
    }
    return reflect::is_signed(kind) ? ScalarKind::int64 : ScalarKind::uint64;
}

ScalarKind result_kind(Reduction operation, ScalarKind kind, ScalarKind wide) {
    if (operation == Reduction::minimum || operation == Reduction::maximum) {
        return kind;
    }
    const bool is_quotient = operation == Reduction::mean || operation == Reduction::norm;
    return is_quotient && !reflect::is_float(wide) ? ScalarKind::float32 : wide;
}

/// bool is stored as one byte, and reduced as such.
std::string element_name(ScalarKind kind) {
    return kind == ScalarKind::bool_ ? "uint8_t" : std::string(slang_name(kind));
}

tensor::TensorRef scalars_of(const tensor::TensorRef& tensor, Reduction operation) {
    tensor::TensorRef flat =
        tensor->dtype()->kind == reflect::TypeKind::scalar ? tensor : tensor::flatten_dtype(tensor);
    if (flat->dtype()->kind != reflect::TypeKind::scalar) {
        throw core::ArgumentError(text(to_string(operation), ": a tensor holds ",
                                       tensor::display_name(*tensor->dtype()),
                                       "; only numbers can be reduced, take one field"),
                                  core::ArgumentError::Kind::type);
    }
    return flat;
}

void check_pair(const tensor::Tensor& x, const tensor::Tensor& y, Reduction operation) {
    if (!std::ranges::equal(x.shape(), y.shape())) {
        throw core::ArgumentError(text(to_string(operation), ": the tensors have shapes ",
                                       core::shape_text(x.shape()), " and ",
                                       core::shape_text(y.shape()),
                                       "; make them equal, for example with broadcast_to()"));
    }
    if (x.dtype()->scalar != y.dtype()->scalar) {
        throw core::ArgumentError(
            text(to_string(operation), ": the tensors hold ", tensor::display_name(*x.dtype()),
                 " and ", tensor::display_name(*y.dtype()), "; convert one with astype()"));
    }
}

/// One value is read by the host at once: kernels write it where the host sees it.
tensor::TensorRef make_result(const std::shared_ptr<device::Device>& device, ScalarKind kind,
                              std::vector<std::int64_t> shape) {
    tensor::Tensor::Desc desc;
    desc.dtype = reflect::scalar_type(kind);
    desc.shape = std::move(shape);
    if (!desc.shape.empty()) {
        return tensor::Tensor::create(device, std::move(desc), "reduction");
    }
    auto memory = device->create_buffer({.size_bytes = reflect::size_bytes(kind),
                                         .memory = device::MemoryKind::readback,
                                         .label = "reduction"});
    desc.dtype = tensor::storage_type(desc.dtype, device->layout_rules());
    return tensor::Tensor::wrap(std::move(memory), std::move(desc));
}

/// Whether kernels are for cores that run groups one thread after the other.
bool is_for_cpu(const device::Device& device) {
    return device.info().features.is_software &&
           core::environment_variable("WEFT_KERNELS_FOR") != "gpu"; // for tests without a GPU
}

bool has_adjacent_rows(const ReduceArguments& arguments) {
    return arguments.row_strides_x[3] == 1 && arguments.strides_x[3] != 1;
}

/// Enough pieces of a row to fill a large device, none shorter than 4096 elements; of a row that one thread reduces, as its
/// neighbours do the adjacent rows, none shorter than 64.
std::uint32_t segment_count(const ReduceArguments& arguments, bool is_cpu) {
    const bool by_thread =
        !is_cpu && has_adjacent_rows(arguments) && arguments.rows >= kCoalescedRows;
    const std::uint64_t elements = by_thread ? kThreadElements : kSegmentElements;
    const std::uint64_t enough = by_thread ? kEnoughThreads : kEnoughGroups;
    const std::uint64_t pieces = (arguments.count + elements - 1) / elements;
    const std::uint64_t wanted =
        std::max<std::uint64_t>(enough / std::max<std::uint64_t>(arguments.rows, 1), 1);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(pieces, 1, wanted));
}

/// One thread a row where rows are short or their neighbours adjacent, else one group. On a CPU always one thread: a
/// barrier makes it keep the registers of the group in memory.
bool is_by_thread(const ReduceArguments& arguments, bool is_cpu) {
    return is_cpu || arguments.count <= 64 ||
           (has_adjacent_rows(arguments) && arguments.rows * arguments.segments >= 4096);
}

/// Whether a row's elements lie side by side in one array, so that a thread reads 16 bytes of them an access.
bool is_wide(const ReduceArguments& arguments, const tensor::Tensor& x) {
    const std::uint64_t bytes = x.layout()->element_bytes();
    return arguments.x == arguments.y && arguments.strides_x[3] == 1 &&
           arguments.shape[3] == arguments.count && arguments.count * bytes >= kWideBytes &&
           arguments.x % bytes == 0;
}

std::uint64_t group_count(const ReduceArguments& arguments, bool by_thread) {
    const std::uint64_t jobs = arguments.rows * arguments.segments;
    return by_thread ? (jobs + kThreads - 1) / kThreads : jobs;
}

std::array<std::uint32_t, 3> group_grid(std::uint64_t groups, const device::Device& device) {
    return codegen::divide_groups(static_cast<std::int64_t>(groups),
                                  device.info().limits.max_group_count[0]);
}

device::BufferUse use(const tensor::Tensor& tensor, device::BufferAccess access) {
    device::BufferUse out;
    out.buffer = &tensor.buffer();
    out.access = access;
    return out;
}

/// What turns the wide value into the result.
std::string finish_expression(Reduction operation, const std::string& to) {
    switch (operation) {
    case Reduction::mean: return to + "(a.x[i]) / " + to + "(a.divisor)";
    case Reduction::norm: return "sqrt(" + to + "(a.x[i]))";
    default: return to + "(a.x[i])";
    }
}

struct FinishArguments {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::uint64_t count = 0;
    std::uint64_t divisor = 1;
    std::uint64_t columns = 0; ///< groups in a row of the grid
};

} // namespace

Module& Reducer::module() {
    const auto lock = core::lock_with_poll(m_mutex, m_context.poll);
    if (!m_module) {
        compile::ModuleDesc desc;
        desc.name = "reductions";
        desc.text = "import \"weft/reduce\";\n";
        desc.target = m_context.device->target();
        m_module = Module::create(m_context, std::move(desc), {.links = {}, .hot_reload = false});
    }
    return *m_module;
}

CompiledKernelRef Reducer::kernel(const std::string& call, const std::string& arguments,
                                  std::uint32_t bytes) {
    codegen::Kernel description;
    description.callee = "reduction";
    description.group_size = {kThreads, 1, 1};
    description.argument_bytes = bytes;
    description.arguments_by_address = bytes > m_context.device->info().limits.max_inline_arguments;
    const bool by_address = description.arguments_by_address;
    const std::string source =
        text("import \"weft/reduce\";\n", arguments, "[shader(\"compute\")]\n[numthreads(",
             kThreads, ", 1, 1)]\nvoid ", codegen::kEntryPoint,
             "(uint3 group : SV_GroupID, uint thread : SV_GroupIndex, uniform weft_Arguments",
             by_address ? "*" : "", " weft_arguments)\n{\n    let a = ", by_address ? "*" : "",
             "weft_arguments;\n    ", call, "\n}\n");
    return module().provide_kernel(source, description);
}

void Reducer::launch(const CompiledKernelRef& kernel, std::span<const std::byte> arguments,
                     std::uint64_t groups, std::span<const device::BufferUse> buffers) {
    device::Dispatch dispatch;
    dispatch.kernel = kernel->kernel.get();
    dispatch.group_count = group_grid(groups, *m_context.device);
    dispatch.arguments = arguments;
    dispatch.buffers = buffers;
    m_context.device->dispatch(dispatch);
}

tensor::TensorRef Reducer::finish(const ReduceRequest& request, const tensor::TensorRef& wide,
                                  std::int64_t count) {
    const ScalarKind from = wide->dtype()->scalar;
    const ScalarKind kind =
        result_kind(request.operation, reflect::leaf(*request.x->dtype()).scalar, from);
    const bool is_computed =
        request.operation == Reduction::mean || request.operation == Reduction::norm;
    if ((kind == from && !is_computed) || wide->element_count() == 0) {
        return wide;
    }
    const auto result =
        make_result(m_context.device, kind, {wide->shape().begin(), wide->shape().end()});
    const std::string to = element_name(kind);
    const std::string fields =
        text("struct weft_Arguments { ", element_name(from), "* x; ", to,
             "* y; uint64_t count; uint64_t divisor; uint64_t columns; };\n");
    const std::string call =
        text("const uint64_t i = (uint64_t(group.y) * a.columns + group.x) * ", kThreads,
             "u + thread; if (i < a.count) { a.y[i] = ", finish_expression(request.operation, to),
             "; }");
    const auto elements = static_cast<std::uint64_t>(wide->element_count());
    const std::uint64_t groups = (elements + kThreads - 1) / kThreads;
    const FinishArguments arguments{wide->address(), result->address(), elements,
                                    static_cast<std::uint64_t>(count),
                                    group_grid(groups, *m_context.device)[0]};
    const std::array uses{use(*wide, device::BufferAccess::read),
                          use(*result, device::BufferAccess::write)};
    launch(kernel(call, fields, sizeof(arguments)), std::as_bytes(std::span(&arguments, 1)), groups,
           uses);
    return result;
}

void Reducer::run(const std::string& reduction, ReduceArguments& arguments, const tensor::Tensor& x,
                  const tensor::Tensor& y, const tensor::Tensor& to) {
    const bool by_thread = is_by_thread(arguments, is_for_cpu(*m_context.device));
    const std::uint64_t groups = group_count(arguments, by_thread);
    arguments.x = x.address();
    arguments.y = y.address();
    arguments.result = to.address();
    arguments.group_columns = group_grid(groups, *m_context.device)[0];
    const std::array uses{use(x, device::BufferAccess::read), use(y, device::BufferAccess::read),
                          use(to, device::BufferAccess::write)};
    const char* const entry = by_thread               ? "reduceByThread"
                              : is_wide(arguments, x) ? "reduceByGroupWide"
                                                      : "reduceByGroup";
    launch(kernel(text(entry, "(a, group, thread);"),
                  text("typealias weft_Arguments = ReduceArguments<", reduction, ">;\n"),
                  sizeof(arguments)),
           std::as_bytes(std::span(&arguments, 1)), groups, uses);
}

namespace {

/// What the reduction of no elements gives, as a word.
std::uint32_t neutral_word(const ReduceRequest& request, std::uint64_t rows) {
    const bool has_value =
        request.operation != Reduction::minimum && request.operation != Reduction::maximum;
    if (rows != 0 && !has_value) {
        throw core::ArgumentError(
            text(to_string(request.operation),
                 ": no elements have no smallest or largest; reduce an axis that is not empty"));
    }
    const bool is_true =
        request.operation == Reduction::all || request.operation == Reduction::all_close;
    return is_true ? 1 : 0;
}

/// How the partial results of `segments` segments, one row a segment, are merged.
ReduceArguments merge_arguments(std::int64_t segments, std::int64_t rows) {
    ReduceArguments arguments{};
    arguments.rows = arguments.row_shape[3] = static_cast<std::uint64_t>(rows);
    arguments.count = arguments.shape[3] = static_cast<std::uint64_t>(segments);
    arguments.row_strides_x[3] = arguments.row_strides_y[3] = 1;
    arguments.strides_x[3] = arguments.strides_y[3] = rows;
    return arguments;
}

} // namespace

const char* to_string(Reduction operation) noexcept {
    switch (operation) {
    case Reduction::sum: return "sum";
    case Reduction::mean: return "mean";
    case Reduction::minimum: return "min";
    case Reduction::maximum: return "max";
    case Reduction::norm: return "norm";
    case Reduction::dot: return "dot";
    case Reduction::any: return "any";
    case Reduction::all: return "all";
    case Reduction::all_close: return "all_close";
    }
    return "reduction";
}

tensor::TensorRef Reducer::reduce(const ReduceRequest& request) {
    tensor::TensorRef x = scalars_of(request.x, request.operation);
    tensor::TensorRef y = request.y ? scalars_of(request.y, request.operation) : nullptr;
    if (y) {
        check_pair(*x, *y, request.operation);
    }
    ReduceLayout layout = reduce_layout(request, *x, y.get());
    if (!layout.fits) {
        x = m_copier->contiguous(x);
        y = y ? m_copier->contiguous(y) : nullptr;
        layout = reduce_layout(request, *x, y.get());
    }
    if (!layout.fits) {
        throw core::ArgumentError(
            text(to_string(request.operation),
                 ": reduced and kept axes alternate more than four times; reduce in two steps"));
    }
    ReduceArguments& arguments = layout.arguments;
    const ScalarKind kind = x->dtype()->scalar;
    const ScalarKind wide = wide_kind(request.operation, kind);
    auto result = make_result(m_context.device, wide, layout.result_shape);
    const auto count = static_cast<std::int64_t>(arguments.count);
    if (arguments.rows == 0 || count == 0) {
        const std::uint32_t word = neutral_word(request, arguments.rows);
        m_context.device->fill(result->buffer(), 0, result->buffer().size_bytes() / 4 * 4, word);
        return finish(request, result, count);
    }
    arguments.segments = segment_count(arguments, is_for_cpu(*m_context.device));
    arguments.relative_tolerance = request.relative_tolerance;
    arguments.absolute_tolerance = request.absolute_tolerance;
    const std::string operation =
        text(structure_name(request.operation), "<", element_name(kind), ">");
    const tensor::Tensor& second = y ? *y : *x;
    if (arguments.segments == 1) {
        run(operation, arguments, *x, second, *result);
        return finish(request, result, count);
    }
    const auto segments = static_cast<std::int64_t>(arguments.segments);
    const auto rows = static_cast<std::int64_t>(arguments.rows);
    const auto partial = make_result(m_context.device, wide, {segments, rows});
    run(operation, arguments, *x, second, *partial);
    ReduceArguments merge = merge_arguments(segments, rows);
    run("Merge<" + operation + ">", merge, *partial, *partial, *result);
    return finish(request, result, count);
}

} // namespace weft::dispatch
