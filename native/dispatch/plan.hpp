// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/compiler.hpp"
#include "dispatch/bound_call.hpp"
#include "dispatch/overlap.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::dispatch {

/// A compiled kernel with the layout of its module-scope uniforms. Shared by all plans that print alike.
struct CompiledKernel {
    std::shared_ptr<device::Kernel> kernel;
    std::vector<compile::GlobalField> globals;
    std::uint32_t global_bytes = 0;
    std::string source; ///< the generated Slang
};
using CompiledKernelRef = std::shared_ptr<const CompiledKernel>;

/// Writes one field of the argument block.
struct PackStep {
    codegen::FieldKind kind = codegen::FieldKind::address;
    reflect::ScalarKind scalar = reflect::ScalarKind::uint64;
    std::uint32_t offset = 0;
    std::uint32_t source = 0;
    std::uint32_t component = 0;
};

/// Coordinates of a grid or call_id(), which must fit the parameter.
struct GridCheck {
    std::uint32_t node = 0;
    reflect::ScalarKind scalar = reflect::ScalarKind::int32; ///< an integer
    std::vector<std::int64_t> extents;                       ///< of the call, one a coordinate
    std::string name;                                        ///< parameter, for messages
};

enum class GlobalKind : std::uint8_t {
    scalar,   ///< number `component` of the host value `node`
    address,  ///< of the memory of `source`
    constant, ///< `value`, known when the plan is made
};

/// Writes one scalar or pointer of the block of module-scope uniforms.
struct GlobalStep {
    GlobalKind kind = GlobalKind::scalar;
    reflect::ScalarKind scalar = reflect::ScalarKind::float32;
    std::uint32_t offset = 0; ///< bytes
    std::uint32_t size = 4;   ///< bytes
    std::uint32_t node = 0;
    std::uint32_t component = 0;
    std::uint32_t source = 0;
    std::uint64_t value = 0;
};

struct BufferStep {
    std::uint32_t source = 0;
    device::BufferAccess access = device::BufferAccess::read;
    std::int32_t binding = -1;
    std::uint64_t extent_bytes = 0; ///< size of the bound range
};

/// The dimension of the call that each leading axis of an argument is.
struct ArgumentAxes {
    std::uint32_t node = 0;
    std::vector<std::int32_t> dimensions;
};

/// What a deterministic call launches beside its kernel, see deterministic.hpp.
struct RecordSteps {
    CompiledKernelRef clear;
    CompiledKernelRef measure;
    std::vector<CompiledKernelRef> finish; ///< one for each source of kind records, in order
};

/// Everything a repeated call needs: pack, launch, return.
struct LaunchPlan {
    CompiledKernelRef compiled;
    std::optional<RecordSteps> records;
    std::array<std::uint32_t, 3> group_count{1, 1, 1};
    std::vector<std::byte> arguments; ///< constants filled in
    std::vector<PackStep> pack;
    std::vector<BufferStep> buffers;
    std::vector<GlobalStep> globals;
    std::vector<Source> sources;
    std::vector<NamedNumbers> names; ///< for ArgumentList::replace_names(), before the launch
    std::vector<std::uint32_t> returned;
    std::vector<GridCheck> grids;
    std::vector<OverlapCheck> overlaps; ///< arguments that must not share memory
    std::vector<std::uint32_t> written; ///< sources that the kernel writes
    std::vector<std::int64_t> shape;    ///< call shape
    std::string function;               ///< name for messages
    std::string explanation;            ///< f.explain(): what was chosen and why
    std::vector<std::string> warnings;  ///< each to be shown once
    std::vector<ArgumentAxes> axes;     ///< backward: of arguments that calls share out
    std::string unchecked;              ///< backward: why the call cannot be made again; "": it can
    /// Backward: no call has begun the check of its gradients, and one should.
    mutable std::atomic<bool> wants_check{false};
    std::shared_ptr<class IndexFaults> index_faults; ///< where the kernel reports; null: nowhere
    bool is_differentiable = false;                  ///< the function
    bool is_empty = false;                           ///< no element: nothing is launched
    bool returns_values = false; ///< dimension 0: results are read back as host values
    bool uploads = false;
    bool downloads = false;
    bool allocates = false;
};

/// Tells a kernel the properties of its device that shape the code.
void adapt_to_device(codegen::Kernel& kernel, const device::Device& device);

/// Compiles a printed kernel, or finds it.
using KernelProvider =
    std::function<CompiledKernelRef(const std::string& source, const codegen::Kernel& kernel)>;

/// Lowers a bound call and compiles its kernel.
/// @throws ArgumentError if the kernel uses a module-scope uniform that has no value.
[[nodiscard]] std::shared_ptr<LaunchPlan> build_plan(BoundCall& call, const ArgumentList& arguments,
                                                     const CallOptions& options,
                                                     const KernelProvider& provide);

} // namespace weft::dispatch
