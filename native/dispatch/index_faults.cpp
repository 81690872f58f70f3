// SPDX-License-Identifier: Apache-2.0
#include "dispatch/index_faults.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace weft::dispatch {

using core::text;

namespace {

/// As shaders/weft/faults.slang writes it.
struct Report {
    std::uint32_t is_set = 0;
    std::uint32_t rank = 0;
    std::uint64_t data = 0;
    std::array<std::int64_t, 16> index{};
    std::array<std::uint32_t, 16> shape{};
};
static_assert(offsetof(Report, index) == 16 && offsetof(Report, shape) == 144);

// The report, and room for an element that is read or written instead of one outside.
constexpr std::uint64_t kBytes = std::uint64_t{1} << 16U;

const char* part_suffix(SourcePart part) {
    return part == SourcePart::gradient_in    ? ".grad_in"
           : part == SourcePart::gradient_out ? ".grad_out"
                                              : "";
}

/// The source whose memory holds the address; the values come before their gradients.
std::string parameter_at(const LaunchPlan& plan, const CallState& state,
                         const ArgumentList& arguments, std::uint64_t address) {
    for (std::uint32_t i = 0; i < plan.sources.size(); ++i) {
        const Source& source = plan.sources[i];
        if (source.kind == SourceKind::node &&
            arguments.nodes[source.node].kind != NodeKind::tensor) {
            continue; // a number
        }
        const tensor::Tensor* const tensor = state.tensor_of(plan, arguments, i);
        if (tensor == nullptr) {
            continue;
        }
        const std::uint64_t begin = tensor->buffer().address();
        if (address == tensor->address() ||
            (address >= begin && address < begin + tensor->buffer().size_bytes())) {
            return source.name + part_suffix(source.part);
        }
    }
    return "";
}

} // namespace

IndexFaults::IndexFaults(device::Device& device)
    : m_buffer(device.create_buffer({.size_bytes = kBytes,
                                     .memory = device::MemoryKind::readback,
                                     .label = "index faults"})) {
    device.fill(*m_buffer, 0, kBytes, 0);
}

bool IndexFaults::watch(codegen::Kernel& kernel) const {
    bool has_tensor = false;
    codegen::for_each_operand(kernel, [&](const codegen::Operand& operand) {
        has_tensor = has_tensor || operand.kind == codegen::OperandKind::tensor;
    });
    if (has_tensor) {
        kernel.prelude +=
            text(kernel.prelude.empty() ? "" : "\n",
                 "export static const uint64_t weft_fault_address = ", m_buffer->address(), "ULL;");
    }
    return has_tensor;
}

device::BufferUse IndexFaults::use() const noexcept {
    return {.buffer = m_buffer.get(),
            .access = device::BufferAccess::read_write,
            .binding = -1,
            .offset = 0,
            .size = kBytes};
}

void IndexFaults::require_none(const LaunchPlan& plan, const CallState& state,
                               const ArgumentList& arguments) {
    Report report;
    std::memcpy(&report, m_buffer->mapped(), sizeof(report));
    if (report.is_set == 0) {
        return;
    }
    m_buffer->device().fill(*m_buffer, 0, kBytes, 0);
    const std::size_t rank = std::min<std::size_t>(report.rank, report.index.size());
    std::vector<std::int64_t> shape(report.shape.begin(),
                                    report.shape.begin() + static_cast<std::ptrdiff_t>(rank));
    const std::string name = parameter_at(plan, state, arguments, report.data);
    throw core::ArgumentError(
        text(plan.function, ": ",
             name.empty() ? std::string("a tensor") : text("parameter '", name, "'"),
             " was indexed at ", core::shape_text(std::span(report.index).first(rank)),
             ", which is outside its shape ", core::shape_text(shape),
             "; correct the index in the Slang function. Elements outside were read as memory of "
             "nobody, and what was written there is lost"),
        core::ArgumentError::Kind::index);
}

} // namespace weft::dispatch
