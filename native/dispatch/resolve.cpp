// SPDX-License-Identifier: Apache-2.0
#include "dispatch/resolve.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "dispatch/align.hpp"
#include "dispatch/infer.hpp"

#include <algorithm>

namespace weft::dispatch {

using core::text;

namespace {

struct Refusal {
    std::string signature;
    std::string why;
    std::string advice{}; ///< the end of the message
};

[[noreturn]] void fail_no_overload(const std::string& name, const std::vector<Refusal>& refusals) {
    if (refusals.size() == 1) {
        throw core::ArgumentError(text(name, ": ", refusals[0].why, "; its signature is ",
                                       refusals[0].signature, refusals[0].advice));
    }
    std::string list;
    for (const Refusal& refusal : refusals) {
        list += text("\n  ", refusal.signature, ": ", refusal.why);
    }
    throw core::ArgumentError(
        text(name, ": none of its ", refusals.size(), " overloads fits the arguments:", list));
}

[[noreturn]] void fail_ambiguous(const std::string& name, const BoundCall& a, const BoundCall& b) {
    throw core::ArgumentError(text(name, ": the arguments fit two overloads equally well, ",
                                   signature_text(a.function), " and ", signature_text(b.function),
                                   "; pass values of the exact types, or a tensor with a dtype"));
}

class Resolver {
public:
    Resolver(const ArgumentList& arguments, const CallOptions& options, const BindTarget& target,
             const Lookup& lookup)
        : m_arguments(arguments), m_options(options), m_target(target), m_lookup(lookup) {}

    void consider(const reflect::Function& declared) {
        const reflect::Function overload = with_named_types(declared);
        if (!overload.is_public) {
            refusals.push_back(
                {signature_text(overload),
                 text("it is not public, and other code can only call what a file with "
                      "'module ...;' declares public; write 'public' in front of it")});
            return;
        }
        if (overload.generics.empty()) {
            consider_concrete(overload);
            return;
        }
        std::string why;
        const auto spelling = infer_specialization(overload, m_arguments, m_options, why);
        if (!spelling) {
            refusals.push_back({signature_text(overload), why});
            return;
        }
        const auto specialized = m_lookup.specialize(*spelling);
        if (specialized.empty()) {
            refusals.push_back({signature_text(overload), text("there is no '", *spelling, "'")});
        }
        for (const reflect::Function& function : specialized) {
            // Concrete overloads win over generic ones at equal conversions.
            consider_concrete(function, 1);
        }
    }

    std::unique_ptr<BoundCall> best;
    std::unique_ptr<BoundCall> rival; ///< fits as well as `best`
    std::vector<Refusal> refusals;

private:
    bool may_be_named(const reflect::Parameter& parameter) const {
        return parameter.type->kind == reflect::TypeKind::interface_ &&
               parameter.direction == reflect::Direction::in &&
               m_options.derivative == codegen::Derivative::none;
    }

    /// The function with the types that the arguments name in place of interfaces.
    reflect::Function with_named_types(reflect::Function function) const {
        std::size_t position = 0;
        for (const Root& root : m_arguments.roots) {
            const Node& node = m_arguments.root_node(root);
            auto parameter = function.parameters.end();
            if (root.role == Role::positional && position < function.parameters.size()) {
                parameter = function.parameters.begin() + static_cast<std::ptrdiff_t>(position++);
            } else if (root.role == Role::keyword) {
                parameter = std::ranges::find(
                    function.parameters, node.name,
                    [](const auto& entry) -> std::string_view { return entry.name; });
            }
            const bool takes_named =
                parameter != function.parameters.end() && may_be_named(*parameter);
            const reflect::TypeRef named = takes_named ? named_type(node) : nullptr;
            if (named && named->kind == reflect::TypeKind::structure) {
                parameter->type = named;
            }
        }
        return function;
    }

    reflect::TypeRef named_type(const Node& node) const {
        if (node.kind == NodeKind::tensor) {
            return node.tensor->dtype();
        }
        const bool has_name = node.kind == NodeKind::structure && !node.type_name.empty();
        return has_name && m_lookup.find_type ? m_lookup.find_type(std::string(node.type_name))
                                              : nullptr;
    }

    void consider_concrete(const reflect::Function& function, std::int32_t extra_cost = 0) {
        std::string why;
        auto bound = bind_call(function, m_arguments, m_options, m_target, why);
        if (!bound) {
            const bool is_call_of_entry = function.is_entry_point && !m_options.is_raw_dispatch;
            refusals.push_back({signature_text(function), why,
                                is_call_of_entry ? text("; it is an entry point: run it by ",
                                                        function.name, ".dispatch(threads, ...)")
                                                 : ""});
            return;
        }
        bound->cost += extra_cost;
        if (!best || bound->cost < best->cost) {
            best = std::move(bound);
            rival.reset();
        } else if (bound->cost == best->cost) {
            rival = std::move(bound);
        }
    }

    const ArgumentList& m_arguments;
    const CallOptions& m_options;
    const BindTarget& m_target;
    const Lookup& m_lookup;
};

} // namespace

std::unique_ptr<BoundCall> resolve_call(const std::string& name,
                                        const std::vector<reflect::Function>& overloads,
                                        const ArgumentList& arguments, const CallOptions& options,
                                        const BindTarget& target, const Lookup& lookup) {
    Resolver resolver(arguments, options, target, lookup);
    for (const reflect::Function& overload : overloads) {
        resolver.consider(overload);
    }
    if (!resolver.best) {
        fail_no_overload(name, resolver.refusals);
    }
    if (resolver.rival) {
        fail_ambiguous(name, *resolver.best, *resolver.rival);
    }
    align_operands(*resolver.best, options, target);
    return std::move(resolver.best);
}

} // namespace weft::dispatch
