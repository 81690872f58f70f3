// SPDX-License-Identifier: Apache-2.0
#include "core/text.hpp"
#include "dispatch/bound_call.hpp"
#include "tensor/dtype.hpp"

namespace weft::dispatch {

using core::text;

std::string describe(const ArgumentList& arguments, const Node& node) {
    switch (node.kind) {
    case NodeKind::none: return "None";
    case NodeKind::boolean: return node.boolean ? "True" : "False";
    case NodeKind::integer:
        return node.scalar == reflect::ScalarKind::uint64
                   ? text("the integer ", static_cast<std::uint64_t>(node.integer))
                   : text("the integer ", node.integer);
    case NodeKind::real: return text("the number ", node.real);
    case NodeKind::tensor:
        return text("a tensor of ", tensor::display_name(*node.tensor->dtype()), ", shape ",
                    core::shape_text(node.tensor->shape()));
    case NodeKind::list: return text("a list of shape ", core::shape_text(arguments.shape(node)));
    case NodeKind::host_array:
        return text("an array of ", reflect::numpy_name(node.host->scalar), ", shape ",
                    core::shape_text(node.host->shape));
    case NodeKind::structure: return text("a structure with ", node.children, " fields");
    case NodeKind::structures: return text("a list of ", node.children, " structures");
    case NodeKind::pair:
        return text("a diffPair of shape ", core::shape_text((&node + 1)->host->shape));
    case NodeKind::grid: return text("grid(", core::shape_text(arguments.shape(node)), ")");
    case NodeKind::call_id: return "call_id()";
    case NodeKind::thread_id: return "thread_id()";
    case NodeKind::rand_float: return "rand_float()";
    case NodeKind::wang_hash: return "wang_hash()";
    }
    return "?";
}

} // namespace weft::dispatch
