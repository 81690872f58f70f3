// SPDX-License-Identifier: Apache-2.0
// Where the gradients of one argument of a backward call lie.
#include "dispatch/match.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "reflect/differential.hpp"

namespace weft::dispatch {

using codegen::Operand;
using core::text;
using reflect::Direction;
using reflect::LayoutRules;
using reflect::Type;

namespace {

constexpr const char* kGiveGradient =
    "its gradient is given by the caller: pass tensor.with_grads() and fill tensor.grad";

const tensor::Tensor* tensor_of(const Node& node) {
    return node.kind == NodeKind::tensor ? node.tensor : nullptr;
}

struct ConcreteTensor {
    const char* name;   ///< structure of module weft
    const char* primal; ///< its primal part, "" if it has no gradients
    std::vector<std::string> gradients;
};

/// The structure that a whole-tensor parameter gets.
ConcreteTensor concrete_tensor(const Type& type, bool has_gradients) {
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
    return pick({"DiffTensor", "Tensor", {"AtomicTensor"}}, {"WDiffTensor", "WTensor", {"Tensor"}},
                {"RWDiffTensor", "RWTensor", {"Tensor", "AtomicTensor"}});
}

} // namespace

void name_tensor(const Type& type, bool has_gradients, Operand& operand) {
    const ConcreteTensor concrete = concrete_tensor(type, has_gradients);
    const std::string arguments = text("<", type.element->full_name, ", ", type.tensor.rank, ">");
    const bool keeps_name = !type.tensor.is_interface && concrete.gradients.empty();
    operand.tensor_type = keeps_name ? type.full_name : concrete.name + arguments;
    operand.primal_type = concrete.primal + arguments;
    operand.gradient_parts = concrete.gradients;
}

/// An operand for the gradient of the argument, over the same dimensions as the argument itself.
Operand Matcher::gradient_operand(const MatchRequest& request, SourcePart part,
                                  std::size_t own_rank) {
    const Node& node = m_arguments.nodes[request.node];
    const bool is_given = part == SourcePart::gradient_in;
    Node gradient_node = node;
    gradient_node.tensor = is_given ? node.tensor->grad_in().get() : node.tensor->grad_out().get();
    Operand gradient;
    gradient.kind = codegen::OperandKind::element;
    const LayoutRules rules =
        m_target.type == device::DeviceType::cuda ? LayoutRules::cuda : LayoutRules::spirv;
    gradient.type = request.type->kind == reflect::TypeKind::tensor
                        ? request.type
                        : reflect::differential_type(request.type, rules);
    gradient.name = request.name + (is_given ? "_gradient_in" : "_gradient_out");
    gradient.writes = !is_given;
    gradient.mapping = request.mapping;
    gradient.accumulation = is_given ? codegen::Accumulation::none : codegen::Accumulation::plain;
    MatchRequest access = request;
    access.direction = is_given ? Direction::in : Direction::inout;
    set_memory(access, view_of(m_arguments, gradient_node), own_rank, gradient);
    m_call.sources.back().part = part;
    return gradient;
}

bool Matcher::attach_gradients(const MatchRequest& request, std::size_t own_rank,
                               Operand& operand) {
    const tensor::Tensor* const tensor = tensor_of(m_arguments.nodes[request.node]);
    const bool has_sum = tensor != nullptr && tensor->grad_out() != nullptr;
    if (!request.is_differentiated) {
        const Type& type = *request.type;
        if (has_sum && request.direction != Direction::out &&
            type.kind == reflect::TypeKind::structure && !type.is_differentiable) {
            return refuse(request, text("it has a gradient, but ", type.full_name,
                                        " does not conform to IDifferentiable; declare struct ",
                                        type.name, " : IDifferentiable"));
        }
        return true;
    }
    if (derivative() == codegen::Derivative::forward) {
        return attach_tangents(request, own_rank, operand);
    }
    if (request.direction != Direction::in) {
        if (tensor == nullptr || tensor->grad_in() == nullptr) {
            return refuse(request, kGiveGradient);
        }
        operand.gradient_in.push_back(gradient_operand(request, SourcePart::gradient_in, own_rank));
    }
    if (request.direction != Direction::out && has_sum) {
        operand.gradient_out.push_back(
            gradient_operand(request, SourcePart::gradient_out, own_rank));
    }
    return true;
}

/// The tangent of an input is given, that of an output is written.
bool Matcher::attach_tangents(const MatchRequest& request, std::size_t own_rank, Operand& operand) {
    const tensor::Tensor* const tensor = tensor_of(m_arguments.nodes[request.node]);
    if (tensor == nullptr) {
        return true;
    }
    if (request.direction != Direction::out && tensor->grad_in() != nullptr) {
        operand.gradient_in.push_back(gradient_operand(request, SourcePart::gradient_in, own_rank));
    }
    if (request.direction != Direction::in && tensor->grad_out() != nullptr) {
        Operand tangent = gradient_operand(request, SourcePart::gradient_out, own_rank);
        tangent.reads = false;
        tangent.accumulation = codegen::Accumulation::none;
        operand.gradient_out.push_back(std::move(tangent));
    }
    return true;
}

bool Matcher::attach_tensor_gradients(const MatchRequest& request, std::size_t own_rank,
                                      Operand& operand) {
    const reflect::TensorTraits& traits = request.type->tensor;
    const tensor::Tensor* const tensor = tensor_of(m_arguments.nodes[request.node]);
    const bool reads = traits.access != reflect::Access::write;
    const bool writes = traits.access != reflect::Access::read;
    const bool has_given = tensor != nullptr && tensor->grad_in() != nullptr;
    const bool has_sum = tensor != nullptr && tensor->grad_out() != nullptr;
    if (derivative() == codegen::Derivative::forward) {
        return refuse(
            request,
            "tangents do not pass through whole tensors; use bwds(), or a function of values");
    }
    if (writes && !has_given) {
        return refuse(request, kGiveGradient);
    }
    if (reads && writes && has_sum && tensor->grad_in() == tensor->grad_out()) {
        return refuse(
            request,
            "it is read and written, so one gradient would be read while others add to it; "
            "give it two: with_grads(grad_in=..., grad_out=...)");
    }
    if (!writes && !has_sum) {
        return true; // its primal is enough
    }
    const auto attach = [&](std::vector<Operand>& gradients, SourcePart part) {
        Operand gradient = gradient_operand(request, part, own_rank);
        gradient.kind = codegen::OperandKind::tensor;
        gradient.tensor_shape = operand.tensor_shape;
        const auto strides =
            (part == SourcePart::gradient_in ? tensor->grad_in() : tensor->grad_out())->strides();
        gradient.tensor_strides.assign(strides.end() - traits.rank, strides.end());
        gradients.push_back(std::move(gradient));
    };
    if (writes) {
        attach(operand.gradient_in, SourcePart::gradient_in);
    }
    if (reads && has_sum) {
        attach(operand.gradient_out, SourcePart::gradient_out);
    }
    name_tensor(*request.type, true, operand);
    return true;
}

} // namespace weft::dispatch
