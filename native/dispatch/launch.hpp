// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/command_list.hpp"
#include "dispatch/in_place.hpp"
#include "dispatch/plan.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace weft::dispatch {

/// One value that a call returns: a tensor, or the bytes (natural layout) of one value of `type`.
struct Output {
    reflect::TypeRef type;
    std::shared_ptr<tensor::Tensor> tensor;
    std::vector<std::byte> value;
};

/// Memory of somebody else for a call whose arguments are his: what the call returns, and what it needs meanwhile.
class CallMemory {
public:
    virtual ~CallMemory() = default;
    CallMemory(const CallMemory&) = delete;
    CallMemory& operator=(const CallMemory&) = delete;

    /// Memory for a result of this layout, row-major; null: he has none such.
    [[nodiscard]] virtual tensor::TensorRef result(const tensor::ArrayLayoutRef& layout) = 0;
    /// Memory that lives until the launch; null: he has none.
    [[nodiscard]] virtual std::shared_ptr<device::Buffer> scratch(std::uint64_t size_bytes) = 0;
    /// Whether results are the host's: the caller waits for the launch before he looks at them.
    [[nodiscard]] virtual bool is_of_host() const noexcept { return false; }

protected:
    CallMemory() = default;
};

/// Where a launch goes.
struct LaunchTarget {
    device::CommandList* commands = nullptr; ///< records it; null: the device runs it
    std::uint64_t stream = 0;                ///< see Dispatch::stream
    CallMemory* memory = nullptr;            ///< null: the device's own
};

/// The part of a call that outlives its launch: temporaries, outputs. Reuse it for many calls.
class CallState {
public:
    /// Packs and enqueues; returns before the device has run.
    /// @throws ArgumentError for a number out of its parameter's range, a tensor of another device, and arguments
    ///         that share memory which the call writes.
    void launch(const LaunchPlan& plan, const ArgumentList& arguments, device::Device& device,
                const LaunchTarget& target);
    /// True if read_back() has something to do.
    bool needs_read_back(const LaunchPlan& plan) const noexcept {
        return plan.downloads || (plan.returns_values && plan.allocates) || m_in_place.is_used();
    }
    /// Waits for the device and copies values and written host arrays into host memory. Touches nothing of
    /// the caller's language: call it without its lock.
    void read_back(const LaunchPlan& plan, device::Device& device,
                   const device::InterruptPoll& poll);
    /// Stores what read_back() fetched into the caller's host arrays.
    void store_host_arrays(const LaunchPlan& plan, const ArgumentList& arguments);
    /// The memory of a source after launch(); null for a value that is read back.
    [[nodiscard]] const tensor::Tensor*
    tensor_of(const LaunchPlan& plan, const ArgumentList& arguments, std::uint32_t source) const;
    /// Lets go of the outputs and of all that the call put into device memory.
    void release() noexcept;

    std::vector<Output> outputs; ///< in the order of LaunchPlan::returned

private:
    struct Slot {
        device::Buffer* buffer = nullptr;
        std::uint64_t address = 0;
        std::uint64_t offset = 0; ///< bytes into the buffer
    };

    using Submit = std::function<void(const device::Dispatch&)>;
    /// Memory for the records of deterministic sums, cleared.
    void prepare_records(const LaunchPlan& plan, device::Device& device, CallMemory* memory,
                         const Submit& submit);
    void finish_records(const LaunchPlan& plan, device::Device& device, const Submit& submit);
    void resolve_sources(const LaunchPlan& plan, const ArgumentList& arguments,
                         device::Device& device, CallMemory* memory);
    Slot upload(const LaunchPlan& plan, const Source& source, const ArgumentList& arguments,
                device::Device& device);
    Slot allocate(const LaunchPlan& plan, std::uint32_t index, device::Device& device,
                  CallMemory* memory);
    void check_overlaps(const LaunchPlan& plan) const;
    static void check_grids(const LaunchPlan& plan, const ArgumentList& arguments);
    void pack(const LaunchPlan& plan, const ArgumentList& arguments, std::byte* block) const;
    void pack_globals(const LaunchPlan& plan, const ArgumentList& arguments);

    const Source* m_sources_begin = nullptr; ///< of the plan being launched
    std::vector<Slot> m_slots;
    std::vector<std::shared_ptr<tensor::Tensor>> m_temporaries; ///< by source, null where none
    std::vector<std::shared_ptr<device::Buffer>> m_value_buffers;
    std::vector<std::vector<std::byte>> m_downloads;        ///< by source
    std::vector<std::shared_ptr<device::Buffer>> m_records; ///< in the order of their sources
    std::vector<std::byte> m_arguments;
    std::vector<std::byte> m_globals;
    std::vector<device::BufferUse> m_uses;
    InPlace m_in_place;
};

/// Whether the caller waits for a launch at once, for what it gives him back.
[[nodiscard]] bool is_awaited(const LaunchPlan& plan, const CallMemory* memory) noexcept;

/// @throws ArgumentError if a coordinate from `first` to `last` does not fit the check's integer.
void require_coordinates(std::string_view function, const GridCheck& check, std::int64_t first,
                         std::int64_t last);

/// Where a scalar goes, and what errors call it.
struct ScalarDestination {
    reflect::ScalarKind kind;
    std::byte* out; ///< room for 8 bytes
    std::string_view function;
    std::string_view parameter;
};

/// The scalars of the host array that was read last.
struct HostScalars {
    const HostArray* array = nullptr;
    reflect::ScalarKind kind = reflect::ScalarKind::void_;
    std::vector<std::byte> bytes;
};

/// Writes scalar `component` of a host node as `to.kind` (as the argument block stores it: bool and small
/// integers as 32 bits, half as float). `read` saves reading an array again for its next scalar. @throws ArgumentError if it is out of range.
void write_scalar(const ArgumentList& arguments, const Node& node, std::uint32_t component,
                  const ScalarDestination& to, HostScalars* read = nullptr);

/// Row-major values of a list or host array as the source's scalar kind; bool takes one byte.
/// @throws ArgumentError for values that are out of range, as of `function`.
[[nodiscard]] std::vector<std::byte> uploaded_bytes(const ArgumentList& arguments, const Node& node,
                                                    const Source& source,
                                                    std::string_view function);

} // namespace weft::dispatch
