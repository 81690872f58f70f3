// SPDX-License-Identifier: Apache-2.0
// What a Slang function is called with: numbers, tensors, arrays of the host, structures.
#pragma once

#include "core/api.hpp"
#include "engine/number.hpp"
#include "tensor/tensor.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace weft::engine {

/// Numbers in the memory of the program: row-major, without gaps. Made by host_array(); the memory must stay until the
/// call returns.
struct HostMemory {
    reflect::ScalarKind kind = reflect::ScalarKind::float32; ///< of each number
    std::vector<std::int64_t> shape{};                       ///< extents, 0 and greater
    const std::byte* data = nullptr; ///< the first number; null only if there is none
    std::byte* target = nullptr;     ///< the same memory; null: it is not to be written
};

/// @throws ArgumentError unless the extents, none of them negative, make `count` elements.
WEFT_API void require_extents(std::span<const std::int64_t> shape, std::size_t count);

/// An array of the host as an argument. The last dimensions are the components of vectors and matrices, those in front
/// of them the dimensions of the call: {1000, 3} is one dimension of float3, or two of float.
/// @param shape extents; empty: one dimension.
/// Parameters that are `out` or `inout` write their results to `values`, unless its elements are const.
/// Numbers of another kind are converted by the call: floats round, integers that do not fit are an ArgumentError.
/// @throws ArgumentError if the shape has another number of elements than `values`.
template <typename T, std::size_t Extent>
    requires Number<std::remove_const_t<T>>
[[nodiscard]] HostMemory host_array(std::span<T, Extent> values,
                                    std::vector<std::int64_t> shape = {});

/// One argument of a call. Numbers, tensors and host arrays become arguments by themselves:
/// `function(1.5, tensor, host_array(values))`. Value type.
class Argument {
public:
    /// Left out: an `out` parameter whose results the call returns.
    Argument() = default;
    /// One number; converted to the parameter's type, which must be able to hold it.
    template <Number T>
    Argument(T number);
    /// Shape and element type say how it is read, see Tensor. Gradients that it has take part in derivatives.
    Argument(tensor::TensorRef tensor) : m_value(std::move(tensor)) {}
    /// Borrows the memory until the call returns.
    Argument(HostMemory memory) : m_value(std::move(memory)) {}
    /// The name of an enumerator, never null; copied.
    Argument(const char* name) : m_value(std::string(name)) {}
    /// The same.
    Argument(std::string name) : m_value(std::move(name)) {}

    /// A structure: the name and the value of each field, which may be arrays and structures themselves.
    /// @param type_name of the Slang structure, for parameters that are interfaces or generic; else "".
    [[nodiscard]] WEFT_API static Argument
    structure(std::vector<std::pair<std::string, Argument>> fields, std::string type_name = {});
    /// An array of the host beside its gradient, which has the same shape. A backward call adds to the gradient of an
    /// input and reads that of an output; a forward call the other way round.
    [[nodiscard]] WEFT_API static Argument pair(HostMemory value, HostMemory gradient);

    /// The argument of the parameter of this name, wherever it stands among the others. @return a copy
    [[nodiscard]] WEFT_API Argument named(std::string name) const;
    /// Where the function's result goes: a tensor or a host array of the shape of the call. Beside it the call returns
    /// nothing. A backward call reads the gradient that it has. @return a copy
    [[nodiscard]] WEFT_API Argument as_result() const;

private:
    friend class CallArguments;
    struct Fields;
    using Value =
        std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
                     tensor::TensorRef, HostMemory, std::shared_ptr<const Fields>>;

    Value m_value;
    std::string m_name; ///< of a parameter
    bool m_is_result = false;
};

template <typename T, std::size_t Extent>
    requires Number<std::remove_const_t<T>>
HostMemory host_array(std::span<T, Extent> values, std::vector<std::int64_t> shape) {
    HostMemory memory;
    memory.kind = scalar_kind<std::remove_const_t<T>>();
    memory.shape = std::move(shape);
    if (memory.shape.empty()) {
        memory.shape.push_back(static_cast<std::int64_t>(values.size()));
    }
    memory.data = std::as_bytes(values).data();
    if constexpr (!std::is_const_v<T>) {
        memory.target = std::as_writable_bytes(values).data();
    }
    require_extents(memory.shape, values.size());
    return memory;
}

template <Number T>
Argument::Argument(T number) {
    if constexpr (std::is_same_v<T, bool>) {
        m_value = number;
    } else if constexpr (std::is_floating_point_v<T>) {
        m_value = double{number};
    } else if constexpr (std::is_signed_v<T>) {
        m_value = std::int64_t{number};
    } else {
        m_value = std::uint64_t{number};
    }
}

} // namespace weft::engine
