// SPDX-License-Identifier: Apache-2.0
#include "dispatch/align.hpp"
#include "dispatch/bound_call.hpp"
#include "dispatch/default_values.hpp"
#include "dispatch/match.hpp"
#include "dispatch/unbound_resources.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "reflect/differential.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>
#include <optional>

namespace weft::dispatch {

using codegen::Operand;
using codegen::OperandKind;
using core::text;
using reflect::Direction;

namespace {

/// True for what holds no memory that a call could write to: what becomes of its numbers is returned.
bool holds_numbers_only(const Node& node) {
    return std::all_of(&node, &node + node.subtree, [](const Node& entry) {
        switch (entry.kind) {
        case NodeKind::boolean:
        case NodeKind::integer:
        case NodeKind::real:
        case NodeKind::name:
        case NodeKind::list:
        case NodeKind::structure:
        case NodeKind::structures: return true;
        default: return false;
        }
    });
}

class CallBinder {
public:
    CallBinder(const reflect::Function& function, const ArgumentList& arguments,
               const CallOptions& options, const BindTarget& target)
        : m_arguments(arguments), m_options(options), m_call(std::make_unique<BoundCall>()),
          m_matcher(arguments, target, *m_call) {
        m_call->function = function;
        m_call->target = target;
        m_call->kernel.derivative = options.derivative;
    }

    std::unique_ptr<BoundCall> run(std::string& why) {
        if (!is_derivable() || !assign_roots() || !bind_this() || !bind_parameters() ||
            !bind_result()) {
            why = m_reason.empty() ? m_matcher.reason() : m_reason;
            return nullptr;
        }
        check_gradients();
        mark_shared_gradients();
        return std::move(m_call);
    }

private:
    const reflect::Function& function() const { return m_call->function; }

    bool refuse(std::string reason) {
        m_reason = std::move(reason);
        return false;
    }

    bool is_derivative() const { return m_options.derivative != codegen::Derivative::none; }

    /// Nothing to add to: the call would do nothing, which nobody wants.
    void check_gradients() const {
        bool has_sum = !is_derivative();
        bool has_given = !is_derivative();
        for (const Source& source : m_call->sources) {
            has_sum = has_sum || source.part == SourcePart::gradient_out;
            has_given = has_given || source.part == SourcePart::gradient_in;
        }
        const bool is_forward = m_options.derivative == codegen::Derivative::forward;
        if (is_forward && !(has_sum && has_given)) {
            throw core::ArgumentError(
                text(function().name, ".fwds: ",
                     has_given ? "no output has a tangent to write (grad_out)"
                               : "no input has a tangent (grad_in)",
                     "; pass tensor.with_grads() for inputs that vary and for outputs"));
        }
        if (!has_sum) {
            throw core::ArgumentError(text(
                function().name, ".bwds: no differentiable argument has a gradient to add to; pass "
                                 "tensor.with_grads() for those that you want gradients of"));
        }
    }

    /// f.bwds(x, x) adds to one gradient from two sides.
    void mark_shared_gradients() {
        std::vector<std::pair<const Node*, Operand*>> sums;
        codegen::for_each_memory_operand(m_call->kernel, [&](Operand& operand) {
            const Source& source = m_call->sources[static_cast<std::size_t>(operand.source)];
            const bool is_sum = operand.accumulation != codegen::Accumulation::none;
            if (!is_sum || source.kind != SourceKind::node) {
                return;
            }
            const Node& node = m_arguments.nodes[source.node];
            for (const auto& [other_node, other] : sums) {
                if (have_shared_gradient(*other_node, node)) {
                    other->shares_memory = operand.shares_memory = true;
                }
            }
            sums.emplace_back(&node, &operand);
        });
    }

    bool is_derivable() {
        if (is_derivative() && !function().is_differentiable) {
            return refuse("it is not differentiable; put [Differentiable] in front of it");
        }
        if (!is_derivative()) {
            return true;
        }
        const bool is_reverse = m_options.derivative == codegen::Derivative::backward;
        const std::string& problem =
            is_reverse ? function().reverse_problem : function().forward_problem;
        return problem.empty() || refuse(problem);
    }

    bool is_differentiated(const reflect::Parameter& parameter) const {
        return is_derivative() && !parameter.is_no_diff &&
               reflect::is_differentiable(*parameter.type);
    }

    /// Which root feeds which parameter.
    bool assign_roots() {
        const auto& parameters = function().parameters;
        m_roots.assign(parameters.size(), std::nullopt);
        std::size_t position = 0;
        for (const Root& root : m_arguments.roots) {
            if (root.role == Role::positional) {
                while (position < parameters.size() && is_system_parameter(parameters[position])) {
                    ++position;
                }
                if (position >= parameters.size()) {
                    return refuse(text("it takes ", parameters.size(), " arguments, got more"));
                }
                m_roots[position++] = root.node;
            } else if (root.role == Role::keyword && !assign_keyword(root)) {
                return false;
            }
        }
        return true;
    }

    /// The threads of a dispatch() fill these, so positional arguments pass them over.
    bool is_system_parameter(const reflect::Parameter& parameter) const {
        return m_options.is_raw_dispatch && !parameter.semantic.empty() &&
               !system_variable(parameter.semantic).empty();
    }

    bool assign_keyword(const Root& root) {
        const auto& parameters = function().parameters;
        const std::string_view name = m_arguments.root_node(root).name;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters[i].name == name) {
                if (m_roots[i]) {
                    return refuse(text("parameter '", name, "' is given twice"));
                }
                m_roots[i] = root.node;
                return true;
            }
        }
        std::vector<std::string> names;
        names.reserve(parameters.size());
        for (const reflect::Parameter& parameter : parameters) {
            names.push_back(parameter.name);
        }
        return refuse(text("it has no parameter '", name, "'", core::suggestion(name, names)));
    }

    const Root* find_root(Role role) const {
        for (const Root& root : m_arguments.roots) {
            if (root.role == role) {
                return &root;
            }
        }
        return nullptr;
    }

    bool bind_this() {
        const bool is_method =
            !function().owner.empty() && !function().is_static && !function().is_constructor;
        const Root* root = find_root(Role::this_value);
        if (!is_method) {
            return true;
        }
        if (root == nullptr) {
            return refuse(text(
                "it is a method of ", function().owner, " and has no 'this'; bind one with module.",
                function().owner, ".", function().name,
                ".bind(value)(...), where value is a dict or a tensor of ", function().owner));
        }
        m_call->kernel.has_this = true;
        Operand& operand = m_call->kernel.operands.emplace_back();
        const Direction direction = function().is_mutating ? Direction::inout : Direction::in;
        return m_matcher.match({.type = function().this_type,
                                .node = root->node,
                                .direction = direction,
                                .name = "weft_this",
                                .label = "this",
                                .mapping = {},
                                .is_differentiated = is_derivative() && reflect::is_differentiable(
                                                                            *function().this_type)},
                               operand);
    }

    const Mapping* mapping_of(std::size_t index) const {
        for (const auto& [name, mapping] : m_options.named) {
            if (name == function().parameters[index].name) {
                return &mapping;
            }
        }
        return index < m_options.positional.size() ? &m_options.positional[index] : nullptr;
    }

    bool bind_parameters() {
        const auto& parameters = function().parameters;
        std::size_t last = parameters.size();
        const bool fills_defaults = !m_options.is_raw_dispatch && !is_derivative();
        while (fills_defaults && last > 0 && !m_roots[last - 1] &&
               parameters[last - 1].has_default) {
            --last; // trailing defaults are filled in by Slang itself
        }
        for (std::size_t i = 0; i < last; ++i) {
            if (!bind_parameter(i)) {
                return false;
            }
        }
        return true;
    }

    bool bind_parameter(std::size_t index) {
        const reflect::Parameter& parameter = function().parameters[index];
        const std::optional<std::uint32_t> root = m_roots[index];
        if (!root || m_arguments.nodes[*root].kind == NodeKind::none) {
            return bind_absent(index);
        }
        const Mapping* mapping = mapping_of(index);
        const Node& node = m_arguments.nodes[*root];
        const bool is_host_number = holds_numbers_only(node);
        if (parameter.direction != Direction::in && is_host_number && is_derivative()) {
            return refuse(text("parameter '", parameter.name,
                               "' is an output: pass a tensor with gradients (with_grads())"));
        }
        if (parameter.direction != Direction::in && is_host_number) {
            const bool is_bound = parameter.direction == Direction::inout
                                      ? bind_returned_value(index, *root)
                                      : bind_output(index);
            m_call->sources.back().node = *root;
            return is_bound;
        }
        Operand& operand = m_call->kernel.operands.emplace_back();
        return m_matcher.match(
            {.type = parameter.type,
             .node = *root,
             .direction = parameter.direction,
             .name = stem(index),
             .label = parameter.name,
             .mapping = mapping != nullptr ? mapping->dimensions : std::vector<std::int32_t>{},
             .is_differentiated = is_differentiated(parameter)},
            operand);
    }

    bool bind_absent(std::size_t index) {
        const reflect::Parameter& parameter = function().parameters[index];
        if (m_options.is_raw_dispatch && bind_system_value(index)) {
            return true;
        }
        if (parameter.direction != Direction::in && is_derivative()) {
            return refuse(
                text("parameter '", parameter.name,
                     "' is an output and must be given: a tensor with gradients (with_grads())"));
        }
        if (parameter.direction != Direction::in) {
            return bind_output(index);
        }
        const std::string initial_value = default_expression(parameter);
        if (initial_value.empty()) {
            const std::string only_last =
                text("; its default ", parameter.default_text,
                     " can only be taken by Slang, where nothing behind it is given: pass it");
            return refuse(text("parameter '", parameter.name, "' (",
                               tensor::display_name(*parameter.type), ") is missing",
                               parameter.has_default ? only_last : ""));
        }
        Operand& operand = m_call->kernel.operands.emplace_back();
        operand.kind = OperandKind::literal;
        operand.type = parameter.type;
        operand.name = stem(index);
        operand.literal = initial_value;
        operand.is_differentiated = is_differentiated(parameter);
        return true;
    }

    /// A compute semantic, or (functions without semantics) the first integer parameter left out.
    bool bind_system_value(std::size_t index) {
        const reflect::Parameter& parameter = function().parameters[index];
        const reflect::Type& type = *parameter.type;
        const bool is_index =
            type.kind == reflect::TypeKind::scalar || type.kind == reflect::TypeKind::vector;
        if (!is_index || !reflect::is_integer(type.scalar) ||
            (parameter.semantic.empty() && m_has_thread)) {
            return false;
        }
        const std::string variable = system_variable(parameter.semantic);
        if (variable.empty()) {
            return false;
        }
        m_has_thread = true;
        const std::int32_t columns = type.kind == reflect::TypeKind::scalar ? 1 : type.columns;
        const char* swizzles[] = {".x", ".xy", ""};
        const bool is_scalar = variable == "weft_lane_in_group";
        Operand& operand = m_call->kernel.operands.emplace_back();
        operand.kind = OperandKind::system_value;
        operand.type = parameter.type;
        operand.name = stem(index);
        operand.semantic = is_scalar || columns > 3 ? variable : variable + swizzles[columns - 1];
        return true;
    }

    static std::string system_variable(std::string_view semantic) {
        const std::string lower = core::to_lower(semantic);
        if (lower.empty() || lower == "sv_dispatchthreadid") {
            return "weft_thread";
        }
        if (lower == "sv_groupid") {
            return "weft_group";
        }
        if (lower == "sv_groupthreadid") {
            return "weft_local";
        }
        return lower == "sv_groupindex" ? "weft_lane_in_group" : "";
    }

    /// The index keeps apart what the printer derives from two names: "a" + "_at" and "a_at".
    std::string stem(std::size_t index) const {
        return text("weft_", function().parameters[index].name, "_p", index);
    }

    /// An omitted out or inout parameter: memory of the call's shape, part of the return value.
    bool bind_output(std::size_t index) {
        const reflect::Parameter& parameter = function().parameters[index];
        Operand& operand = m_call->kernel.operands.emplace_back();
        operand.name = stem(index);
        return bind_allocated(parameter.type, parameter.name, operand);
    }

    bool bind_allocated(const reflect::TypeRef& type, const std::string& label, Operand& operand) {
        const auto kind = type->kind;
        if (reflect::leaf(*type).kind == reflect::TypeKind::resource) {
            return refuse(text("'", label, "' is ", tensor::display_name(*type),
                               ", which Weft cannot bind: ", resource_remedy(type->full_name)));
        }
        if (kind == reflect::TypeKind::tensor || kind == reflect::TypeKind::pointer ||
            kind == reflect::TypeKind::interface_ || kind == reflect::TypeKind::resource ||
            kind == reflect::TypeKind::other || reflect::pair_value_type(*type)) {
            return refuse(text("'", label, "' of type ", tensor::display_name(*type),
                               " cannot be created for you: pass it"));
        }
        operand.kind = OperandKind::element;
        operand.type = type;
        operand.reads = false;
        operand.writes = true;
        operand.is_allocated = true;
        operand.source = static_cast<std::int32_t>(m_call->sources.size());
        m_call->returned.push_back(static_cast<std::uint32_t>(operand.source));
        m_call->sources.push_back({.kind = SourceKind::allocate,
                                   .dtype = type,
                                   .access = device::BufferAccess::write,
                                   .name = label,
                                   .returns = true});
        return true;
    }

    /// An inout parameter given as a number or list: a value goes in, the changed value is returned.
    bool bind_returned_value(std::size_t index, std::uint32_t root) {
        const reflect::Parameter& parameter = function().parameters[index];
        Operand& operand = m_call->kernel.operands.emplace_back();
        operand.name = stem(index);
        operand.kind = OperandKind::updated;
        operand.type = parameter.type;
        operand.writes = true;
        operand.fields.resize(2);
        if (!m_matcher.match({.type = parameter.type,
                              .node = root,
                              .direction = Direction::in,
                              .name = operand.name + "_in",
                              .label = parameter.name,
                              .mapping = {}},
                             operand.fields[0])) {
            return false;
        }
        operand.fields[1].name = operand.name + "_out";
        return bind_allocated(parameter.type, parameter.name, operand.fields[1]);
    }

    bool bind_result() {
        const reflect::TypeRef& type = function().return_type;
        const Root* root = find_root(Role::result);
        const bool is_void =
            type->kind == reflect::TypeKind::scalar && type->scalar == reflect::ScalarKind::void_;
        if (m_options.is_raw_dispatch) {
            return true; // nobody reads the value
        }
        if (is_void) {
            return root == nullptr || refuse("it returns nothing, so _result must be left out");
        }
        codegen::Kernel& kernel = m_call->kernel;
        kernel.has_result = true;
        kernel.result.name = "weft_result";
        if (root != nullptr) {
            return m_matcher.match({.type = type,
                                    .node = root->node,
                                    .direction = Direction::out,
                                    .name = "weft_result",
                                    .label = "_result",
                                    .mapping = {},
                                    .is_differentiated = is_derivative()},
                                   kernel.result);
        }
        if (is_derivative()) {
            return refuse("_result must be given: a tensor with gradients (with_grads()), whose "
                          "grad holds the "
                          "derivative of the loss by the result");
        }
        if (!bind_allocated(type, "_result", kernel.result)) {
            return false;
        }
        // The function's own value comes before its out parameters.
        std::rotate(m_call->returned.begin(), m_call->returned.end() - 1, m_call->returned.end());
        return true;
    }

    const ArgumentList& m_arguments;
    const CallOptions& m_options;
    std::unique_ptr<BoundCall> m_call;
    Matcher m_matcher;
    std::vector<std::optional<std::uint32_t>> m_roots;
    std::string m_reason;
    bool m_has_thread = false;
};

} // namespace

std::string signature_text(const reflect::Function& function) {
    std::vector<std::string> parts;
    for (const reflect::Parameter& parameter : function.parameters) {
        const char* prefix = parameter.direction == Direction::out     ? "out "
                             : parameter.direction == Direction::inout ? "inout "
                                                                       : "";
        parts.push_back(text(parameter.name, ": ", prefix, tensor::display_name(*parameter.type)));
    }
    return text(function.name, "(", core::join(parts, ", "), ")");
}

BindTarget bind_target(const device::Device& device) {
    const auto& info = device.info();
    const bool binds = info.features.is_software;
    return {.rules = device.layout_rules(),
            .max_storage_binding = binds ? info.limits.max_storage_binding : 0,
            .storage_binding_alignment = info.limits.storage_binding_alignment};
}

std::unique_ptr<BoundCall> bind_call(const reflect::Function& function,
                                     const ArgumentList& arguments, const CallOptions& options,
                                     const BindTarget& target, std::string& why) {
    return CallBinder(function, arguments, options, target).run(why);
}

} // namespace weft::dispatch
