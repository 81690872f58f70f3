// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"
#include "dispatch/argument.hpp"
#include "dispatch/options.hpp"

#include <memory>
#include <string>
#include <vector>

namespace weft::dispatch {

enum class SourceKind : std::uint8_t {
    node,     ///< a tensor, scalars or a generator read from the argument list
    upload,   ///< host numbers copied into a temporary tensor
    pack,     ///< host structures copied into a temporary tensor of `dtype`
    allocate, ///< memory created for an output
    records,  ///< what a deterministic sum collects, see deterministic.hpp
};

inline constexpr std::uint32_t kNoNode = ~std::uint32_t{0};

/// Which memory of a tensor argument.
enum class SourcePart : std::uint8_t { primal, gradient_in, gradient_out };

/// Where one operand's memory or numbers come from at launch.
struct Source {
    SourceKind kind = SourceKind::node;
    SourcePart part = SourcePart::primal; ///< node: of a tensor
    std::uint32_t node =
        kNoNode; ///< allocate: the argument that the output replaces, if one was given
    reflect::ScalarKind scalar = reflect::ScalarKind::void_; ///< upload: kind of the temporary
    reflect::TypeRef dtype{};                                ///< allocate, pack: element type
    tensor::ArrayLayoutRef layout{};   ///< allocate, upload: set by build_plan()
    std::vector<std::int64_t> shape{}; ///< allocate, upload
    device::BufferAccess access = device::BufferAccess::read;
    std::string name{};       ///< parameter, for messages
    std::uint32_t summed = 0; ///< records: the source that they are summed for
    std::uint64_t count = 0;  ///< records: one a scalar
    bool downloads = false;   ///< upload, pack: copied back into the host array
    bool returns = false;     ///< allocate, upload: part of the return value
    bool is_read = false;     ///< primal memory of an argument, or its numbers
    bool is_written = false;  ///< primal memory of an argument or a result
    bool is_whole = false;    ///< the function picks the elements itself
    std::int32_t rank = 0;    ///< dimensions of the call that it varies over
};

/// What binding needs to know of the device.
struct BindTarget {
    reflect::LayoutRules rules = reflect::LayoutRules::spirv;
    std::uint64_t max_storage_binding = 0;
    std::uint32_t storage_binding_alignment = 16;
};

[[nodiscard]] BindTarget bind_target(const device::Device& device);

/// One overload matched with one argument list: a kernel to be lowered, and what feeds it.
struct BoundCall {
    reflect::Function function;
    codegen::Kernel kernel;
    std::vector<Source> sources;
    std::vector<NamedNumbers> names;     ///< of enumerators among the arguments
    std::vector<std::uint32_t> returned; ///< sources that make up the return value, in order
    BindTarget target{};
    std::int32_t cost = 0;             ///< conversions and implicit vectorisation; lower is closer
    std::vector<std::string> warnings; ///< what will go unnoticed otherwise
};

/// Matches `function` (no generics left) with the arguments.
/// @return the bound call; null, with the reason in `why`, if the arguments do not fit.
/// @throws ArgumentError for faults that no other overload could cure (shapes that do not broadcast).
[[nodiscard]] std::unique_ptr<BoundCall> bind_call(const reflect::Function& function,
                                                   const ArgumentList& arguments,
                                                   const CallOptions& options,
                                                   const BindTarget& target, std::string& why);

/// Names of all parameters a user may pass, "a: float, b: float".
[[nodiscard]] std::string signature_text(const reflect::Function& function);
/// "a tensor of float, shape (4, 3)": how a message names an argument.
[[nodiscard]] std::string describe(const ArgumentList& arguments, const Node& node);

} // namespace weft::dispatch
