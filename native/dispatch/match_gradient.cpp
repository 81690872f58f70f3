// SPDX-License-Identifier: Apache-2.0
// Where the gradients of one argument of a backward call lie.
#include "dispatch/match.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "reflect/differential.hpp"

#include <functional>
#include <numeric>

namespace weft::dispatch {

using codegen::Operand;
using core::text;
using reflect::Direction;
using reflect::Type;

namespace {

std::int64_t product_of(const std::vector<std::int64_t>& extents) {
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// The dimensions of memory that make up one element, behind the first `rank`, follow each other without gaps.
bool is_packed(const codegen::Memory& memory, std::int32_t rank) {
    std::int64_t step = 1;
    for (std::size_t i = memory.component_shape.size(); i-- > static_cast<std::size_t>(rank);) {
        if (memory.component_shape[i] != 1 && memory.component_strides[i] != step) {
            return false;
        }
        step *= memory.component_shape[i];
    }
    return true;
}

constexpr const char* kGiveGradient =
    "its gradient is given by the caller: pass tensor.with_grads() and fill tensor.grad";

const tensor::Tensor* tensor_of(const Node& node) {
    return node.kind == NodeKind::tensor ? node.tensor : nullptr;
}

const char* interface_name(reflect::Access access) {
    return access == reflect::Access::read    ? "IDiffTensor"
           : access == reflect::Access::write ? "IWDiffTensor"
                                              : "IRWDiffTensor";
}

struct ConcreteTensor {
    const char* name;   ///< structure of module weft
    const char* primal; ///< its primal part, "" if it has no gradients
    std::vector<std::string> gradients;
};

/// The structure that a whole-tensor parameter gets.
ConcreteTensor concrete_tensor(const Type& type, codegen::Derivative derivative,
                               bool has_gradients) {
    const reflect::TensorTraits& traits = type.tensor;
    const auto pick = [&](const ConcreteTensor& read, const ConcreteTensor& write,
                          const ConcreteTensor& both) {
        return traits.access == reflect::Access::read    ? read
               : traits.access == reflect::Access::write ? write
                                                         : both;
    };
    if (!traits.is_differentiable) {
        return pick({"Tensor", "", {}}, {"WTensor", "", {}}, {"RWTensor", "", {}});
    }
    if (traits.is_interface && !has_gradients) {
        return pick({"PrimalTensor", "", {}}, {"WPrimalTensor", "", {}},
                    {"RWPrimalTensor", "", {}});
    }
    if (derivative == codegen::Derivative::forward) {
        return pick({"TangentTensor", "Tensor", {"GradientTensor"}},
                    {"WTangentTensor", "WTensor", {"WGradientTensor"}},
                    {"RWTangentTensor", "RWTensor", {"GradientTensor", "WGradientTensor"}});
    }
    return pick({"DiffTensor", "Tensor", {"AtomicTensor"}},
                {"WDiffTensor", "WTensor", {"GradientTensor"}},
                {"RWDiffTensor", "RWTensor", {"GradientTensor", "AtomicTensor"}});
}

} // namespace

void name_tensor(const Type& type, codegen::Derivative derivative, bool has_gradients,
                 Operand& operand) {
    const ConcreteTensor concrete = concrete_tensor(type, derivative, has_gradients);
    const std::string arguments = text("<", type.element->full_name, ", ", type.tensor.rank, ">");
    const bool keeps_name = !type.tensor.is_interface && concrete.gradients.empty();
    operand.tensor_type = keeps_name ? type.full_name : concrete.name + arguments;
    operand.primal_type = concrete.primal + arguments;
    operand.gradient_parts = concrete.gradients;
}

bool Matcher::has_gradient(const MatchRequest& request, SourcePart part) const noexcept {
    if (request.gradient_node != kNoNode) {
        return true;
    }
    const tensor::Tensor* const tensor = tensor_of(m_arguments.nodes[request.node]);
    return tensor != nullptr &&
           (part == SourcePart::gradient_in ? tensor->grad_in() : tensor->grad_out()) != nullptr;
}

/// What is given and what is added to are one memory.
bool Matcher::has_one_gradient(const MatchRequest& request) const noexcept {
    const tensor::Tensor* const tensor = tensor_of(m_arguments.nodes[request.node]);
    return request.gradient_node != kNoNode ||
           (tensor != nullptr && tensor->grad_in() == tensor->grad_out());
}

/// Precondition: has_gradient().
ArrayView Matcher::gradient_view(const MatchRequest& request, SourcePart part) const {
    if (request.gradient_node != kNoNode) {
        ArrayView view = view_of(m_arguments, m_arguments.nodes[request.gradient_node]);
        const reflect::TypeRef value =
            request.type->kind == reflect::TypeKind::tensor ? request.type->element : request.type;
        view.leaf = leaf_type(value); // uploaded as what the function takes
        return view;
    }
    Node node = m_arguments.nodes[request.node];
    const tensor::Tensor& tensor = *node.tensor;
    node.tensor =
        part == SourcePart::gradient_in ? tensor.grad_in().get() : tensor.grad_out().get();
    return view_of(m_arguments, node);
}

/// An operand for the gradient of the argument, over the same dimensions as the argument itself.
/// @param direction of the gradient: `in` is read, `out` written, `inout` both.
Operand Matcher::gradient_operand(const MatchRequest& request, SourcePart part,
                                  std::size_t own_rank, Direction direction) {
    Operand gradient;
    gradient.kind = codegen::OperandKind::element;
    gradient.type = request.type->kind == reflect::TypeKind::tensor
                        ? request.type
                        : reflect::differential_type(request.type, m_target.rules);
    gradient.name =
        request.name + (part == SourcePart::gradient_in ? "_gradient_in" : "_gradient_out");
    gradient.reads = direction != Direction::out;
    gradient.writes = direction != Direction::in;
    gradient.mapping = request.mapping;
    MatchRequest access = request;
    access.direction = direction;
    access.node = request.gradient_node != kNoNode ? request.gradient_node : request.node;
    set_memory(access, gradient_view(request, part), own_rank, gradient);
    m_call.sources.back().part = part;
    return gradient;
}

/// Halves whose gradient is kept in float: only functions that add by themselves know what to do.
bool Matcher::has_own_gradient_type(const MatchRequest& request) {
    const tensor::Tensor* const tensor = tensor_of(m_arguments.nodes[request.node]);
    const bool is_wider =
        tensor != nullptr && tensor->grad_out() != nullptr &&
        reflect::leaf(*tensor->dtype()).scalar == reflect::ScalarKind::float16 &&
        reflect::leaf(*tensor->grad_out()->dtype()).scalar == reflect::ScalarKind::float32;
    return !is_wider ||
           refuse(request, "its gradient is float, which only the weights of a network "
                           "may have; use with_grads() without arguments");
}

bool Matcher::attach_gradients(const MatchRequest& request, std::size_t own_rank,
                               Operand& operand) {
    if (!has_own_gradient_type(request)) {
        return false;
    }
    const bool has_sum = has_gradient(request, SourcePart::gradient_out);
    if (!request.is_differentiated) {
        const Type& type = *request.type;
        const bool is_plain = type.kind == reflect::TypeKind::structure && !type.is_differentiable;
        const std::string& plain = is_plain ? type.name : request.without_derivatives;
        if (has_sum && !request.is_constant && request.direction != Direction::out &&
            !plain.empty()) {
            return refuse(request,
                          text("it has a gradient, but ", plain,
                               " does not conform to IDifferentiable; declare struct ", plain,
                               " : IDifferentiable, or pass values without gradients"));
        }
        return true;
    }
    if (derivative() == codegen::Derivative::forward) {
        attach_tangents(request, own_rank, operand);
        return true;
    }
    if (request.direction != Direction::in) {
        if (!has_gradient(request, SourcePart::gradient_in)) {
            return refuse(request, kGiveGradient);
        }
        operand.gradient_in.push_back(
            gradient_operand(request, SourcePart::gradient_in, own_rank, Direction::in));
    }
    if (request.direction != Direction::out && has_sum) {
        // Added to what was given, the gradient of the changed value would count as one of the value before.
        const bool replaces = request.direction == Direction::inout && has_one_gradient(request);
        Operand sum = gradient_operand(request, SourcePart::gradient_out, own_rank,
                                       replaces ? Direction::out : Direction::inout);
        sum.accumulation = replaces ? codegen::Accumulation::none : codegen::Accumulation::plain;
        operand.gradient_out.push_back(std::move(sum));
    }
    return true;
}

/// The tangent of an input is given, that of an output is written.
void Matcher::attach_tangents(const MatchRequest& request, std::size_t own_rank, Operand& operand) {
    if (request.direction != Direction::out && has_gradient(request, SourcePart::gradient_in)) {
        operand.gradient_in.push_back(
            gradient_operand(request, SourcePart::gradient_in, own_rank, Direction::in));
    }
    if (request.direction != Direction::in && has_gradient(request, SourcePart::gradient_out)) {
        operand.gradient_out.push_back(
            gradient_operand(request, SourcePart::gradient_out, own_rank, Direction::out));
    }
}

void Matcher::warn_of_null_gradient(const MatchRequest& request) {
    m_call.warnings.push_back(
        text(m_call.function.name, ": parameter '", request.label, "' is a ", request.type->name,
             " and got a tensor without a gradient: it reads zero and drops what is added; pass "
             "tensor.with_grads(), or declare the parameter as ",
             interface_name(request.type->tensor.access)));
}

/// The whole gradient beside the whole tensor.
bool Matcher::attach_tensor_gradient(const MatchRequest& request, SourcePart part,
                                     std::size_t own_rank, Operand& operand) {
    const bool is_given = part == SourcePart::gradient_in;
    const bool is_sum = !is_given && derivative() != codegen::Derivative::forward;
    Operand gradient = gradient_operand(request, part, own_rank,
                                        is_given ? Direction::in
                                        : is_sum ? Direction::inout
                                                 : Direction::out);
    gradient.kind = codegen::OperandKind::tensor;
    gradient.accumulation = is_sum ? codegen::Accumulation::plain : codegen::Accumulation::none;
    gradient.tensor_shape = operand.tensor_shape;
    const std::int64_t unit = product_of(reflect::element_shape(*request.type->element));
    const std::vector<std::int64_t> strides = gradient_view(request, part).strides;
    const std::int32_t rank = request.type->tensor.rank;
    for (std::size_t i = own_rank; i < own_rank + static_cast<std::size_t>(rank); ++i) {
        gradient.tensor_strides.push_back(strides[i] / unit);
    }
    auto& gradients = is_given ? operand.gradient_in : operand.gradient_out;
    gradients.push_back(std::move(gradient));
    return is_packed(gradients.back().memory, rank) ||
           refuse(request, "the components of an element of its gradient must be contiguous: pass "
                           "a copy of the gradient");
}

/// Reading takes a tangent, writing stores one.
bool Matcher::attach_tensor_tangents(const MatchRequest& request, std::size_t own_rank,
                                     Operand& operand) {
    const reflect::TensorTraits& traits = request.type->tensor;
    if (!traits.is_interface) {
        return refuse(request, text(request.type->name, " has no place for tangents: declare the ",
                                    "parameter as ", interface_name(traits.access)));
    }
    const bool takes =
        traits.access != reflect::Access::write && has_gradient(request, SourcePart::gradient_in);
    const bool gives =
        traits.access != reflect::Access::read && has_gradient(request, SourcePart::gradient_out);
    name_tensor(*request.type, derivative(), takes || gives, operand);
    return (!takes ||
            attach_tensor_gradient(request, SourcePart::gradient_in, own_rank, operand)) &&
           (!gives || attach_tensor_gradient(request, SourcePart::gradient_out, own_rank, operand));
}

bool Matcher::attach_tensor_gradients(const MatchRequest& request, std::size_t own_rank,
                                      Operand& operand) {
    if (!has_own_gradient_type(request)) {
        return false;
    }
    if (derivative() == codegen::Derivative::forward) {
        return attach_tensor_tangents(request, own_rank, operand);
    }
    const reflect::TensorTraits& traits = request.type->tensor;
    const bool is_derivative = derivative() != codegen::Derivative::none;
    const bool reads = traits.access != reflect::Access::write;
    const bool writes = traits.access != reflect::Access::read;
    const bool has_given = has_gradient(request, SourcePart::gradient_in);
    const bool has_sum = has_gradient(request, SourcePart::gradient_out);
    if (writes && !has_given && traits.is_interface) {
        return refuse(request, kGiveGradient);
    }
    if (is_derivative && reads && writes && has_sum && has_one_gradient(request)) {
        return refuse(
            request,
            "it is read and written, so one gradient would be read while others add to it; "
            "give it two: with_grads(grad_in=..., grad_out=...)");
    }
    if (!traits.is_interface && ((writes && !has_given) || (reads && !has_sum))) {
        warn_of_null_gradient(request);
    }
    if (traits.is_interface && !writes && !has_sum) {
        return true; // its primal is enough
    }
    name_tensor(*request.type, derivative(), true, operand);
    return (!(writes && has_given) ||
            attach_tensor_gradient(request, SourcePart::gradient_in, own_rank, operand)) &&
           (!(reads && has_sum) ||
            attach_tensor_gradient(request, SourcePart::gradient_out, own_rank, operand));
}

} // namespace weft::dispatch
