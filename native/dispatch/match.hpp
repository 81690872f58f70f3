// SPDX-License-Identifier: Apache-2.0
// Does one argument fit one Slang type, how, and at what cost.
#pragma once

#include "dispatch/array_view.hpp"
#include "dispatch/bound_call.hpp"

namespace weft::dispatch {

/// Cost of a value of scalar kind `from` where Slang wants `to`; negative if it is not allowed.
[[nodiscard]] std::int32_t conversion_cost(reflect::ScalarKind from,
                                           reflect::ScalarKind to) noexcept;

/// What to pass for a structure; "" for other types.
[[nodiscard]] std::string structure_remedy(const reflect::Type& type);
/// True for structures that one tensor is made into, the same for all calls.
[[nodiscard]] bool is_from_tensor(const reflect::Type& type);
/// True for structures that one tensor is made into: its pointer, sizes and strides.
[[nodiscard]] bool is_tensor_view(const reflect::Type& type);
/// Chooses the structure of module weft or weft_diff for a whole-tensor operand.
void name_tensor(const reflect::Type& type, codegen::Derivative derivative, bool has_gradients,
                 codegen::Operand& operand);

struct MatchRequest {
    reflect::TypeRef type;
    std::uint32_t node = 0;
    reflect::Direction direction = reflect::Direction::in;
    std::string name;  ///< identifier stem in the kernel
    std::string label; ///< parameter name in messages: "p.position"
    std::vector<std::int32_t> mapping;
    bool is_differentiated = false; ///< the parameter takes part in differentiation
    bool is_constant = false;       ///< a no_diff field: its gradients may be left alone
    std::string without_derivatives =
        {}; ///< the structure that the value is part of, if that is not IDifferentiable
    std::uint32_t gradient_node = kNoNode; ///< the gradient of `node`, if it is one half of a pair
};

/// One pointer of a structure that is made from a tensor.
struct PointerPart {
    SourcePart source = SourcePart::primal; ///< memory that it points into
    const reflect::Field* field = nullptr;
};

/// Builds operands and sources; collects cost and the reason of a refusal.
class Matcher {
public:
    Matcher(const ArgumentList& arguments, const BindTarget& target, BoundCall& call)
        : m_arguments(arguments), m_target(target), m_call(call) {}

    /// Fills `operand`; false with reason() set if the argument does not fit.
    [[nodiscard]] bool match(const MatchRequest& request, codegen::Operand& operand);
    const std::string& reason() const noexcept { return m_reason; }

private:
    bool refuse(const MatchRequest& request, const std::string& what = {});
    bool match_structure(const MatchRequest& request, codegen::Operand& operand);
    bool match_structures(const MatchRequest& request, codegen::Operand& operand);
    bool refuse_unknown_field(const MatchRequest& request,
                              const std::vector<reflect::Field>& fields);
    /// Looks up the names of enumerators that the node has; false if one is unknown.
    bool accept_names(const MatchRequest& request);
    bool match_number(const MatchRequest& request, codegen::Operand& operand);
    bool match_array(const MatchRequest& request, codegen::Operand& operand);
    bool set_tensor_extents(const MatchRequest& request, const ArrayView& view,
                            std::size_t own_rank, codegen::Operand& operand);
    bool match_tensor(const MatchRequest& request, const ArrayView& view,
                      codegen::Operand& operand);
    bool match_buffer(const MatchRequest& request, const ArrayView& view,
                      codegen::Operand& operand);
    bool match_packed(const MatchRequest& request, codegen::Operand& operand);
    std::int64_t count_buffer_elements(const MatchRequest& request, const ArrayView& view);
    bool match_pointer(const MatchRequest& request, const ArrayView& view,
                       codegen::Operand& operand);
    bool match_from_tensor(const MatchRequest& request, const ArrayView& view,
                           codegen::Operand& operand);
    bool match_view(const MatchRequest& request, const ArrayView& view, codegen::Operand& operand);
    bool match_part(const MatchRequest& request, const ArrayView& view, const PointerPart& part,
                    codegen::Operand& operand);
    bool match_gradient_part(const MatchRequest& request, const PointerPart& part,
                             codegen::Operand& operand);
    bool match_generator(const MatchRequest& request, codegen::Operand& operand);
    codegen::Derivative derivative() const noexcept { return m_call.kernel.derivative; }
    bool accepts_leaf(const reflect::Type& wanted, const ArrayView& view, bool is_exact);
    void attach_tangents(const MatchRequest& request, std::size_t own_rank,
                         codegen::Operand& operand);
    bool has_own_gradient_type(const MatchRequest& request);
    bool attach_gradients(const MatchRequest& request, std::size_t own_rank,
                          codegen::Operand& operand);
    bool attach_tensor_gradients(const MatchRequest& request, std::size_t own_rank,
                                 codegen::Operand& operand);
    bool attach_tensor_tangents(const MatchRequest& request, std::size_t own_rank,
                                codegen::Operand& operand);
    bool attach_tensor_gradient(const MatchRequest& request, SourcePart part, std::size_t own_rank,
                                codegen::Operand& operand);
    bool match_value_of_pair(const MatchRequest& request, codegen::Operand& operand);
    bool match_differential_pair(const MatchRequest& request, codegen::Operand& operand);
    bool match_pair_of_tensor(const MatchRequest& request, const reflect::TypeRef& value,
                              codegen::Operand& operand);
    bool has_gradient(const MatchRequest& request, SourcePart part) const noexcept;
    bool has_one_gradient(const MatchRequest& request) const noexcept;
    ArrayView gradient_view(const MatchRequest& request, SourcePart part) const;
    codegen::Operand gradient_operand(const MatchRequest& request, SourcePart part,
                                      std::size_t own_rank, reflect::Direction direction);
    void warn_of_null_gradient(const MatchRequest& request);
    void set_memory(const MatchRequest& request, const ArrayView& view, std::size_t own_rank,
                    codegen::Operand& operand);
    std::int32_t add_source(const MatchRequest& request, const ArrayView& view);

    const ArgumentList& m_arguments;
    const BindTarget& m_target;
    BoundCall& m_call;
    std::string m_reason;
};

} // namespace weft::dispatch
