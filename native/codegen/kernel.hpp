// SPDX-License-Identifier: Apache-2.0
// The wrapper around a user's function as data. dispatch/ fills a Kernel from the arguments of a call,
// pipeline.hpp lowers it, print.hpp writes it as Slang.
// Start reading at Kernel, then Operand, then passes/ in the order of pipeline.cpp.
#pragma once

#include "reflect/function.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::codegen {

/// Memory of a tensor as one operand sees it, counted in leaves: the scalar or structure at the
/// bottom of the element type.
struct Memory {
    reflect::TypeRef leaf;
    std::vector<std::int64_t> call_strides;      ///< leaves, a call dimension; 0 where broadcast
    std::vector<std::int64_t> component_shape;   ///< dimensions that make up one value
    std::vector<std::int64_t> component_strides; ///< leaves
    std::uint64_t alignment = 4;    ///< largest power of two that divides the address, <= 16
    std::uint64_t extent_bytes = 0; ///< bytes from the address to the end of the last leaf
    bool may_bind = false;          ///< the range fits a storage-buffer binding

    // Decided by the passes:
    bool is_words = false;   ///< read and written as 32-bit words
    bool is_packed = false;  ///< components are contiguous
    bool is_linear = false;  ///< leaf offset equals the linear call index
    bool is_uniform = false; ///< all call strides are 0
    bool is_wide = false;    ///< the elements of a thread move in accesses of 4 to 16 bytes
    bool is_shifted = false; ///< wide, from any address: neighbouring accesses, shifted into place
    bool is_checked = false; ///< wide, if the address turns out to be aligned when the kernel runs
    bool is_peel = false;    ///< the kernel's elements are divided so that this one is aligned
    std::int32_t stage =
        -1;                 ///< group-shared array that the group's elements pass through, -1: none
    std::int32_t tile = -1; ///< group-shared tile that turns the operand around, -1: none
    bool is_ahead =
        false; ///< moves between memory and registers before the first and after the last
               ///< call of a tile, or of several turns of a reduction
    std::int32_t binding = -1; ///< storage-buffer slot, -1: a pointer
    std::int32_t table = -1;   ///< group-shared sums that collect what is added, -1: none
    std::int32_t cache = -1;   ///< group-shared lines that collect some of it, -1: none
};

enum class OperandKind : std::uint8_t {
    composite, ///< a structure assembled from one operand a field, or from a tensor's pointer and layout
    uniform,      ///< scalars in the argument block
    element,      ///< one value a call index, from tensor memory
    tensor,       ///< the whole tensor (or a slice of it a call index) as Tensor<T, N>
    pointer,      ///< the address of tensor memory
    updated,      ///< fields[0] goes in, the changed value goes out through fields[1]
    literal,      ///< a variable that begins with `literal`, as Slang spells it
    grid,         ///< call coordinates times stride plus offset
    call_id,      ///< call coordinates
    thread_id,    ///< SV_DispatchThreadID
    rand_float,   ///< uniform random numbers from the call index and a seed
    wang_hash,    ///< a hash of the call index and a seed
    system_value, ///< a compute semantic of a raw dispatch
};

/// What a kernel computes of its function.
enum class Derivative : std::uint8_t {
    none,     ///< the function itself
    backward, ///< the gradients of its inputs, given those of its outputs
    forward,  ///< the tangents of its outputs, given those of its inputs
};

/// How what a thread contributes to a gradient reaches memory.
enum class Accumulation : std::uint8_t {
    none,  ///< the operand is no gradient, or is only read
    plain, ///< one-to-one: the thread alone adds to its element
    group, ///< shared by all calls of the thread's loop: registers, the group, one atomic addition a group
    subgroup, ///< the innermost neighbours share it: one atomic addition a subgroup
    atomic,   ///< shared by calls far apart, or picked by the function: one atomic addition a call
    table,    ///< a small tensor that the function picks from: group-shared memory, then as group
    cache,    ///< a large one: lines of it in group-shared memory, then as atomic
    callee,   ///< the function adds by itself: sums of a subgroup, then one atomic addition each
};

/// What an addition to a gradient that several calls share does.
enum class SumPass : std::uint8_t {
    at_once, ///< adds to the gradient
    measure, ///< finds the size of what will be added; the kernel writes nothing else
    fixed,   ///< adds integers to a record: the order does not matter
};

/// How the threads of a group divide the calls if they reduce along one dimension. Threads with the same place in all
/// other dimensions (a column) add up what they found.
struct ReductionAxis {
    std::int32_t dimension = -1; ///< of Kernel::dimensions; -1: none
    std::int32_t columns = 1;    ///< columns that a group has threads for
    std::int32_t lanes = 1;      ///< threads of a column; columns * lanes is the size of a group
    bool is_lane_major = false;  ///< neighbouring threads belong to one column
    std::int64_t blocks = 1;     ///< groups beside each other
    std::int64_t chunks = 1;     ///< groups that share a column
};

/// One value that goes into the call, comes out of it, or both.
struct Operand {
    OperandKind kind = OperandKind::uniform;
    reflect::TypeRef type; ///< Slang type of the value
    std::string name;      ///< identifier stem, unique in the kernel, legal in Slang
    reflect::Direction direction = reflect::Direction::in; ///< of the parameter
    bool reads = true;                                     ///< loaded before the call
    bool writes = false;                                   ///< stored after the call
    std::int32_t source = -1; ///< index into the caller's list of argument sources

    Memory memory; ///< element, tensor, pointer
    std::vector<std::int64_t>
        tensor_shape; ///< tensor: shape in values of the element type; composite: of what it points into
    std::vector<std::int64_t>
        tensor_strides;      ///< tensor, composite: strides in values of the element type
    std::string tensor_type; ///< tensor: "Tensor<float, 2>"
    std::string primal_type; ///< tensor with gradient parts: type of its primal part
    std::vector<std::string> gradient_parts; ///< their structures: "AtomicTensor"

    std::vector<std::int64_t>
        own_shape;                     ///< dimensions that the argument itself varies over; -1: any
    std::vector<std::int32_t> mapping; ///< call dimension of each; empty: the trailing ones
    std::vector<std::int32_t> dimensions; ///< grid, call_id: the call dimensions it yields
    std::vector<Operand> fields;          ///< composite: one a field, in declaration order
    std::vector<std::string> field_names;
    std::string semantic;           ///< system_value
    std::string literal;            ///< literal
    bool is_allocated = false;      ///< element: memory of exactly the call's shape, made for it
    bool is_differentiated = false; ///< in a derivative: passed with its gradient or tangent
    /// At most one each. Backward: what the caller gives of an output, and what the kernel adds to of an input.
    /// Forward: the tangent of an input, and that of an output.
    std::vector<Operand> gradient_in;
    std::vector<Operand> gradient_out;
    Accumulation accumulation =
        Accumulation::none; ///< of a gradient_out; plain until the passes decide
    bool can_collect =
        false; ///< composite with a gradient: has beginGroup() and endGroup(), see Kernel::collector
    std::int64_t collected_bytes =
        0; ///< can_collect: group-shared memory that beginGroup() could use
    bool shares_memory =
        false; ///< of a gradient_out: another one of the call may be the same memory
};

/// What one field of the argument block holds; the packer fills it before each launch.
enum class FieldKind : std::uint8_t {
    address,          ///< of operand `source`'s memory
    uniform_scalar,   ///< scalar number `component` of the host value of `source`
    generator_scalar, ///< setting number `component` of the generator `source`
    constant,         ///< `value`, known when the plan is made
};

struct ArgumentField {
    std::string name;
    std::string type; ///< Slang spelling
    FieldKind kind = FieldKind::constant;
    reflect::ScalarKind scalar = reflect::ScalarKind::uint32; ///< how the value is stored
    std::int32_t source = -1;
    std::int32_t component = 0;
    std::int64_t value = 0;
    std::uint32_t offset = 0; ///< bytes; set by finish_arguments()
    std::uint32_t size = 4;   ///< 4 or 8
};

/// One storage binding of a software device.
struct StorageSlot {
    std::int32_t source = -1;
};

/// Elements beside each other in a tile, in both dimensions.
inline constexpr std::int64_t kTileEdge = 32;
/// The least that Vulkan promises for maxComputeSharedMemorySize.
inline constexpr std::int64_t kSharedBytes = 16384;
/// Most group-shared memory that kernels use: what CUDA gives every kernel.
inline constexpr std::uint32_t kMaxSharedBytes = 49152;

/// Scalars of a gradient in a line of Kernel::caches.
inline constexpr std::int64_t kCacheLine = 64;

/// Threads of a group where a function's subgroups work together; shaders/mlp/team.slang sizes its memory by it.
inline constexpr std::uint32_t kTeamGroup = 128;

struct Kernel {
    // What is called.
    std::vector<std::string> imports;
    std::string prelude;           ///< link-time constants, user prelude
    std::string callee;            ///< "add", "Pixel.make", or a method name after this_operand
    bool has_this = false;         ///< operands[0] is `this`
    bool is_constructor = false;   ///< callee is a structure
    std::vector<Operand> operands; ///< in parameter order (after `this`)
    bool has_result = false;
    Operand result; ///< writes only

    // Over what.
    std::vector<std::int64_t> shape; ///< call shape; empty: one call
    Derivative derivative = Derivative::none;
    SumPass sums = SumPass::at_once;
    bool is_raw_dispatch = false; ///< threads are the user's: no vectorisation
    bool is_bounded = true;       ///< raw dispatch: threads past the shape return
    std::array<std::uint32_t, 3> group_size{256, 1, 1};
    bool has_team =
        false; ///< subgroups of a group of kTeamGroup threads work together inside the function

    // The device's properties that shape the code.
    bool prefers_storage_bindings = false;
    std::uint32_t max_inline_arguments = 128;
    std::uint32_t max_group_count = 65535;
    bool adds_float = true; ///< to memory, atomically
    bool adds_double = false;
    bool has_subgroup_sums = false;
    std::uint32_t subgroup_size = 0; ///< 0: no gain from work in common
    bool has_matrix_units = false;
    bool keeps_group_size = false; ///< has a network whose memory is for kTeamGroup threads
    std::uint32_t shared_bytes = kSharedBytes; ///< group-shared memory, at most kMaxSharedBytes

    // Decided by the passes.
    std::vector<std::int64_t> dimensions; ///< collapsed shape, at least one entry
    bool needs_coordinates = false;
    bool is_index64 = false;
    std::int32_t width = 1; ///< consecutive elements a thread: 1, 2, 4, 8 or 16
    bool is_persistent =
        false;               ///< few groups loop over all elements, so that each adds to a sum once
    ReductionAxis reduction; ///< persistent: along one dimension; else over all elements in order
    std::string collector; ///< persistent: the operand whose functions sum a gradient in the group
    std::int64_t collected_bytes = 0; ///< group-shared memory that it could use
    std::vector<std::int64_t> tables; ///< group-shared sums: floats of each
    std::vector<std::int32_t>
        caches; ///< lines of kCacheLine group-shared sums: how many of each, a power of two
    std::int32_t steps = 1; ///< elements a thread takes one group apart, in a loop
    bool repeats_last =
        false; ///< threads past the last element repeat it without effect, so that subgroups are whole
    bool has_tail = false;            ///< the last thread has fewer
    bool is_peeled = false;           ///< the first thread has fewer as well, see Memory::is_peel
    std::vector<std::int64_t> stages; ///< group-shared arrays: words an element of each
    std::int32_t turns = 1;           ///< staged: elements a thread, one group apart
    bool is_tiled = false;            ///< tiles of the innermost dimension and another one
    std::int32_t tile_dimension = -1; ///< the other one
    std::vector<std::string> tiles;   ///< group-shared tiles: Slang type of the elements of each
    bool arguments_by_address = false;
    std::array<std::uint32_t, 3> group_count{1, 1, 1};
    std::vector<ArgumentField> arguments;
    std::uint32_t argument_bytes = 0;
    std::vector<StorageSlot> storage;
};

/// Product of the call shape.
[[nodiscard]] std::int64_t call_count(const Kernel& kernel);

/// Whether many threads may add to the operand's memory at once.
[[nodiscard]] inline bool adds_atomically(const Operand& operand) noexcept {
    return operand.accumulation != Accumulation::none &&
           operand.accumulation != Accumulation::plain;
}

/// Whether the function sees which thread runs it: each thread then takes one element.
[[nodiscard]] bool uses_thread_index(const Kernel& kernel);

/// Calls `visit(operand)` for the operand's fields and gradients, then for itself. `AnyOperand` may be const.
template <typename AnyOperand, typename Visit>
void visit_operand_tree(AnyOperand& operand, Visit& visit) {
    for (AnyOperand& field : operand.fields) {
        visit_operand_tree(field, visit);
    }
    for (AnyOperand& gradient : operand.gradient_in) {
        visit_operand_tree(gradient, visit);
    }
    for (AnyOperand& gradient : operand.gradient_out) {
        visit_operand_tree(gradient, visit);
    }
    visit(operand);
}

/// Calls `visit(operand)` for every operand, composites after their fields. `AnyKernel` may be const.
template <typename AnyKernel, typename Visit>
void for_each_operand(AnyKernel& kernel, Visit&& visit) {
    for (auto& operand : kernel.operands) {
        visit_operand_tree(operand, visit);
    }
    if (kernel.has_result) {
        visit_operand_tree(kernel.result, visit);
    }
}

/// Calls `visit(operand)` for every operand that touches tensor memory, the result and gradients included.
template <typename AnyKernel, typename Visit>
void for_each_memory_operand(AnyKernel& kernel, Visit&& visit) {
    for_each_operand(kernel, [&](auto& operand) {
        if (operand.kind == OperandKind::element || operand.kind == OperandKind::tensor ||
            operand.kind == OperandKind::pointer) {
            visit(operand);
        }
    });
}

} // namespace weft::codegen
