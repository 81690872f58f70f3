// SPDX-License-Identifier: Apache-2.0
// Arrays on a device. Data structures: an ArrayLayout says what an array is and is shared by all tensors
// made alike; a Tensor adds the buffer and the place in it. Start reading here, then view.hpp (shapes
// without copying) and transfer.hpp (values to and from the host).
#pragma once

#include "core/api.hpp"
#include "device/device.hpp"
#include "tensor/array_layout.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft::tensor {

class Tensor;
/// Null only where that is said.
using TensorRef = std::shared_ptr<Tensor>;

/// Array memory on a device. Immutable apart from its contents, set_gradients() and point_to(); a view shares its
/// buffer.
/// Keeps its device alive. Thread-safe as far as its device is.
class WEFT_API Tensor {
public:
    /// What an array is. Extents are 0 and greater; strides may be negative or 0.
    struct Desc {
        reflect::TypeRef dtype = {}; ///< scalar, vector, matrix, array or structure
        std::vector<std::int64_t> shape =
            {}; ///< elements a dimension; empty: one element; may hold 0
        std::vector<std::int64_t> strides = {}; ///< elements; empty: row-major contiguous
        std::int64_t offset = 0;                ///< elements from the start of the buffer
    };

    /// Allocates uninitialised memory for the elements that the strides reach. The dtype is laid out as
    /// the device needs it (see storage_type); `offset` must be 0.
    /// @throws ArgumentError for a bad layout; DeviceError if memory is short or the device is closed.
    [[nodiscard]] static TensorRef create(const std::shared_ptr<device::Device>& device, Desc desc,
                                          std::string label = {});
    /// The same for a layout that was made before: no checks, no copies. The layout must be of this
    /// kind of device.
    [[nodiscard]] static TensorRef create(const std::shared_ptr<device::Device>& device,
                                          ArrayLayoutRef layout, std::string label = {});
    /// A view of existing memory, whose dtype is taken as it is.
    /// @throws ArgumentError if it reaches outside the buffer.
    [[nodiscard]] static TensorRef wrap(std::shared_ptr<device::Buffer> buffer, Desc desc);
    /// The same for a layout that was made before. @param offset elements from the start of the buffer to element 0.
    [[nodiscard]] static TensorRef wrap(std::shared_ptr<device::Buffer> buffer,
                                        ArrayLayoutRef layout, std::int64_t offset);

    /// The same memory, with gradients attached.
    /// @param grad_in  derivative of a loss by this tensor, read by backward calls that wrote the tensor; may be null.
    /// @param grad_out what backward calls that read the tensor add to; may be null, may be grad_in; of half values
    ///                 it may be float.
    /// @throws ArgumentError unless both have the tensor's device and shape and gradient_dtype() of its dtype.
    [[nodiscard]] static TensorRef with_gradients(const TensorRef& tensor, TensorRef grad_in,
                                                  TensorRef grad_out);
    /// The element type of gradients of `dtype`, laid out by `rules`. @throws ArgumentError if it has no derivatives.
    [[nodiscard]] static reflect::TypeRef gradient_dtype(const reflect::TypeRef& dtype,
                                                         reflect::LayoutRules rules);

    /// Replaces the gradients, as with_gradients() attaches them. Not while another thread uses the tensor.
    /// @throws ArgumentError as with_gradients(), and for the tensor itself.
    void set_gradients(TensorRef grad_in, TensorRef grad_out);
    /// Takes over the memory, strides and offset of `target`; dtype and gradients stay. Not while another thread
    /// uses the tensor.
    /// @throws ArgumentError unless both have one device, shape and size of an element.
    void point_to(const Tensor& target);

    /// Never null; shared by all tensors made alike.
    const ArrayLayoutRef& layout() const noexcept { return m_layout; }
    /// The element type, by the layout rules of the device; never null.
    const reflect::TypeRef& dtype() const noexcept { return m_layout->dtype; }
    /// Elements a dimension, 0 and greater; empty: one element. Valid as long as the tensor, as strides().
    std::span<const std::int64_t> shape() const noexcept { return m_layout->shape; }
    /// Elements from one index to the next, one a dimension; may be 0 or negative.
    std::span<const std::int64_t> strides() const noexcept { return m_layout->strides; }
    /// Number of dimensions.
    std::size_t rank() const noexcept { return m_layout->shape.size(); }
    /// Product of the shape; 1 for rank 0.
    std::int64_t element_count() const noexcept { return m_layout->element_count; }
    /// True if elements lie one after the other, the last index fastest.
    bool is_contiguous() const noexcept { return m_layout->is_contiguous; }
    /// Equal for two tensors only if dtype (fields and their offsets included), shape and strides are.
    std::uint64_t layout_hash() const noexcept { return m_layout->hash; }

    /// Elements from the start of the buffer to element 0.
    std::int64_t offset() const noexcept { return m_offset; }
    /// The same in bytes.
    std::uint64_t offset_bytes() const noexcept {
        return static_cast<std::uint64_t>(m_offset) * m_layout->element_bytes();
    }
    /// The memory, which others may share; lives as long as the tensor.
    device::Buffer& buffer() const noexcept { return *m_buffer; }
    /// The same, never null, for what has to keep it alive.
    const std::shared_ptr<device::Buffer>& buffer_ref() const noexcept { return m_buffer; }
    /// Lives as long as the tensor.
    device::Device& device() const noexcept { return m_buffer->device(); }
    /// Device address of element 0; 0 if the buffer is empty.
    std::uint64_t address() const noexcept { return m_address; }

    /// Gradient holders; null if absent. Both may be the same tensor.
    const TensorRef& grad_in() const noexcept { return m_grad_in; }
    /// As above; null if absent.
    const TensorRef& grad_out() const noexcept { return m_grad_out; }

    /// Whether the memory from the first to the last element of both has bytes in common.
    [[nodiscard]] bool overlaps(const Tensor& other) const noexcept;

    /// Lets std::make_shared construct what only the factories may make.
    class Key {
        friend class Tensor;
        Key() = default;
    };
    Tensor(Key, std::shared_ptr<device::Buffer> buffer, ArrayLayoutRef layout,
           std::int64_t offset) noexcept;

private:
    std::shared_ptr<device::Buffer> m_buffer;
    ArrayLayoutRef m_layout;
    std::int64_t m_offset = 0;
    std::uint64_t m_address = 0;
    TensorRef m_grad_in;
    TensorRef m_grad_out;
};

} // namespace weft::tensor
