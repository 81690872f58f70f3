// SPDX-License-Identifier: Apache-2.0
// Arrays of the host that a software device uses where they are, instead of copies. Start reading at add_arguments().
#pragma once

#include "dispatch/argument.hpp"
#include "dispatch/bound_call.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft::dispatch {

/// Bytes below which an array is copied: that is quicker than making its pages known to the driver.
[[nodiscard]] std::size_t least_bytes_in_place() noexcept;

/// The array's own memory as a tensor of a software device. The caller waits for the device before the array is used
/// otherwise. null: the array has gaps, is too small or not as aligned as copies are, or the driver cannot.
[[nodiscard]] tensor::TensorRef
wrap_in_place(const HostArray& host, const tensor::ArrayLayoutRef& layout, device::Device& device);

/// Host memory for a result of a software device. Same conditions, and the same answer.
[[nodiscard]] tensor::TensorRef wrap_in_place(std::span<std::byte> memory,
                                              std::shared_ptr<void> owner,
                                              const tensor::ArrayLayoutRef& layout,
                                              device::Device& device);

/// Bytes of the elements of a result that a software device may write into an array of the host; 0: a copy is quicker, or
/// they look different there.
[[nodiscard]] std::size_t bytes_in_place(const tensor::ArrayLayout& layout,
                                         const device::Device& device);

/// What one launch uses in place. Such a launch has to be waited for: afterwards the caller does with its arrays what it
/// likes.
class InPlace {
public:
    /// Chooses among the arrays that would be copied: of the parameter's own scalars, row-major without gaps,
    /// as aligned as copies are, of least_bytes_in_place(). An array that the call writes shares no byte with another one of the
    /// call: then the ones that are read, or both if both are written, are copied, as if all were.
    void add_arguments(std::span<const Source> sources, const ArgumentList& arguments,
                       device::Device& device);
    /// Notes a result whose memory is the host's.
    void add_result(std::size_t source, tensor::TensorRef tensor) {
        m_arrays.push_back({.source = source, .tensor = std::move(tensor), .is_written = true});
    }
    /// null: the source is not in place.
    [[nodiscard]] const tensor::TensorRef& tensor_of(std::size_t source) const noexcept;
    [[nodiscard]] bool is_used() const noexcept { return !m_arrays.empty(); }
    /// A line for f.explain(); "" if nothing is in place.
    [[nodiscard]] std::string explanation(std::span<const Source> sources) const;
    /// Blocks until the device is done with all of it.
    void wait(device::Device& device, const device::InterruptPoll& poll) const;
    void clear() noexcept { m_arrays.clear(); }

private:
    struct Array {
        std::size_t source = 0;
        tensor::TensorRef tensor{};
        bool is_written = false;
    };
    std::vector<Array> m_arrays;
};

} // namespace weft::dispatch
