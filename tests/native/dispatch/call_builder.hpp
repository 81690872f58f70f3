// SPDX-License-Identifier: Apache-2.0
// Functions and argument lists for the tests of binding, without Slang or Python.
#pragma once

#include "device/null/null_device.hpp"
#include "dispatch/resolve.hpp"

#include <bit>

namespace weft::dispatch::testing {

using reflect::ScalarKind;
using reflect::TypeRef;

inline reflect::Function function_of(std::string name,
                                     std::vector<std::pair<std::string, TypeRef>> parameters,
                                     TypeRef return_type) {
    reflect::Function function;
    function.name = name;
    function.full_name = std::move(name);
    function.return_type = std::move(return_type);
    for (auto& [parameter, type] : parameters) {
        reflect::Parameter& added = function.parameters.emplace_back();
        added.name = parameter;
        added.type = type;
    }
    return function;
}

/// Collects arguments; owns the tensors it makes.
class Arguments {
public:
    explicit Arguments(std::shared_ptr<device::Device> device = device::create_null_device())
        : m_device(std::move(device)) {}

    Arguments& real(double value) {
        push(NodeKind::real).real = value;
        return *this;
    }
    Arguments& integer(std::int64_t value) {
        push(NodeKind::integer).integer = value;
        return *this;
    }
    Arguments& tensor(ScalarKind kind, std::vector<std::int64_t> shape) {
        return tensor(reflect::scalar_type(kind), std::move(shape));
    }
    Arguments& tensor(TypeRef dtype, std::vector<std::int64_t> shape,
                      Role role = Role::positional) {
        tensor::Tensor::Desc desc;
        desc.dtype = std::move(dtype);
        desc.shape = std::move(shape);
        m_tensors.push_back(tensor::Tensor::create(m_device, std::move(desc)));
        push(NodeKind::tensor, role).tensor = m_tensors.back().get();
        return *this;
    }
    /// Gives the last tensor a gradient.
    Arguments& with_gradient() {
        tensor::Tensor::Desc desc;
        desc.dtype = m_tensors.back()->dtype();
        const auto shape = m_tensors.back()->shape();
        desc.shape.assign(shape.begin(), shape.end());
        const tensor::TensorRef gradient = tensor::Tensor::create(m_device, std::move(desc));
        m_tensors.back() = tensor::Tensor::with_gradients(m_tensors.back(), gradient, gradient);
        list_.nodes.back().tensor = m_tensors.back().get();
        return *this;
    }
    Arguments& list(std::vector<std::int64_t> shape, const std::vector<double>& values) {
        Node& node = push(NodeKind::list);
        node.scalar = ScalarKind::float64;
        node.rank = static_cast<std::uint32_t>(shape.size());
        node.shape_begin = static_cast<std::uint32_t>(list_.words.size());
        for (const std::int64_t extent : shape) {
            list_.words.push_back(static_cast<std::uint64_t>(extent));
        }
        node.data_begin = static_cast<std::uint32_t>(list_.words.size());
        node.data_count = static_cast<std::uint32_t>(values.size());
        for (const double value : values) {
            list_.words.push_back(std::bit_cast<std::uint64_t>(value));
        }
        return *this;
    }
    Arguments& named(std::string_view name) {
        list_.roots.back().role = Role::keyword;
        list_.nodes[list_.roots.back().node].name = name;
        return *this;
    }
    const ArgumentList& list() const noexcept { return list_; }

private:
    Node& push(NodeKind kind, Role role = Role::positional) {
        list_.roots.push_back(
            {.node = static_cast<std::uint32_t>(list_.nodes.size()), .role = role});
        Node& node = list_.nodes.emplace_back();
        node.kind = kind;
        return node;
    }

    std::shared_ptr<device::Device> m_device;
    std::vector<std::shared_ptr<tensor::Tensor>> m_tensors;
    ArgumentList list_;
};

inline std::unique_ptr<BoundCall> resolve(const std::vector<reflect::Function>& overloads,
                                          const Arguments& arguments,
                                          const CallOptions& options = {}) {
    return resolve_call(
        overloads.front().name, overloads, arguments.list(), options, {},
        {.specialize = [](const std::string&) { return std::vector<reflect::Function>{}; }});
}

} // namespace weft::dispatch::testing
