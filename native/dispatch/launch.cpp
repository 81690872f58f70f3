// SPDX-License-Identifier: Apache-2.0
#include "dispatch/launch.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "dispatch/index_faults.hpp"
#include "dispatch/pack.hpp"
#include "tensor/half.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <cstring>

namespace weft::dispatch {

using core::text;
using reflect::ScalarKind;

namespace {

[[noreturn]] void throw_of_another_device(const LaunchPlan& plan, const Source& source,
                                          const device::Device& own, const device::Device& wanted) {
    const std::string parameter = text(plan.function, ": parameter '", source.name, "'");
    const std::string& name = own.info().name;
    if (own.is_closed()) {
        throw core::ArgumentError(text(parameter, " is a tensor of a device that was closed (",
                                       name, "); make a new one on the module's device"));
    }
    const bool is_same_hardware = name == wanted.info().name;
    throw core::ArgumentError(
        text(parameter,
             is_same_hardware ? " lives on another Device object of the same hardware ("
                              : " lives on another device (",
             name, "), expected the module's", is_same_hardware ? "" : ", " + wanted.info().name,
             "; copy it: Tensor.from_numpy(module.device, tensor.to_numpy())"));
}

std::int64_t product(const std::vector<std::int64_t>& extents) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) {
        count *= extent;
    }
    return count;
}

/// The plan was made for arguments that have the part.
const tensor::Tensor* part_of(const tensor::Tensor* tensor, SourcePart part) {
    switch (part) {
    case SourcePart::gradient_in: return tensor->grad_in().get();
    case SourcePart::gradient_out: return tensor->grad_out().get();
    case SourcePart::primal: break;
    }
    return tensor;
}

/// Scalar `component` of a host node as memory holds it.
void write_stored(const ArgumentList& arguments, const Node& node, std::uint32_t component,
                  const ScalarDestination& to, HostScalars* read = nullptr) {
    write_scalar(arguments, node, component, to, read);
    if (to.kind == ScalarKind::float16) { // written as float
        float value = 0.0F;
        std::memcpy(&value, to.out, sizeof(value));
        const std::uint16_t half = tensor::half_from_double(double{value});
        std::memcpy(to.out, &half, sizeof(half));
    }
}

/// What errors call a parameter; made for each array of a call, so without a stream.
std::string label_of(std::string_view function, const Source& source) {
    return std::string(function).append(": parameter '").append(source.name).append("'");
}

} // namespace

std::vector<std::byte> uploaded_bytes(const ArgumentList& arguments, const Node& node,
                                      const Source& source, std::string_view function) {
    const std::size_t size = reflect::size_bytes(source.scalar);
    std::vector<std::byte> bytes(static_cast<std::size_t>(product(source.shape)) * size);
    if (node.kind == NodeKind::host_array) {
        node.host->read_as(source.scalar, bytes, label_of(function, source));
        return bytes;
    }
    for (std::size_t i = 0; i * size < bytes.size(); ++i) {
        std::byte scalar[8] = {};
        write_stored(arguments, node, static_cast<std::uint32_t>(i),
                     {source.scalar, scalar, function, source.name});
        std::memcpy(bytes.data() + i * size, scalar, size);
    }
    return bytes;
}

bool is_awaited(const LaunchPlan& plan, const CallMemory* memory) noexcept {
    return plan.downloads ||
           (plan.allocates && (plan.returns_values || (memory != nullptr && memory->is_of_host())));
}

CallState::Slot CallState::upload(const LaunchPlan& plan, const Source& source,
                                  const ArgumentList& arguments, device::Device& device) {
    const Node& node = arguments.nodes[source.node];
    if (source.downloads && !node.host->write_refusal.empty()) {
        throw core::ArgumentError(
            text(plan.function, ": parameter '", source.name, "' ", node.host->write_refusal));
    }
    const auto index = static_cast<std::size_t>(&source - m_sources_begin);
    if (const tensor::TensorRef& tensor = m_in_place.tensor_of(index)) {
        m_temporaries[index] = tensor;
        return {&tensor->buffer(), tensor->address(), 0};
    }
    auto tensor = tensor::Tensor::create(device.shared_from_this(), source.layout, "argument");
    if (source.kind == SourceKind::pack && tensor->element_count() > 0) {
        const std::vector<std::byte> bytes =
            pack_structures(arguments, node, *source.dtype, source.shape.front(), plan.function);
        device.upload(tensor->buffer(), 0, bytes);
    } else if (source.access != device::BufferAccess::write && tensor->element_count() > 0) {
        tensor::upload(*tensor, uploaded_bytes(arguments, node, source, plan.function));
    }
    const Slot slot{&tensor->buffer(), tensor->address(), 0};
    m_temporaries[index] = std::move(tensor);
    return slot;
}

CallState::Slot CallState::allocate(const LaunchPlan& plan, std::uint32_t index,
                                    device::Device& device, CallMemory* memory) {
    const Source& source = plan.sources[index];
    if (plan.returns_values) {
        auto buffer =
            device.create_buffer({.size_bytes = std::max<std::size_t>(source.dtype->layout.size, 4),
                                  .memory = device::MemoryKind::readback,
                                  .label = "returned value"});
        const Slot slot{buffer.get(), buffer->address(), 0};
        m_value_buffers[index] = std::move(buffer);
        return slot;
    }
    auto tensor = memory != nullptr ? memory->result(source.layout) : nullptr;
    if (!tensor) {
        tensor = tensor::Tensor::create(device.shared_from_this(), source.layout, "result");
    } else if (memory->is_of_host()) {
        m_in_place.add_result(index, tensor);
    }
    const Slot slot{&tensor->buffer(), tensor->address(), 0};
    m_temporaries[index] = std::move(tensor);
    return slot;
}

void CallState::resolve_sources(const LaunchPlan& plan, const ArgumentList& arguments,
                                device::Device& device, CallMemory* memory) {
    m_slots.assign(plan.sources.size(), {});
    m_temporaries.assign(plan.uploads || plan.allocates ? plan.sources.size() : 0, nullptr);
    m_value_buffers.assign(plan.returns_values && plan.allocates ? plan.sources.size() : 0,
                           nullptr);
    m_sources_begin = plan.sources.data();
    m_in_place.clear();
    if (plan.uploads && is_awaited(plan, memory)) {
        m_in_place.add_arguments(plan.sources, arguments, device);
    }
    for (std::uint32_t i = 0; i < plan.sources.size(); ++i) {
        const Source& source = plan.sources[i];
        if (source.kind == SourceKind::allocate) {
            m_slots[i] = allocate(plan, i, device, memory);
            continue;
        }
        if (source.kind == SourceKind::records) {
            continue; // prepare_records()
        }
        if (source.kind == SourceKind::upload || source.kind == SourceKind::pack) {
            m_slots[i] = upload(plan, source, arguments, device);
            continue;
        }
        const Node& node = arguments.nodes[source.node];
        if (node.kind != NodeKind::tensor) {
            continue;
        }
        const tensor::Tensor& tensor = *part_of(node.tensor, source.part);
        device::Buffer& buffer = tensor.buffer();
        if (&buffer.device() != &device) {
            throw_of_another_device(plan, source, buffer.device(), device);
        }
        const std::uint64_t address = tensor.address();
        m_slots[i] = {&buffer, address, address - buffer.address()};
    }
}

void CallState::check_overlaps(const LaunchPlan& plan) const {
    for (const OverlapCheck& check : plan.overlaps) {
        const std::uint64_t written = m_slots[check.written].address;
        const std::uint64_t other = m_slots[check.other].address;
        if (!are_apart(check, written, other)) {
            require_no_overlap(check, plan.sources, plan.function,
                               static_cast<std::int64_t>(other - written));
        }
    }
}

void CallState::check_grids(const LaunchPlan& plan, const ArgumentList& arguments) {
    for (const GridCheck& check : plan.grids) {
        const Node& node = arguments.nodes[check.node];
        const auto settings = arguments.data(node); // strides, then offsets; none of call_id()
        const bool is_grid = node.kind == NodeKind::grid;
        for (std::size_t i = 0; i < check.extents.size(); ++i) {
            const auto stride = is_grid ? static_cast<std::int64_t>(settings[i]) : 1;
            const auto first =
                is_grid ? static_cast<std::int64_t>(settings[check.extents.size() + i]) : 0;
            require_coordinates(plan.function, check, first,
                                first + (check.extents[i] - 1) * stride);
        }
    }
}

void CallState::pack(const LaunchPlan& plan, const ArgumentList& arguments,
                     std::byte* block) const {
    for (const PackStep& step : plan.pack) {
        if (step.kind == codegen::FieldKind::address) {
            std::memcpy(block + step.offset, &m_slots[step.source].address, sizeof(std::uint64_t));
            continue;
        }
        const Source& source = plan.sources[step.source];
        write_scalar(arguments, arguments.nodes[source.node], step.component,
                     {step.scalar, block + step.offset, plan.function, source.name});
    }
}

void CallState::pack_globals(const LaunchPlan& plan, const ArgumentList& arguments) {
    m_globals.assign(plan.compiled->global_bytes, std::byte{0});
    HostScalars read;
    for (const GlobalStep& step : plan.globals) {
        std::byte* const out = m_globals.data() + step.offset;
        if (step.kind == GlobalKind::address) {
            std::memcpy(out, &m_slots[step.source].address, step.size);
            continue;
        }
        if (step.kind == GlobalKind::constant) {
            std::memcpy(out, &step.value, step.size);
            continue;
        }
        std::byte scalar[8] = {};
        const Node& node = arguments.nodes[step.node];
        write_stored(arguments, node, step.component,
                     {step.scalar, scalar, plan.function, node.name}, &read);
        std::memcpy(out, scalar, step.size);
    }
}

void CallState::launch(const LaunchPlan& plan, const ArgumentList& arguments,
                       device::Device& device, const LaunchTarget& target) {
    outputs.clear();
    check_grids(plan, arguments); // before memory for so many elements is asked for
    resolve_sources(plan, arguments, device, target.memory);
    if (!plan.is_empty) {
        check_overlaps(plan);
        const auto submit = [&](const device::Dispatch& dispatch) {
            if (target.commands != nullptr) {
                target.commands->record(dispatch);
            } else if (target.stream != 0) {
                device::Dispatch ordered = dispatch;
                ordered.stream = target.stream;
                device.dispatch(ordered);
            } else {
                device.dispatch(dispatch);
            }
        };
        if (plan.records) {
            prepare_records(plan, device, target.memory, submit);
        }
        m_arguments.assign(plan.arguments.begin(), plan.arguments.end());
        pack(plan, arguments, m_arguments.data());
        pack_globals(plan, arguments);
        m_uses.resize(plan.buffers.size());
        device::BufferUse* use = m_uses.data();
        for (const BufferStep& step : plan.buffers) {
            const Slot& slot = m_slots[step.source];
            *use++ = {.buffer = slot.buffer,
                      .access = step.access,
                      .binding = step.binding,
                      .offset = slot.offset,
                      .size = step.extent_bytes};
        }
        if (plan.index_faults) {
            m_uses.push_back(plan.index_faults->use());
        }
        device::Dispatch dispatch{.kernel = plan.compiled->kernel.get(),
                                  .group_count = plan.group_count,
                                  .arguments = m_arguments,
                                  .buffers = m_uses,
                                  .globals = m_globals};
        if (plan.records) {
            dispatch.kernel = plan.records->measure->kernel.get();
            submit(dispatch);
            dispatch.kernel = plan.compiled->kernel.get();
        }
        submit(dispatch);
        if (plan.records) {
            finish_records(plan, device, submit);
        }
    }
    for (const std::uint32_t source : plan.returned) {
        outputs.push_back({.type = plan.sources[source].dtype,
                           .tensor = plan.returns_values ? nullptr : m_temporaries[source],
                           .value = {}});
    }
}

const tensor::Tensor* CallState::tensor_of(const LaunchPlan& plan, const ArgumentList& arguments,
                                           std::uint32_t source) const {
    const Source& wanted = plan.sources[source];
    if (wanted.kind == SourceKind::node) {
        return part_of(arguments.nodes[wanted.node].tensor, wanted.part);
    }
    return source < m_temporaries.size() ? m_temporaries[source].get() : nullptr;
}

void CallState::release() noexcept {
    outputs.clear();
    m_temporaries.clear();
    m_value_buffers.clear();
    m_downloads.clear();
    m_records.clear();
    m_in_place.clear();
}

void CallState::read_back(const LaunchPlan& plan, device::Device& device,
                          const device::InterruptPoll& poll) {
    m_in_place.wait(device, poll);
    for (std::size_t i = 0; plan.returns_values && i < plan.returned.size(); ++i) {
        const std::uint32_t source = plan.returned[i];
        outputs[i].value.resize(plan.sources[source].dtype->layout.size);
        device.download(*m_value_buffers[source], 0, outputs[i].value, poll);
    }
    m_downloads.assign(plan.downloads ? plan.sources.size() : 0, {});
    for (std::size_t i = 0; i < m_downloads.size(); ++i) {
        const Source& source = plan.sources[i];
        if (source.downloads && !m_in_place.tensor_of(i) && m_temporaries[i]->element_count() > 0) {
            m_downloads[i].resize(static_cast<std::size_t>(product(source.shape)) *
                                  reflect::size_bytes(source.scalar));
            tensor::download(*m_temporaries[i], m_downloads[i], poll);
        }
    }
}

void CallState::store_host_arrays(const LaunchPlan& plan, const ArgumentList& arguments) {
    for (std::size_t i = 0; i < m_downloads.size(); ++i) {
        if (!m_downloads[i].empty()) {
            const Source& source = plan.sources[i];
            arguments.nodes[source.node].host->write_from(source.scalar, m_downloads[i],
                                                          label_of(plan.function, source));
        }
    }
}

} // namespace weft::dispatch
