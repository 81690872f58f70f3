// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/api.hpp"
#include "core/error.hpp"
#include "engine/function.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft::engine {

/// A Slang module on one device. A handle: copies are the same module. Keeps its compiler and device alive.
/// Thread-safe.
class Module {
public:
    /// "add"; a method as "Pixel.scale", which takes its structure as the argument named "this"; a generic function as
    /// "sum", whose arguments say what it is made of, or "sum<float, 4>".
    /// @throws ArgumentError{attribute} with similar names if there is none.
    [[nodiscard]] WEFT_API Function function(const std::string& name) const;
    /// The same with values for `extern static const` declarations: name and Slang literal. Each set is compiled by
    /// itself. @throws ArgumentError{attribute} also for a name that is not declared.
    [[nodiscard]] WEFT_API Function function(
        const std::string& name, std::vector<std::pair<std::string, std::string>> constants) const;

    /// Functions, structures and their layouts on the device, module-scope parameters, constants; of the code in force.
    [[nodiscard]] WEFT_API reflect::Module reflection() const;
    /// A type by its Slang spelling, "float3", "Pixel"; null if the module sees none.
    [[nodiscard]] WEFT_API reflect::TypeRef find_type(const std::string& name) const;
    /// Errors and warnings of the last compile.
    [[nodiscard]] WEFT_API std::vector<core::Diagnostic> diagnostics() const;
    /// Reads and compiles the source again. @throws CompileError; the last good code stays in force.
    WEFT_API void reload() const;

    /// Made by Engine.
    Module(std::shared_ptr<const Runtime> runtime,
           std::shared_ptr<dispatch::Module> module) noexcept
        : m_runtime(std::move(runtime)), m_module(std::move(module)) {}

private:
    std::shared_ptr<const Runtime> m_runtime;
    std::shared_ptr<dispatch::Module> m_module;
};

} // namespace weft::engine
