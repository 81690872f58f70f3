// SPDX-License-Identifier: Apache-2.0
// A Slang function, called over arrays from C++.
#pragma once

#include "core/api.hpp"
#include "engine/argument.hpp"
#include "engine/array.hpp"
#include "reflect/function.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft::dispatch {
class Function;
class Module;
} // namespace weft::dispatch

namespace weft::engine {

class Runtime;

/// What a call returns: the function's result, then each `out` parameter that got no argument. Each is a tensor of the
/// call's shape, or one value if the call has no dimension.
class Result {
public:
    /// One of them.
    struct Value {
        reflect::TypeRef type;    ///< of one element; never null
        tensor::TensorRef tensor; ///< null: one value
        std::vector<std::byte>
            bytes; ///< that value; scalars packed, a structure as its Layout says
    };

    /// Made by calls. In the order said above.
    explicit Result(std::vector<Value> values = {}) : m_values(std::move(values)) {}

    /// Number of values; 0: the function returns nothing, or as_result() took it.
    std::size_t size() const noexcept { return m_values.size(); }
    /// @throws ArgumentError{index} if there are not as many values.
    [[nodiscard]] WEFT_API const Value& at(std::size_t index) const;
    /// The tensor of value `index`, which the device may still have to fill: reading it waits.
    /// @throws ArgumentError if it is no tensor.
    [[nodiscard]] WEFT_API const tensor::TensorRef& tensor(std::size_t index = 0) const;
    /// The numbers of value `index`, row-major. Waits. @throws ArgumentError unless its scalars are of type T.
    template <Number T>
        requires(!std::is_same_v<T, bool>)
    [[nodiscard]] std::vector<T> values(std::size_t index = 0) const {
        const std::vector<std::byte> bytes = scalars(index, scalar_kind<T>());
        std::vector<T> numbers(bytes.size() / sizeof(T));
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
        return numbers;
    }

private:
    [[nodiscard]] WEFT_API std::vector<std::byte> scalars(std::size_t index,
                                                          reflect::ScalarKind kind) const;

    std::vector<Value> m_values;
};

/// All overloads of one name. A handle: copies are the same function. Keeps its module, compiler and device alive.
/// Thread-safe; calls of several threads run one after the other up to the launch.
///
/// The first call with arguments of new kinds, ranks or element types writes a kernel and compiles it, or finds it in
/// the cache; later ones, also of other extents, only launch. Calls return before the device has run, unless they
/// return one value or write to arrays of the host.
///
/// Every call throws ArgumentError for arguments that fit no overload, and says why; CompileError if Slang or the
/// driver refuse the kernel; DeviceError if memory is short or the device was lost. Nothing was launched then.
class Function {
public:
    /// As in the source; valid as long as the object.
    [[nodiscard]] WEFT_API const std::string& name() const noexcept;
    /// What reflection says of each overload. @throws ArgumentError if a reload removed the function.
    [[nodiscard]] WEFT_API std::vector<reflect::Function> overloads() const;

    /// Calls the function once for each element of the shape that the arguments' shapes broadcast to.
    template <typename... Arguments>
    Result operator()(Arguments&&... arguments) const {
        return call(std::array<Argument, sizeof...(Arguments)>{
            Argument(std::forward<Arguments>(arguments))...});
    }
    /// The same for arguments in an array; an Argument::named() may stand anywhere in it.
    WEFT_API Result call(std::span<const Argument> arguments) const;

    /// The function whose calls compute derivatives in reverse mode, with the same arguments. Gradients of results are
    /// read from the gradients of what as_result() and `out` parameters got; gradients of inputs are added to those of
    /// their tensors. What has no gradient is a constant. @throws ArgumentError if this is a derivative already; the
    /// call throws if the function is not [Differentiable].
    [[nodiscard]] WEFT_API Function backward() const;
    /// The same in forward mode: gradients of inputs are read, those of results written. @throws as backward().
    [[nodiscard]] WEFT_API Function forward() const;

    /// How the call of these arguments would be made, as text for people. Compiles the kernel, launches nothing.
    [[nodiscard]] WEFT_API std::string explain(std::span<const Argument> arguments) const;
    /// The Slang of the kernel that the call would launch.
    [[nodiscard]] WEFT_API std::string generated_source(std::span<const Argument> arguments) const;

    /// Made by Module.
    Function(std::shared_ptr<const Runtime> runtime, std::shared_ptr<dispatch::Module> module,
             std::shared_ptr<dispatch::Function> function) noexcept
        : m_runtime(std::move(runtime)), m_module(std::move(module)),
          m_function(std::move(function)) {}

private:
    std::shared_ptr<const Runtime> m_runtime;
    std::shared_ptr<dispatch::Module> m_module; ///< owns the function
    std::shared_ptr<dispatch::Function> m_function;
};

} // namespace weft::engine
