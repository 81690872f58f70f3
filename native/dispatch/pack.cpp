// SPDX-License-Identifier: Apache-2.0
#include "dispatch/pack.hpp"

#include "codegen/leaves.hpp"
#include "core/text.hpp"
#include "dispatch/enumerators.hpp"
#include "dispatch/launch.hpp"
#include "tensor/dtype.hpp"
#include "tensor/half.hpp"

#include <algorithm>
#include <cstring>

namespace weft::dispatch {

using core::text;
using reflect::Type;
using reflect::TypeKind;

namespace {

const Node* find_field(const Node& parent, std::string_view name) {
    const Node* const end = &parent + parent.subtree;
    for (const Node* child = &parent + 1; child < end; child += child->subtree) {
        if (child->name == name) {
            return child;
        }
    }
    return nullptr;
}

std::vector<std::int64_t> shape_of(const ArgumentList& arguments, const Node& node) {
    if (node.kind == NodeKind::host_array) {
        return node.host->shape;
    }
    const auto shape =
        node.kind == NodeKind::list ? arguments.shape(node) : std::span<const std::int64_t>{};
    return {shape.begin(), shape.end()};
}

bool holds_numbers(const Node& node) {
    return node.kind == NodeKind::host_array || node.kind == NodeKind::list ||
           node.kind == NodeKind::boolean || node.kind == NodeKind::integer ||
           node.kind == NodeKind::real || node.kind == NodeKind::name;
}

/// Looks at the fields of a dict; `count` is -1 until an array tells it, and 0 for one structure alone.
class FieldCheck {
public:
    FieldCheck(const ArgumentList& arguments, std::int64_t first, std::vector<NamedNumbers>& named)
        : count(first), m_arguments(arguments), m_named(named) {}

    bool fits(const Node& node, const Type& type, const std::string& path) {
        if (type.kind != TypeKind::structure) {
            return fits_names(node, type, path) && fits_numbers(node, type, path);
        }
        bool is_fine = node.kind == NodeKind::structure && node.children == type.fields.size();
        for (std::size_t i = 0; is_fine && i < type.fields.size(); ++i) {
            const reflect::Field& field = type.fields[i];
            const Node* const child = find_field(node, field.name);
            is_fine = child != nullptr;
            if (is_fine && !fits(*child, *field.type, path + "." + field.name)) {
                return false;
            }
        }
        why = is_fine ? ""
                      : text("'", path, "' must have the fields of ", tensor::display_name(type));
        return is_fine;
    }

    std::int64_t count;
    std::string why;

private:
    bool fits_names(const Node& node, const Type& type, const std::string& path) {
        if (node.names_count == 0) {
            return true;
        }
        const auto index = static_cast<std::uint32_t>(&node - m_arguments.nodes.data());
        auto found = find_numbers(m_arguments, index, type, why);
        if (!found) {
            why = text("'", path, "': ", why);
            return false;
        }
        m_named.push_back(std::move(*found));
        return true;
    }

    bool fits_numbers(const Node& node, const Type& type, const std::string& path) {
        std::vector<std::int64_t> shape = shape_of(m_arguments, node);
        bool is_fine = holds_numbers(node) && codegen::scalar_leaves(type).has_value();
        if (is_fine && count != 0) {
            is_fine = !shape.empty() && (count < 0 || shape.front() == count);
            count = is_fine ? shape.front() : count;
            shape.erase(shape.begin(), shape.begin() + (shape.empty() ? 0 : 1));
        }
        is_fine = is_fine && shape == reflect::element_shape(type);
        why = is_fine ? ""
                      : text("'", path, "' must be ", tensor::display_name(type),
                             count == 0 ? "" : ", one for each structure");
        return is_fine;
    }

    const ArgumentList& m_arguments;
    std::vector<NamedNumbers>& m_named;
};

class Packer {
public:
    Packer(const ArgumentList& arguments, std::string_view function)
        : m_arguments(arguments), m_function(function) {}

    void pack(const Node& node, const Type& type, std::byte* out, std::size_t stride,
              std::int64_t count) {
        if (type.kind == TypeKind::structure) {
            for (const reflect::Field& field : type.fields) {
                pack(*find_field(node, field.name), *field.type, out + field.offset, stride, count);
            }
            return;
        }
        const auto leaves = codegen::scalar_leaves(type);
        std::uint32_t component = 0;
        for (std::int64_t i = 0; i < count; ++i, out += stride) {
            for (const codegen::ScalarLeaf& leaf : *leaves) {
                put(node, component++, leaf, out + leaf.offset);
            }
        }
    }

private:
    void put(const Node& node, std::uint32_t component, const codegen::ScalarLeaf& leaf,
             std::byte* out) {
        std::byte scalar[8] = {};
        write_scalar(m_arguments, node, component, {leaf.kind, scalar, m_function, node.name},
                     &m_read);
        if (leaf.kind == reflect::ScalarKind::float16) { // written as float
            float value = 0.0F;
            std::memcpy(&value, scalar, sizeof(value));
            const std::uint16_t half = tensor::half_from_double(double{value});
            std::memcpy(scalar, &half, sizeof(half));
        }
        std::memcpy(out, scalar, leaf.size);
    }

    const ArgumentList& m_arguments;
    std::string_view m_function;
    HostScalars m_read;
};

} // namespace

std::optional<std::int64_t> count_packed(const ArgumentList& arguments, const Node& node,
                                         const Type& type, std::vector<NamedNumbers>& named,
                                         std::string& why) {
    if (node.kind == NodeKind::structure) {
        FieldCheck check(arguments, -1, named);
        const bool fits = check.fits(node, type, type.name);
        why = check.why;
        return fits && check.count >= 0 ? std::optional(check.count) : std::nullopt;
    }
    const Node* child = &node + 1;
    for (std::uint32_t i = 0; i < node.children; ++i, child += child->subtree) {
        FieldCheck check(arguments, 0, named);
        if (!check.fits(*child, type, text(type.name, "[", i, "]"))) {
            why = check.why;
            return std::nullopt;
        }
    }
    return node.children;
}

std::vector<std::byte> pack_structures(const ArgumentList& arguments, const Node& node,
                                       const Type& type, std::int64_t count,
                                       std::string_view function) {
    const std::size_t stride = type.layout.stride;
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * stride);
    Packer packer(arguments, function);
    if (node.kind == NodeKind::structure) {
        packer.pack(node, type, bytes.data(), stride, count);
        return bytes;
    }
    const Node* child = &node + 1;
    for (std::uint32_t i = 0; i < node.children; ++i, child += child->subtree) {
        packer.pack(*child, type, bytes.data() + i * stride, stride, 1);
    }
    return bytes;
}

} // namespace weft::dispatch
