// SPDX-License-Identifier: Apache-2.0
// Values with their gradients beside them: diffPair() as an argument, DifferentialPair<T> as a parameter.
#include "dispatch/match.hpp"

#include "core/text.hpp"
#include "reflect/differential.hpp"

namespace weft::dispatch {

using codegen::Operand;
using codegen::OperandKind;
using core::text;
using reflect::Direction;

/// The function takes a value: the other half of the pair is its gradient.
bool Matcher::match_value_of_pair(const MatchRequest& request, Operand& operand) {
    MatchRequest value = request;
    value.node = request.node + 1;
    value.gradient_node = request.node + 2;
    return match(value, operand);
}

/// The function takes both halves.
bool Matcher::match_differential_pair(const MatchRequest& request, Operand& operand) {
    if (derivative() != codegen::Derivative::none) {
        return refuse(request, "a function of pairs is a derivative already: call it directly");
    }
    const reflect::TypeRef value = reflect::pair_value_type(*request.type);
    const Node& node = m_arguments.nodes[request.node];
    operand.kind = OperandKind::composite;
    operand.field_names = {"p", "d"};
    operand.fields.resize(2);
    if (node.kind == NodeKind::tensor) {
        return match_pair_of_tensor(request, value, operand);
    }
    if (node.kind != NodeKind::pair) {
        return refuse(request, "pass weft.diffPair(value, gradient) or a tensor with gradients "
                               "(with_grads())");
    }
    const reflect::TypeRef types[] = {value, reflect::differential_type(value, m_target.rules)};
    for (std::uint32_t half = 0; half < 2; ++half) {
        MatchRequest part = request;
        part.type = types[half];
        part.node = request.node + 1 + half;
        part.name = text(request.name, "_", operand.field_names[half]);
        if (!match(part, operand.fields[half])) {
            return false;
        }
    }
    return true;
}

bool Matcher::match_pair_of_tensor(const MatchRequest& request, const reflect::TypeRef& value,
                                   Operand& operand) {
    MatchRequest half = request;
    half.type = value;
    half.name = request.name + "_p";
    const bool has_given = has_gradient(request, SourcePart::gradient_in);
    const bool has_sum = has_gradient(request, SourcePart::gradient_out);
    if (!has_given && !has_sum) {
        return refuse(request, "pass tensor.with_grads()");
    }
    if (!match(half, operand.fields[0])) {
        return false;
    }
    half.name = request.name + "_d";
    const tensor::Tensor& tensor = *m_arguments.nodes[request.node].tensor;
    const std::size_t own_rank = operand.fields[0].own_shape.size();
    const SourcePart read = has_given ? SourcePart::gradient_in : SourcePart::gradient_out;
    const SourcePart written = has_sum ? SourcePart::gradient_out : SourcePart::gradient_in;
    Operand& gradient = operand.fields[1];
    if (request.direction == Direction::in) {
        gradient = gradient_operand(half, read, own_rank, Direction::in);
    } else if (request.direction == Direction::out) {
        gradient = gradient_operand(half, written, own_rank, Direction::out);
    } else if (!has_given || !has_sum || tensor.grad_in() == tensor.grad_out()) {
        gradient = gradient_operand(half, written, own_rank, Direction::inout);
    } else {
        gradient.kind = OperandKind::updated;
        gradient.name = half.name;
        gradient.writes = true;
        gradient.fields.push_back(gradient_operand(half, read, own_rank, Direction::in));
        gradient.fields.push_back(gradient_operand(half, written, own_rank, Direction::out));
        gradient.type = gradient.fields[0].type;
    }
    return true;
}

} // namespace weft::dispatch
