// SPDX-License-Identifier: Apache-2.0
#include "dispatch/infer.hpp"
#include "reflect/differential.hpp"

#include "core/text.hpp"
#include "dispatch/match.hpp"
#include "tensor/dtype.hpp"

#include <map>

namespace weft::dispatch {

using core::text;
using reflect::ScalarKind;
using reflect::Type;
using reflect::TypeKind;

namespace {

class Unifier {
public:
    Unifier(const reflect::Function& function, const ArgumentList& arguments,
            const CallOptions& options)
        : m_function(function), m_arguments(arguments), m_options(options) {}

    std::optional<std::string> run(std::string& why) {
        std::size_t position = 0;
        for (const Root& root : m_arguments.roots) {
            if (root.role == Role::positional) {
                unify_parameter(position++, root.node);
            } else if (root.role == Role::keyword) {
                unify_keyword(root.node);
            } else if (root.role == Role::result) {
                unify(*m_function.return_type, m_arguments.nodes[root.node], nullptr);
            }
        }
        std::vector<std::string> parts;
        for (const reflect::GenericParameter& generic : m_function.generics) {
            const auto found = m_bindings.find(generic.name);
            if (found == m_bindings.end()) {
                why = text("its generic parameter '", generic.name,
                           "' cannot be inferred from the arguments; name it: module[\"",
                           m_function.name, "<...>\"]");
                return std::nullopt;
            }
            parts.push_back(found->second.text);
        }
        const std::string owner = m_function.owner.empty() ? "" : m_function.owner + ".";
        return owner + m_function.name + "<" + core::join(parts, ", ") + ">";
    }

private:
    struct Binding {
        std::string text;
        bool is_weak = false; ///< from a Python number: gives way to a tensor's type
    };

    void bind(const std::string& name, std::string value, bool is_weak) {
        if (name.empty()) {
            return;
        }
        const auto [found, inserted] = m_bindings.try_emplace(name, Binding{value, is_weak});
        if (inserted) {
            return;
        }
        const bool both_weak = found->second.is_weak && is_weak;
        if ((found->second.is_weak && !is_weak) || (both_weak && value == "float")) {
            found->second = {std::move(value), is_weak};
        }
    }

    void unify_keyword(std::uint32_t node) {
        for (std::size_t i = 0; i < m_function.parameters.size(); ++i) {
            if (m_function.parameters[i].name == m_arguments.nodes[node].name) {
                unify_parameter(i, node);
            }
        }
    }

    void unify_parameter(std::size_t index, std::uint32_t node) {
        if (index >= m_function.parameters.size()) {
            return;
        }
        const Mapping* mapping =
            index < m_options.positional.size() ? &m_options.positional[index] : nullptr;
        for (const auto& [name, named] : m_options.named) {
            if (name == m_function.parameters[index].name) {
                mapping = &named;
            }
        }
        unify(*m_function.parameters[index].type, m_arguments.nodes[node], mapping);
    }

    void unify(const Type& pattern, const Node& node, const Mapping* mapping) {
        if (const reflect::TypeRef value = reflect::pair_value_type(pattern)) {
            unify(*value, node, mapping);
            return;
        }
        if (node.kind == NodeKind::pair) {
            unify(pattern, *(&node + 1), mapping); // its value; the gradient has the same type
            return;
        }
        if (pattern.kind == TypeKind::generic_parameter) {
            bind_type(pattern.name, node, mapping);
        } else if (is_array(node)) {
            unify_array(pattern, view_of(m_arguments, node), node);
        } else if (node.kind == NodeKind::structure) {
            unify_dict(pattern, node);
        } else if (node.kind == NodeKind::grid || node.kind == NodeKind::call_id) {
            bind(pattern.count_parameter, text(node.rank), false);
        }
    }

    /// The type of a generator's values, whose node says how many components they have.
    static std::string with_components(const char* scalar, const Node& node) {
        return node.rank <= 1 ? scalar : text("vector<", scalar, ",", node.rank, ">");
    }

    void bind_type(const std::string& name, const Node& node, const Mapping* mapping) {
        if (mapping != nullptr && !mapping->type_name.empty()) {
            bind(name, mapping->type_name, false);
            return;
        }
        switch (node.kind) {
        case NodeKind::boolean: bind(name, "bool", true); break;
        case NodeKind::integer:
            bind(name, node.scalar == ScalarKind::uint64 ? "uint64_t" : "int", true);
            break;
        case NodeKind::real: bind(name, "float", true); break;
        case NodeKind::rand_float: bind(name, with_components("float", node), true); break;
        case NodeKind::wang_hash:
        case NodeKind::thread_id: bind(name, with_components("uint", node), true); break;
        case NodeKind::call_id:
            if (node.rank != 0) {
                bind(name, with_components("int", node), true);
            }
            break;
        case NodeKind::grid:
            bind(name, node.rank == 1 ? "int" : text("vector<int,", node.rank, ">"), true);
            break;
        case NodeKind::structure:
            if (!node.type_name.empty()) {
                bind(name, std::string(node.type_name), false);
            }
            break;
        case NodeKind::tensor:
        case NodeKind::list:
        case NodeKind::host_array: bind_element(name, node, mapping); break;
        default: break;
        }
    }

    void bind_element(const std::string& name, const Node& node, const Mapping* mapping) {
        if (node.names_count != 0) {
            return; // names do not tell their enumeration
        }
        const ArrayView view = view_of(m_arguments, node);
        if (mapping != nullptr && mapping->dimensions.size() < view.shape.size()) {
            const auto own = static_cast<std::ptrdiff_t>(mapping->dimensions.size());
            bind(name, spell(*view.leaf, {view.shape.begin() + own, view.shape.end()}),
                 view.is_host);
        } else if (node.kind == NodeKind::tensor) {
            bind(name, node.tensor->dtype()->full_name, false);
        } else {
            bind(name, host_type(node, view), !is_precise(node, view));
        }
    }

    static bool is_precise(const Node& node, const ArrayView& view) {
        return node.kind == NodeKind::host_array && node.host->is_precise &&
               reflect::is_float(view.leaf->scalar);
    }

    static std::string host_type(const Node& node, const ArrayView& view) {
        return is_precise(node, view) ? std::string(slang_name(view.leaf->scalar))
                                      : number_type(view.leaf->scalar);
    }

    /// Python numbers are double and 64-bit: the natural Slang types are float and int.
    static std::string number_type(ScalarKind kind) {
        if (kind == ScalarKind::bool_) {
            return "bool";
        }
        return reflect::is_float(kind)
                   ? "float"
                   : std::string(slang_name(kind == ScalarKind::int64 ? ScalarKind::int32 : kind));
    }

    static std::string spell(const Type& leaf, const std::vector<std::int64_t>& shape) {
        if (shape.empty()) {
            return leaf.full_name;
        }
        const bool is_vector =
            shape.size() == 1 && leaf.kind == TypeKind::scalar && shape[0] >= 2 && shape[0] <= 4;
        if (is_vector) {
            return text("vector<", leaf.full_name, ",", shape[0], ">");
        }
        return text("Array<", spell(leaf, {shape.begin() + 1, shape.end()}), ",", shape[0], ">");
    }

    /// {"x": 1, "y": 2} for a vector whose length is open.
    void unify_dict(const Type& pattern, const Node& node) {
        if (pattern.kind != TypeKind::vector) {
            return;
        }
        const reflect::TypeRef named = tensor::parse_dtype(node.type_name);
        bind(pattern.count_parameter, text(named ? named->columns : std::int64_t{node.children}),
             false);
        if (named && pattern.element && pattern.element->kind == TypeKind::generic_parameter) {
            bind(pattern.element->name, std::string(slang_name(named->scalar)), false);
        }
    }

    void bind_scalar(const Type* element, const ArrayView& view, const Node& node) {
        if (element != nullptr && element->kind == TypeKind::generic_parameter) {
            bind(element->name, view.is_host ? host_type(node, view) : view.leaf->full_name,
                 view.is_host && !is_precise(node, view));
        }
    }

    void unify_tensor(const Type& pattern, const ArrayView& view, const Node& node) {
        const std::size_t rank = view.shape.size();
        const bool is_generic =
            pattern.element && pattern.element->kind == TypeKind::generic_parameter;
        const std::size_t inner =
            is_generic ? view.element_rank : reflect::element_shape(*pattern.element).size();
        bind(pattern.tensor.rank_parameter, text(rank - std::min(inner, rank)), false);
        if (is_generic) {
            bind(pattern.element->name,
                 node.kind == NodeKind::tensor ? node.tensor->dtype()->full_name
                                               : host_type(node, view),
                 false);
        }
    }

    void unify_array(const Type& pattern, const ArrayView& view, const Node& node) {
        const std::size_t rank = view.shape.size();
        switch (pattern.kind) {
        case TypeKind::matrix:
            if (rank >= 2) {
                bind(pattern.row_parameter, text(view.shape[rank - 2]), view.is_host);
            }
            [[fallthrough]];
        case TypeKind::vector:
        case TypeKind::array:
            if (rank >= 1) {
                bind(pattern.count_parameter, text(view.shape[rank - 1]), view.is_host);
            }
            bind_scalar(pattern.element.get(), view, node);
            break;
        case TypeKind::tensor: unify_tensor(pattern, view, node); break;
        case TypeKind::structure:
            if (node.kind == NodeKind::tensor && node.tensor->dtype()->name == pattern.name) {
                unify_structure(pattern, *node.tensor->dtype());
            }
            break;
        default: break;
        }
    }

    void unify_structure(const Type& pattern, const Type& concrete) {
        for (std::size_t i = 0;
             i < pattern.generic_arguments.size() && i < concrete.generic_arguments.size(); ++i) {
            const Type& argument = *pattern.generic_arguments[i];
            if (argument.kind == TypeKind::generic_parameter) {
                bind(argument.name, concrete.generic_arguments[i]->full_name, false);
            }
        }
    }

    const reflect::Function& m_function;
    const ArgumentList& m_arguments;
    const CallOptions& m_options;
    std::map<std::string, Binding> m_bindings;
};

} // namespace

std::optional<std::string> infer_specialization(const reflect::Function& function,
                                                const ArgumentList& arguments,
                                                const CallOptions& options, std::string& why) {
    return Unifier(function, arguments, options).run(why);
}

} // namespace weft::dispatch
