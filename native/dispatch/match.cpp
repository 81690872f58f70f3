// SPDX-License-Identifier: Apache-2.0
#include "dispatch/match.hpp"

#include "codegen/leaves.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "dispatch/unbound_resources.hpp"
#include "reflect/differential.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>

namespace weft::dispatch {

using codegen::Operand;
using codegen::OperandKind;
using core::text;
using reflect::Direction;
using reflect::ScalarKind;
using reflect::Type;
using reflect::TypeKind;

namespace {

// Costs order the overloads: any conversion is cheaper than one more vectorised dimension.
constexpr std::int32_t kWidening = 1;
constexpr std::int32_t kToFloat = 3;
constexpr std::int32_t kFromBool = 4;
constexpr std::int32_t kNarrowing = 5;
constexpr std::int32_t kPerDimension = 100;
// Larger host values are uploaded instead of travelling as kernel arguments.
constexpr std::int64_t kMaxUniformScalars = 64;
// Slang's time grows with the square of the statements: 4096 take minutes.
constexpr std::int64_t kMaxValueScalars = 512;

bool is_plain(const Type& type) {
    return type.kind == TypeKind::scalar || type.kind == TypeKind::vector ||
           type.kind == TypeKind::matrix || type.kind == TypeKind::enumeration;
}

ScalarKind leaf_scalar(const Type& type) {
    return reflect::leaf(type).scalar;
}

std::int64_t product(const std::vector<std::int64_t>& extents) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) {
        count *= extent;
    }
    return count;
}

/// Numbers of an array value; 0 for what is no array of numbers.
std::int64_t scalar_count(const Type& type) {
    std::int64_t count = 1;
    const Type* at = &type;
    for (; at->kind == TypeKind::array && at->element; at = at->element.get()) {
        count *= std::min<std::int64_t>(at->count, std::int64_t{1} << 20U);
        count = std::min<std::int64_t>(count, std::int64_t{1} << 40U);
    }
    return at == &type || !is_plain(*at) ? 0 : count * product(reflect::element_shape(*at));
}

std::size_t leaf_bytes(const Type& leaf) {
    return leaf.kind == TypeKind::structure ? leaf.layout.stride : reflect::size_bytes(leaf.scalar);
}

/// True if values of a vector or array type do not lie one behind the other.
bool is_gapped(const Type& element) {
    const auto unit = static_cast<std::size_t>(product(reflect::element_shape(element)));
    return element.kind != TypeKind::structure &&
           element.layout.stride != unit * leaf_bytes(reflect::leaf(element));
}

/// Bytes from element 0 to the end of the last leaf; 0 if a stride is negative.
std::uint64_t extent_bytes(const ArrayView& view) {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < view.shape.size(); ++i) {
        if (view.strides[i] < 0) {
            return 0;
        }
        last += std::max<std::int64_t>(view.shape[i] - 1, 0) * view.strides[i];
    }
    return static_cast<std::uint64_t>(last + 1) * leaf_bytes(*view.leaf);
}

/// Of a number of Python's.
ScalarKind literal_kind(const Node& node) noexcept {
    switch (node.kind) {
    case NodeKind::boolean: return ScalarKind::bool_;
    case NodeKind::real: return ScalarKind::float32;
    default: return node.scalar == ScalarKind::uint64 ? ScalarKind::uint64 : ScalarKind::int32;
    }
}

} // namespace

std::int32_t conversion_cost(ScalarKind from, ScalarKind to) noexcept {
    if (from == to) {
        return 0;
    }
    if (from == ScalarKind::bool_) {
        return reflect::is_float(to) ? kFromBool + kToFloat : kFromBool;
    }
    if (to == ScalarKind::bool_ || (reflect::is_float(from) && !reflect::is_float(to))) {
        return -1;
    }
    if (!reflect::is_float(from) && reflect::is_float(to)) {
        return kToFloat;
    }
    const bool widens = reflect::size_bytes(to) >= reflect::size_bytes(from);
    return widens ? kWidening : kNarrowing;
}

bool Matcher::refuse(const MatchRequest& request, const std::string& what) {
    if (m_reason.empty()) {
        m_reason =
            text("parameter '", request.label, "' must be ", tensor::display_name(*request.type),
                 ", got ", describe(m_arguments, m_arguments.nodes[request.node]),
                 what.empty() ? "" : "; ", what);
    }
    return false;
}

bool Matcher::match(const MatchRequest& request, Operand& operand) {
    const Node& node = m_arguments.nodes[request.node];
    if (node.names_count != 0 && !accept_names(request)) {
        return false;
    }
    operand.type = request.type;
    operand.name = request.name;
    operand.reads = request.direction != Direction::out;
    operand.direction = request.direction;
    operand.writes = request.direction != Direction::in &&
                     (derivative() != codegen::Derivative::backward || request.label == "_result");
    operand.is_differentiated = request.is_differentiated;
    operand.mapping = request.mapping;
    if (reflect::leaf(*request.type).kind == TypeKind::resource) {
        return refuse(request, text("Weft cannot bind it: ",
                                    resource_remedy(reflect::leaf(*request.type).full_name)));
    }
    if (reflect::pair_value_type(*request.type)) {
        operand.mapping.clear(); // its halves have it
        return match_differential_pair(request, operand);
    }
    const bool is_structures =
        node.kind == NodeKind::structure || node.kind == NodeKind::structures;
    if (is_structures && request.type->kind == TypeKind::tensor && request.type->tensor.is_buffer) {
        return match_packed(request, operand);
    }
    if (scalar_count(*request.type) > kMaxValueScalars) {
        return refuse(request, text("a value has at most ", kMaxValueScalars,
                                    " numbers, as each is loaded by a statement of its own; take "
                                    "a tensor (ITensor<float, 1>) or a pointer"));
    }
    switch (node.kind) {
    case NodeKind::structure:
        operand.mapping.clear(); // its fields have it
        return match_structure(request, operand);
    case NodeKind::structures: operand.mapping.clear(); return match_structures(request, operand);
    case NodeKind::pair: return match_value_of_pair(request, operand);
    case NodeKind::boolean:
    case NodeKind::integer:
    case NodeKind::real:
    case NodeKind::name: return match_number(request, operand);
    case NodeKind::tensor:
    case NodeKind::list:
    case NodeKind::host_array: return match_array(request, operand);
    case NodeKind::none: return refuse(request, "only an out or inout parameter may be None");
    default: return match_generator(request, operand);
    }
}

bool Matcher::match_number(const MatchRequest& request, Operand& operand) {
    const Node& node = m_arguments.nodes[request.node];
    const Type& type = *request.type;
    if (operand.writes) { // backward calls write no values
        return refuse(request, "an output needs a Tensor or a numpy array");
    }
    if (type.kind == TypeKind::vector || type.kind == TypeKind::matrix) {
        // One number for all components, as Slang itself converts a scalar to a vector.
        m_call.cost += kPerDimension / 2;
    } else if (type.kind != TypeKind::scalar && type.kind != TypeKind::enumeration) {
        return refuse(request, structure_remedy(reflect::leaf(type)));
    }
    const ScalarKind literal = literal_kind(node);
    const bool number_to_bool = type.scalar == ScalarKind::bool_ && node.kind == NodeKind::integer;
    const std::int32_t cost = number_to_bool ? kFromBool : conversion_cost(literal, type.scalar);
    if (cost < 0) {
        return refuse(request,
                      reflect::is_integer(type.scalar) ? "round it to an integer first" : "");
    }
    m_call.cost += cost;
    operand.kind = OperandKind::uniform;
    operand.source = static_cast<std::int32_t>(m_call.sources.size());
    m_call.sources.push_back(
        {.kind = SourceKind::node, .node = request.node, .name = request.label});
    return true;
}

namespace {

/// What to pass instead of an array of the wrong elements.
std::string leaf_remedy(const Type& wanted, const ArrayView& view) {
    const Type& leaf = reflect::leaf(wanted);
    if (leaf.kind == TypeKind::structure) {
        return structure_remedy(leaf);
    }
    return view.leaf->kind == TypeKind::scalar ? "convert it with astype()" : "";
}

/// Results are stored in host arrays with conversion, but no float becomes an integer.
bool can_take_results(const Type& type, const ArrayView& view) {
    return !view.is_host || conversion_cost(leaf_scalar(type), view.leaf->scalar) >= 0;
}

} // namespace

bool Matcher::accepts_leaf(const Type& wanted, const ArrayView& view, bool is_exact) {
    const Type& leaf = reflect::leaf(wanted);
    if (leaf.kind == TypeKind::structure || view.leaf->kind == TypeKind::structure) {
        return leaf.kind == view.leaf->kind && leaf.full_name == view.leaf->full_name;
    }
    const bool is_exact_host = view.is_host && conversion_cost(view.leaf->scalar, leaf.scalar) >= 0;
    if (is_exact && !is_exact_host) {
        return leaf.scalar == view.leaf->scalar;
    }
    // Lists and host arrays of 0 and 1 may be bools: the values decide.
    const bool is_flags =
        view.is_host && leaf.scalar == ScalarKind::bool_ && reflect::is_integer(view.leaf->scalar);
    if (is_flags && !is_exact) {
        m_call.cost += kFromBool;
        return true;
    }
    // Python has one float and one int: a list or float64 array counts as whatever fits.
    const std::int32_t cost = conversion_cost(view.leaf->scalar, leaf.scalar);
    if (cost < 0 || (!view.is_host && cost == kNarrowing && reflect::is_integer(leaf.scalar))) {
        return false;
    }
    m_call.cost += view.is_host && cost <= kNarrowing &&
                           reflect::is_float(leaf.scalar) == reflect::is_float(view.leaf->scalar)
                       ? 0
                       : cost;
    return true;
}

bool Matcher::match_array(const MatchRequest& request, Operand& operand) {
    const Node& node = m_arguments.nodes[request.node];
    const Type& type = *request.type;
    const ArrayView view = view_of(m_arguments, node);
    if (type.kind == TypeKind::tensor) {
        return type.tensor.is_buffer ? match_buffer(request, view, operand)
                                     : match_tensor(request, view, operand);
    }
    if (type.kind == TypeKind::pointer) {
        return match_pointer(request, view, operand);
    }
    if (is_from_tensor(type)) {
        return match_from_tensor(request, view, operand);
    }
    if (is_tensor_view(type)) {
        return match_view(request, view, operand);
    }
    const bool is_value =
        is_plain(type) || type.kind == TypeKind::array || type.kind == TypeKind::structure;
    const bool is_output = request.direction != Direction::in;
    if (!is_value || !accepts_leaf(type, view, is_output)) {
        return refuse(request, leaf_remedy(type, view));
    }
    if (is_output && !can_take_results(type, view)) {
        return refuse(request,
                      text("it is written with ", tensor::display_name(*leaf_type(request.type)),
                           " values: pass an array that holds these"));
    }
    if (is_output && view.is_host && node.kind != NodeKind::host_array) {
        return refuse(request, "an output needs a Tensor or a numpy array");
    }
    const std::vector<std::int64_t> inner = reflect::element_shape(type);
    if (std::ranges::find(inner, 0) != inner.end()) {
        return refuse(request, "an array parameter has at least one element");
    }
    const bool fits = view.shape.size() >= inner.size() &&
                      std::equal(inner.rbegin(), inner.rend(), view.shape.rbegin());
    if (!fits) {
        return refuse(request, text("its trailing dimensions must be ", core::shape_text(inner)));
    }
    const std::size_t own_rank = view.shape.size() - inner.size();
    m_call.cost += static_cast<std::int32_t>(own_rank) * kPerDimension;
    const bool is_small = product(view.shape) <= kMaxUniformScalars;
    if (view.is_host && !is_output && own_rank == 0 && is_small) {
        operand.kind = OperandKind::uniform;
        operand.source = static_cast<std::int32_t>(m_call.sources.size());
        m_call.sources.push_back(
            {.kind = SourceKind::node, .node = request.node, .name = request.label});
        return derivative() == codegen::Derivative::none || attach_gradients(request, 0, operand);
    }
    operand.kind = OperandKind::element;
    ArrayView memory = view;
    if (view.is_host) {
        memory.leaf = leaf_type(request.type);
    }
    set_memory(request, memory, own_rank, operand);
    return derivative() == codegen::Derivative::none ||
           attach_gradients(request, own_rank, operand);
}

std::int32_t Matcher::add_source(const MatchRequest& request, const ArrayView& view) {
    Source source{.kind = view.is_host ? SourceKind::upload : SourceKind::node,
                  .node = request.node,
                  .scalar = view.leaf->scalar,
                  .shape = view.shape,
                  .access = request.direction == Direction::in ? device::BufferAccess::read
                            : request.direction == Direction::out
                                ? device::BufferAccess::write
                                : device::BufferAccess::read_write,
                  .name = request.label,
                  .downloads = view.is_host && request.direction != Direction::in};
    m_call.sources.push_back(std::move(source));
    return static_cast<std::int32_t>(m_call.sources.size()) - 1;
}

void Matcher::set_memory(const MatchRequest& request, const ArrayView& view, std::size_t own_rank,
                         Operand& operand) {
    codegen::Memory& memory = operand.memory;
    const auto split = static_cast<std::ptrdiff_t>(own_rank);
    memory.leaf = view.leaf;
    operand.own_shape.assign(view.shape.begin(), view.shape.begin() + split);
    memory.call_strides.assign(view.strides.begin(), view.strides.begin() + split);
    memory.component_shape.assign(view.shape.begin() + split, view.shape.end());
    memory.component_strides.assign(view.strides.begin() + split, view.strides.end());
    memory.alignment = view.alignment;
    memory.extent_bytes = extent_bytes(view);
    memory.may_bind = memory.extent_bytes != 0 &&
                      memory.extent_bytes <= m_target.max_storage_binding &&
                      view.alignment >= m_target.storage_binding_alignment;
    operand.source = add_source(request, view);
}

bool Matcher::set_tensor_extents(const MatchRequest& request, const ArrayView& view,
                                 std::size_t own_rank, Operand& operand) {
    const std::int64_t unit = product(reflect::element_shape(*request.type->element));
    const std::size_t rank = static_cast<std::size_t>(request.type->tensor.rank);
    for (std::size_t i = own_rank; i < own_rank + rank; ++i) {
        operand.tensor_shape.push_back(view.shape[i]);
        if (view.strides[i] % unit != 0) {
            return refuse(request, "its strides do not step over whole elements: pass a copy");
        }
        operand.tensor_strides.push_back(view.strides[i] / unit);
    }
    return true;
}

bool Matcher::match_tensor(const MatchRequest& request, const ArrayView& view, Operand& operand) {
    const reflect::TensorTraits& traits = request.type->tensor;
    const Type& element = *request.type->element;
    if (!accepts_leaf(element, view, true)) {
        return refuse(request, text("its elements must be ", tensor::display_name(element)));
    }
    const std::vector<std::int64_t> inner = reflect::element_shape(element);
    const std::size_t rank = static_cast<std::size_t>(traits.rank);
    const bool fits = view.shape.size() >= rank + inner.size() &&
                      std::equal(inner.rbegin(), inner.rend(), view.shape.rbegin());
    if (!fits) {
        return refuse(
            request, text("it must have ", rank, " dimensions of ", tensor::display_name(element)));
    }
    const std::vector<std::int64_t> packed = row_major(inner);
    if (!std::equal(packed.rbegin(), packed.rend(), view.strides.rbegin())) {
        return refuse(request, "the components of an element must be contiguous: pass a copy");
    }
    MatchRequest access = request;
    access.direction = traits.access == reflect::Access::read    ? Direction::in
                       : traits.access == reflect::Access::write ? Direction::out
                                                                 : Direction::inout;
    if (access.direction != Direction::in && !can_take_results(element, view)) {
        return refuse(request, text("it is written with ",
                                    tensor::display_name(*leaf_type(request.type->element)),
                                    " values: pass an array that holds these"));
    }
    if (view.is_host && access.direction != Direction::in &&
        m_arguments.nodes[request.node].kind != NodeKind::host_array) {
        return refuse(request, "an output needs a Tensor or a numpy array");
    }
    ArrayView memory = view;
    if (view.is_host) {
        memory.leaf = leaf_type(request.type->element);
    }
    if (view.is_host && access.direction == Direction::out) {
        access.direction = Direction::inout; // keeps the elements that the function leaves alone
    }
    const std::size_t own_rank = view.shape.size() - rank - inner.size();
    if (is_gapped(element)) {
        return refuse(
            request,
            text("values of ", tensor::display_name(element),
                 " have gaps in memory on this device; take scalars with one more dimension"));
    }
    operand.kind = OperandKind::tensor;
    name_tensor(*request.type, derivative(), false, operand);
    operand.reads = true;
    operand.writes = false;
    set_memory(access, memory, own_rank, operand);
    m_call.cost += static_cast<std::int32_t>(own_rank) * kPerDimension;
    if (!set_tensor_extents(request, view, own_rank, operand)) {
        return false;
    }
    const bool is_concrete = traits.is_differentiable && !traits.is_interface;
    const bool is_derivative = derivative() != codegen::Derivative::none;
    return !(is_concrete || (is_derivative && traits.is_differentiable)) ||
           attach_tensor_gradients(request, own_rank, operand);
}

bool Matcher::match_pointer(const MatchRequest& request, const ArrayView& view, Operand& operand) {
    const Type& element = *request.type->element;
    const Node& node = m_arguments.nodes[request.node];
    const bool is_written = request.type->tensor.access != reflect::Access::read;
    const bool may_point = !view.is_host || node.kind == NodeKind::host_array;
    if (!may_point || !accepts_leaf(element, view, true) ||
        (is_written && !can_take_results(element, view))) {
        return refuse(request, "pass a Tensor or an array of that element type");
    }
    if (!view.is_host && !node.tensor->is_contiguous()) {
        return refuse(request, "a pointer needs contiguous memory: pass a copy");
    }
    MatchRequest access = request;
    access.direction = is_written ? Direction::inout : Direction::in;
    operand.kind = OperandKind::pointer;
    operand.writes = false;
    ArrayView memory = view;
    if (view.is_host) {
        memory.leaf = leaf_type(request.type->element);
    }
    set_memory(access, memory, 0, operand);
    return true;
}

bool Matcher::match_generator(const MatchRequest& request, Operand& operand) {
    const Node& node = m_arguments.nodes[request.node];
    const Type& type = *request.type;
    const std::vector<std::int64_t> inner = reflect::element_shape(type);
    const ScalarKind scalar = leaf_scalar(type);
    const bool is_numeric = (is_plain(type) || type.kind == TypeKind::array) &&
                            type.kind != TypeKind::matrix && inner.size() <= 1 &&
                            scalar != ScalarKind::void_ && scalar != ScalarKind::bool_;
    const std::int64_t components = inner.empty() ? 1 : inner[0];
    if (!is_numeric || (node.kind == NodeKind::rand_float) != reflect::is_float(scalar)) {
        const bool grid_as_float = node.kind == NodeKind::grid || node.kind == NodeKind::call_id ||
                                   node.kind == NodeKind::thread_id;
        if (!is_numeric || !grid_as_float) {
            return refuse(request);
        }
        m_call.cost += kToFloat;
    }
    if (request.direction != Direction::in) {
        return refuse(request, "an output needs a Tensor or a numpy array");
    }
    if (node.kind != NodeKind::grid && node.rank != 0 && components != node.rank) {
        return refuse(request, text("it was made for ", node.rank, " components"));
    }
    operand.source = static_cast<std::int32_t>(m_call.sources.size());
    m_call.sources.push_back(
        {.kind = SourceKind::node, .node = request.node, .name = request.label});
    switch (node.kind) {
    case NodeKind::grid: {
        operand.kind = OperandKind::grid;
        const auto shape = m_arguments.shape(node);
        operand.own_shape.assign(shape.begin(), shape.end());
        return components == static_cast<std::int64_t>(shape.size()) ||
               refuse(request, text("the grid has ", shape.size(), " dimensions"));
    }
    case NodeKind::call_id:
        operand.kind = OperandKind::call_id;
        operand.own_shape.assign(static_cast<std::size_t>(components), -1);
        return true;
    case NodeKind::thread_id:
        operand.kind = OperandKind::thread_id;
        return (components <= 3 && type.kind != TypeKind::array) || refuse(request);
    case NodeKind::rand_float: operand.kind = OperandKind::rand_float; return true;
    default: operand.kind = OperandKind::wang_hash; return true;
    }
}

} // namespace weft::dispatch
