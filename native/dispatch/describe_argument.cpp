// SPDX-License-Identifier: Apache-2.0
#include "core/text.hpp"
#include "dispatch/bound_call.hpp"
#include "dispatch/enumerators.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>

namespace weft::dispatch {

using core::text;

namespace {

/// The first few of them.
std::string quoted(std::span<const std::string_view> names) {
    constexpr std::size_t kMaxNames = 4;
    std::string out;
    for (std::size_t i = 0; i < std::min(names.size(), kMaxNames); ++i) {
        out += text(i == 0 ? "" : ", ", quoted_text(names[i]));
    }
    return names.size() > kMaxNames ? out + ", ..." : out;
}

} // namespace

std::string quoted_text(std::string_view given) {
    constexpr std::size_t kMaxBytes = 60;
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out = "'";
    for (const char character : given) {
        const auto byte = static_cast<unsigned char>(character);
        const bool starts_character = (byte & 0xC0U) != 0x80U;
        if (out.size() > kMaxBytes && starts_character) {
            return out + "...'";
        }
        if (byte < 0x20U) {
            out += text("\\x", kDigits[byte >> 4U], kDigits[byte & 15U]);
        } else {
            out += character;
        }
    }
    return out + "'";
}

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
    case NodeKind::name: return text("the text ", quoted_text(arguments.names_of(node).front()));
    case NodeKind::list:
        if (node.names_count != 0) {
            return text("a list of texts, ", quoted(arguments.names_of(node)), ", shape ",
                        core::shape_text(arguments.shape(node)));
        }
        return text("a list of shape ", core::shape_text(arguments.shape(node)));
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
