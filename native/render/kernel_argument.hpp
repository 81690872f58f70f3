// SPDX-License-Identifier: Apache-2.0
// What stages call their kernels with, kept in the dispatcher's own form: a launch copies nodes and reads nobody's objects.
#pragma once

#include "dispatch/argument.hpp"
#include "tensor/tensor.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace weft::render {

/// One argument of a kernel: a structure of named fields, or a number. Keeps its tensors alive. Names that add functions
/// take must outlive the argument; literals do. A value type: copies share tensors. Not thread-safe while it changes.
class KernelArgument {
public:
    /// A structure without fields.
    KernelArgument();
    /// A number that is an argument of its own.
    [[nodiscard]] static KernelArgument number(std::int64_t value);
    [[nodiscard]] static KernelArgument real(double value);
    /// A vector that is an argument of its own: one number a component.
    [[nodiscard]] static KernelArgument reals(std::span<const double> values);
    /// A tensor that is an argument of its own.
    [[nodiscard]] static KernelArgument tensor(tensor::TensorRef value);
    /// The last argument of `list`. @param keep holds what its nodes point to: names and tensors.
    /// @throws ArgumentError that begins with `name` if it has other parts than structures, numbers, lists of numbers and
    ///         tensors.
    [[nodiscard]] static KernelArgument last_of(const dispatch::ArgumentList& list,
                                                std::shared_ptr<const void> keep,
                                                std::string_view name);

    void add_integer(std::string_view name, std::int64_t value);
    void add_real(std::string_view name, double value);
    void add_tensor(std::string_view name, tensor::TensorRef value);
    /// A vector: one number a component.
    void add_integers(std::string_view name, std::span<const std::int64_t> values);
    /// @param shape of the vector, matrix or array; row-major, as many numbers as `values` has.
    void add_reals(std::string_view name, std::span<const double> values,
                   std::span<const std::int64_t> shape);
    void add_structure(std::string_view name, const KernelArgument& value);

    /// The same field with another number or tensor. @param name fields of structures have dots between: "media.derivatives".
    /// @throws InternalError if there is none.
    void set_integer(std::string_view name, std::int64_t value);
    void set_real(std::string_view name, double value);
    void set_tensor(std::string_view name, tensor::TensorRef value);
    /// @throws ArgumentError if there is no field of that name that is an integer.
    [[nodiscard]] std::int64_t integer(std::string_view name) const;

    /// Appends the argument to a call, without a name.
    void append_to(dispatch::ArgumentList& list) const;

    /// In preorder, the structure first; their shapes and data lie in words().
    [[nodiscard]] std::span<const dispatch::Node> nodes() const noexcept { return m_nodes; }
    [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return m_words; }
    /// The owner of a node's tensor, if add_tensor() or set_tensor() brought it; else null.
    [[nodiscard]] tensor::TensorRef owner_of(const dispatch::Node& node) const noexcept;

private:
    dispatch::Node& push(dispatch::NodeKind kind, std::string_view name);
    dispatch::Node& push_list(std::string_view name, reflect::ScalarKind scalar,
                              std::span<const std::int64_t> shape);
    [[nodiscard]] dispatch::Node* find(std::string_view name) noexcept;
    [[nodiscard]] dispatch::Node& require(std::string_view name, dispatch::NodeKind kind,
                                          std::string_view kind_name);

    std::vector<dispatch::Node> m_nodes;
    std::vector<std::uint64_t> m_words;
    std::vector<tensor::TensorRef> m_tensors;
    std::vector<std::shared_ptr<const void>> m_kept;
};

} // namespace weft::render
