// SPDX-License-Identifier: Apache-2.0
// Tensors to and from other array libraries. CUDA memory is shared in place; the memory of other devices
// leaves as a copy on the host, and arrays on the host enter as a copy on the device.
#pragma once

#include "tensor/dlpack_abi.hpp"
#include "tensor/tensor.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace weft::tensor {

/// Where an exported tensor's memory will be: {cuda, adapter} for CUDA tensors, else {cpu, 0}.
[[nodiscard]] dlpack::Device dlpack_device(const Tensor& tensor) noexcept;

/// True if an export shares memory with the tensor.
[[nodiscard]] bool is_shared_by_dlpack(const Tensor& tensor) noexcept;

/// What DLPack calls scalars of a kind.
[[nodiscard]] dlpack::DataType dlpack_dtype(reflect::ScalarKind kind) noexcept;
/// The kind that DLPack's dtype is; nothing if Weft has none such.
[[nodiscard]] std::optional<reflect::ScalarKind>
dlpack_kind(const dlpack::DataType& dtype) noexcept;

/// The kind of the array's elements.
/// @param context begins the message: "from_dlpack". @throws ArgumentError{type} if Weft has none such.
[[nodiscard]] reflect::ScalarKind dlpack_scalar(const dlpack::Array& array,
                                                std::string_view context);

/// Strides in elements, also of an array that leaves them out.
[[nodiscard]] std::vector<std::int64_t> dlpack_strides(const dlpack::Array& array);

/// Layouts of arrays that came before: most calls bring the same ones again. For one thread at a time.
class DlpackLayouts {
public:
    /// The array's layout, with scalars as other libraries have them.
    /// @throws ArgumentError for more dimensions than Weft has.
    [[nodiscard]] const ArrayLayoutRef& find(const dlpack::Array& array, reflect::ScalarKind kind);

private:
    std::vector<ArrayLayoutRef> m_layouts;
    std::size_t m_oldest = 0;
};

/// The caller passes the result on to a consumer, which calls its release(). Vectors, matrices and
/// uniform structures become axes of scalars (see flatten_dtype).
/// @throws ArgumentError for structures that mix scalar kinds.
[[nodiscard]] dlpack::ManagedArray* export_dlpack(const TensorRef& tensor,
                                                  const device::InterruptPoll& poll = {});
[[nodiscard]] dlpack::VersionedArray*
export_versioned_dlpack(const TensorRef& tensor, const device::InterruptPoll& poll = {});

/// A tensor of a device that shares memory with CUDA (Device::share_with_cuda), as an array of CUDA over the same memory.
/// Precondition: the buffer has a cuda_address(), or is empty.
/// @param stream of CUDA on which the consumer works; the caller orders the two.
[[nodiscard]] dlpack::VersionedArray* lend_dlpack(const TensorRef& tensor, std::uint64_t stream);

/// An array of CUDA in memory that the device has lent, as the tensor that it was: no copy. Null if it is not such memory.
/// @throws ArgumentError for a scalar type that Weft has not.
[[nodiscard]] TensorRef find_lent(const device::Device& device, const dlpack::Array& array,
                                  ArrayLayoutRef layout);

/// An array of another library as a tensor of `device`.
/// @param keep_alive releases the array; held while the memory is shared, dropped after a copy.
/// @throws ArgumentError for a scalar type or a memory that `device` cannot use.
[[nodiscard]] TensorRef import_dlpack(const std::shared_ptr<device::Device>& device,
                                      const dlpack::Array& array, std::shared_ptr<void> keep_alive);

} // namespace weft::tensor
