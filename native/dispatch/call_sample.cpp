// SPDX-License-Identifier: Apache-2.0
#include "dispatch/call_sample.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "tensor/transfer.hpp"
#include "tensor/view.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace weft::dispatch {

using core::text;
using reflect::ScalarKind;
using tensor::Tensor;
using tensor::TensorRef;

namespace {

// Of one sample: a check is not worth more.
constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 20U;

[[noreturn]] void refuse(const std::string& why) {
    throw core::ArgumentError(why);
}

const ArgumentAxes* find_axes(const LaunchPlan& plan, std::uint32_t node) {
    const auto found = std::ranges::find(plan.axes, node, &ArgumentAxes::node);
    return found == plan.axes.end() ? nullptr : &*found;
}

const Source* find_source(const LaunchPlan& plan, std::uint32_t node, SourcePart part) {
    const auto found = std::ranges::find_if(plan.sources, [&](const Source& source) {
        return source.node == node && source.part == part;
    });
    return found == plan.sources.end() ? nullptr : &*found;
}

/// Bytes of a tensor in host format.
std::vector<std::byte> host_values(const Tensor& tensor, const device::InterruptPoll& poll) {
    std::vector<std::byte> values(tensor::host_size_bytes(tensor));
    tensor::download(tensor, values, poll);
    return values;
}

class Sampler {
public:
    Sampler(const LaunchPlan& plan, const ArgumentList& arguments,
            const device::InterruptPoll& poll)
        : m_plan(plan), m_given(arguments), m_poll(poll) {}

    CallSample take(std::vector<std::int64_t> element) {
        m_sample = {};
        m_sample.element = std::move(element);
        m_sample.arguments = m_given;
        m_sample.names = std::make_shared<std::deque<std::string>>();
        m_bytes = 0;
        std::vector<Node>& nodes = m_sample.arguments.nodes;
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            nodes[i].name = keep(nodes[i].name);
            nodes[i].type_name = keep(nodes[i].type_name);
            take_node(i);
            i += nodes[i].kind == NodeKind::tensor ? forget_halves(i) : 0;
        }
        return std::move(m_sample);
    }

private:
    std::string_view keep(std::string_view name) { return m_sample.names->emplace_back(name); }

    /// The halves of a pair that became a tensor point to arrays of the caller, who lets go of them; their number.
    std::uint32_t forget_halves(std::uint32_t at) {
        const std::uint32_t count = m_sample.arguments.nodes[at].subtree - 1;
        for (std::uint32_t i = 1; i <= count; ++i) {
            m_sample.arguments.nodes[at + i] = Node{};
        }
        return count;
    }

    void take_node(std::uint32_t at) {
        Node& node = m_sample.arguments.nodes[at];
        switch (node.kind) {
        case NodeKind::tensor: return take_tensor(at, *m_given.nodes[at].tensor);
        case NodeKind::pair: return take_pair(at);
        case NodeKind::host_array:
        case NodeKind::list: return take_host_values(at);
        case NodeKind::grid: return take_grid(at);
        default: return;
        }
    }

    /// The place along a dimension of the call; extents of 1 are shared.
    std::int64_t place(const ArgumentAxes& axes, std::size_t axis, std::int64_t extent) const {
        return extent == 1 ? 0 : m_sample.element[static_cast<std::size_t>(axes.dimensions[axis])];
    }

    TensorRef slice(std::uint32_t node, const TensorRef& tensor) const {
        const ArgumentAxes* const axes = find_axes(m_plan, node);
        if (axes == nullptr) {
            return tensor;
        }
        if (axes->dimensions.size() > tensor->rank()) {
            refuse("it goes over the components of the elements of a tensor");
        }
        std::vector<tensor::IndexItem> items(axes->dimensions.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::int64_t start = place(*axes, i, tensor->shape()[i]);
            items[i].start = start;
            items[i].stop = start + 1;
        }
        return tensor::index(tensor, items);
    }

    void add(std::uint32_t at, KeptTensor kept) {
        m_bytes += kept.values.size();
        if (m_bytes > kMaxBytes) {
            refuse(text("its tensors have more than ", kMaxBytes >> 20U, " MB"));
        }
        const bool is_pair = m_given.nodes[at].kind == NodeKind::pair;
        const std::uint32_t gradient_node = is_pair ? at + 2 : at;
        kept.node = at;
        kept.is_input = find_source(m_plan, gradient_node, SourcePart::gradient_out) != nullptr;
        kept.is_output = find_source(m_plan, gradient_node, SourcePart::gradient_in) != nullptr;
        if (!kept.is_input && !kept.is_output) {
            kept.gradient = nullptr;
        }
        m_sample.tensors.push_back(std::move(kept));
        m_sample.arguments.nodes[at].kind = NodeKind::tensor;
        m_sample.arguments.nodes[at].tensor = nullptr;
    }

    void take_tensor(std::uint32_t at, Tensor& given) {
        // The argument list borrows its tensors.
        const TensorRef whole = Tensor::wrap(given.buffer_ref(), given.layout(), given.offset());
        const TensorRef part = slice(at, whole);
        if (static_cast<std::uint64_t>(part->element_count()) * part->layout()->element_bytes() >
            kMaxBytes) {
            refuse(text("its tensors have more than ", kMaxBytes >> 20U, " MB"));
        }
        const Tensor* const gradient =
            given.grad_out() ? given.grad_out().get() : given.grad_in().get();
        add(at, {.node = at,
                 .dtype = part->dtype(),
                 .shape = {part->shape().begin(), part->shape().end()},
                 .values = host_values(*part, m_poll),
                 .gradient = gradient == nullptr ? nullptr : gradient->dtype()});
    }

    /// Of a value on the host that the call uploads.
    KeptTensor host_element(std::uint32_t node, const Source& source) {
        const std::vector<std::byte> whole =
            uploaded_bytes(m_given, m_given.nodes[node], source, m_plan.function);
        const ArgumentAxes* const axes = find_axes(m_plan, node);
        const std::size_t own = axes == nullptr ? 0 : axes->dimensions.size();
        std::size_t begin = 0;
        std::size_t size = whole.size();
        KeptTensor kept{.dtype = reflect::scalar_type(source.scalar), .shape = source.shape};
        for (std::size_t i = 0; i < own; ++i) {
            size /= static_cast<std::size_t>(std::max<std::int64_t>(source.shape[i], 1));
            begin += size * static_cast<std::size_t>(place(*axes, i, source.shape[i]));
            kept.shape[i] = 1;
        }
        kept.values.assign(whole.begin() + static_cast<std::ptrdiff_t>(begin),
                           whole.begin() + static_cast<std::ptrdiff_t>(begin + size));
        return kept;
    }

    void take_pair(std::uint32_t at) {
        const Source* const given = find_source(m_plan, at + 2, SourcePart::gradient_in);
        const Source* const sum = find_source(m_plan, at + 2, SourcePart::gradient_out);
        const Source* const gradient = sum == nullptr ? given : sum;
        const Source* value = find_source(m_plan, at + 1, SourcePart::primal);
        if (value != nullptr && value->kind != SourceKind::upload) {
            value = gradient; // numbers among the kernel's arguments: of the same form
        }
        if (value == nullptr) {
            return; // a constant
        }
        KeptTensor kept = host_element(at + 1, *value);
        kept.gradient = gradient == nullptr ? nullptr : reflect::scalar_type(gradient->scalar);
        add(at, std::move(kept));
    }

    void take_host_values(std::uint32_t at) {
        const Source* const source = find_source(m_plan, at, SourcePart::primal);
        if (source != nullptr && source->kind == SourceKind::upload) {
            add(at, host_element(at, *source));
        } else if (m_given.nodes[at].kind == NodeKind::host_array) {
            keep_as_list(at);
        }
    }

    /// A small host array that travels as kernel arguments.
    void keep_as_list(std::uint32_t at) {
        const HostArray& array = *m_given.nodes[at].host;
        Node& node = m_sample.arguments.nodes[at];
        std::vector<std::uint64_t>& words = m_sample.arguments.words;
        const bool is_real = reflect::is_float(array.scalar);
        const bool is_bool = array.scalar == ScalarKind::bool_;
        const ScalarKind kind = is_real || is_bool                   ? ScalarKind::float64
                                : array.scalar == ScalarKind::uint64 ? ScalarKind::uint64
                                                                     : ScalarKind::int64;
        std::int64_t count = 1;
        node.kind = NodeKind::list;
        node.scalar = is_bool ? ScalarKind::bool_ : kind;
        node.shape_begin = static_cast<std::uint32_t>(words.size());
        node.rank = static_cast<std::uint32_t>(array.shape.size());
        for (const std::int64_t extent : array.shape) {
            words.push_back(static_cast<std::uint64_t>(extent));
            count *= extent;
        }
        std::vector<std::uint64_t> values(static_cast<std::size_t>(count));
        array.read_as(kind, std::as_writable_bytes(std::span(values)), m_plan.function);
        node.data_begin = static_cast<std::uint32_t>(words.size());
        node.data_count = static_cast<std::uint32_t>(count);
        for (const std::uint64_t value : values) {
            words.push_back(is_bool ? static_cast<std::uint64_t>(std::bit_cast<double>(value) != 0)
                                    : value);
        }
    }

    /// One cell, where the element is.
    void take_grid(std::uint32_t at) {
        const Node& node = m_sample.arguments.nodes[at];
        const ArgumentAxes* const axes = find_axes(m_plan, at);
        std::vector<std::uint64_t>& words = m_sample.arguments.words;
        for (std::uint32_t i = 0; axes != nullptr && i < node.rank; ++i) {
            const auto extent = static_cast<std::int64_t>(words[node.shape_begin + i]);
            const auto stride = static_cast<std::int64_t>(words[node.data_begin + i]);
            words[node.data_begin + node.rank + i] +=
                static_cast<std::uint64_t>(stride * place(*axes, i, extent));
            words[node.shape_begin + i] = 1;
        }
    }

    const LaunchPlan& m_plan;
    const ArgumentList& m_given;
    const device::InterruptPoll& m_poll;
    CallSample m_sample;
    std::uint64_t m_bytes = 0;
};

/// Places of the first, the last and others in between, by a step that shares no factor with most extents.
std::vector<std::int64_t> pick_elements(std::int64_t count, std::size_t most) {
    std::vector<std::int64_t> picks{0, count - 1};
    for (std::size_t i = 1; picks.size() < most; ++i) {
        constexpr double kGolden = 0.6180339887498949;
        const double at = kGolden * static_cast<double>(i);
        picks.push_back(
            static_cast<std::int64_t>((at - static_cast<double>(static_cast<std::int64_t>(at))) *
                                      static_cast<double>(count)));
    }
    std::ranges::sort(picks);
    picks.erase(std::unique(picks.begin(), picks.end()), picks.end());
    return picks;
}

} // namespace

std::vector<CallSample> take_samples(const LaunchPlan& plan, const ArgumentList& arguments,
                                     std::size_t most, const device::InterruptPoll& poll) {
    if (!plan.unchecked.empty()) {
        refuse(plan.unchecked);
    }
    const std::int64_t calls =
        std::accumulate(plan.shape.begin(), plan.shape.end(), std::int64_t{1}, std::multiplies<>());
    std::vector<CallSample> samples;
    Sampler sampler(plan, arguments, poll);
    for (std::int64_t pick : pick_elements(calls, most)) {
        std::vector<std::int64_t> element(plan.shape.size());
        for (std::size_t i = element.size(); i-- > 0;) {
            element[i] = pick % plan.shape[i];
            pick /= plan.shape[i];
        }
        samples.push_back(sampler.take(std::move(element)));
    }
    return samples;
}

} // namespace weft::dispatch
