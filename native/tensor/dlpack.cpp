// SPDX-License-Identifier: Apache-2.0
#include "tensor/dlpack.hpp"

#include "core/text.hpp"
#include "tensor/convert.hpp"
#include "tensor/dtype.hpp"
#include "tensor/transfer.hpp"
#include "tensor/view.hpp"

#include <algorithm>
#include <array>

namespace weft::tensor {

namespace {

using core::ArgumentError;
using core::text;
using dlpack::DeviceCode;
using dlpack::TypeCode;
using reflect::ScalarKind;

constexpr unsigned kBitsPerByte = 8;

TypeCode type_code(ScalarKind kind) noexcept {
    if (kind == ScalarKind::bool_) {
        return TypeCode::boolean;
    }
    if (reflect::is_float(kind)) {
        return TypeCode::floating;
    }
    return reflect::is_signed(kind) ? TypeCode::signed_integer : TypeCode::unsigned_integer;
}

/// Owns what an exported array points to.
template <typename Managed>
struct Export {
    Managed managed;
    TensorRef tensor;             ///< shared memory
    std::shared_ptr<void> loan;   ///< of it, to CUDA; goes before the memory does
    std::vector<std::byte> bytes; ///< copied memory
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;

    static void release(Managed* managed) {
        const std::unique_ptr<Export> owner(static_cast<Export*>(managed->owner));
    }
};

template <typename Managed>
Managed* export_as(const TensorRef& tensor, const device::InterruptPoll& poll) {
    const TensorRef flat = flatten_dtype(tensor);
    const ScalarKind kind = flat->dtype()->scalar;
    auto result = std::make_unique<Export<Managed>>();
    result->shape.assign(flat->shape().begin(), flat->shape().end());
    dlpack::Array& array = result->managed.array;
    if (is_shared_by_dlpack(*flat)) {
        result->tensor = flat;
        result->strides.assign(flat->strides().begin(), flat->strides().end());
        array.data = reinterpret_cast<void*>(static_cast<std::uintptr_t>(flat->address()));
    } else {
        result->bytes.resize(host_size_bytes(*flat));
        download(*flat, result->bytes, poll);
        result->strides = contiguous_strides(flat->shape());
        array.data = result->bytes.data();
    }
    array.device = dlpack_device(*tensor);
    array.rank = static_cast<std::int32_t>(result->shape.size());
    array.dtype = dlpack_dtype(kind);
    array.shape = result->shape.data();
    array.strides = result->strides.data();
    result->managed.release = &Export<Managed>::release;
    result->managed.owner = result.get();
    return &result.release()->managed;
}

TensorRef copy_from_host(const std::shared_ptr<device::Device>& device,
                         const dlpack::Array& array) {
    const ScalarKind kind = dlpack_scalar(array, "from_dlpack");
    const std::vector<std::int64_t> shape(array.shape, array.shape + array.rank);
    std::vector<std::int64_t> strides = dlpack_strides(array);
    std::for_each(strides.begin(), strides.end(), [&](std::int64_t& stride) {
        stride *= static_cast<std::int64_t>(reflect::size_bytes(kind));
    });
    TensorRef tensor = Tensor::create(device, {.dtype = reflect::scalar_type(kind), .shape = shape},
                                      "from_dlpack");
    std::vector<std::byte> packed(host_size_bytes(*tensor));
    const auto* data = static_cast<const std::byte*>(array.data) + array.byte_offset;
    convert({.data = data, .kind = kind, .shape = shape, .strides = strides}, kind, packed,
            "from_dlpack");
    upload(*tensor, packed);
    return tensor;
}

TensorRef share_cuda_memory(const std::shared_ptr<device::Device>& device,
                            const dlpack::Array& array, std::shared_ptr<void> keep_alive) {
    const device::DeviceInfo& info = device->info();
    if (info.type != device::DeviceType::cuda || info.adapter != array.device.index) {
        throw ArgumentError(text("from_dlpack: the array lies on CUDA device ", array.device.index,
                                 ", the device '", info.name, "' is ", device::to_string(info.type),
                                 " adapter ", info.adapter,
                                 "; copy the array to the host first, for example with .cpu()"));
    }
    reflect::TypeRef dtype =
        reflect::scalar_type(dlpack_scalar(array, "from_dlpack"), reflect::LayoutRules::host);
    std::vector<std::int64_t> shape(array.shape, array.shape + array.rank);
    std::vector<std::int64_t> strides = dlpack_strides(array);
    ArrayLayoutRef layout =
        make_array_layout(std::move(dtype), std::move(shape), std::move(strides));
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(array.data) + array.byte_offset;
    const std::uint64_t size =
        static_cast<std::uint64_t>(layout->extent_elements) * layout->element_bytes();
    return Tensor::wrap(device->wrap_external(address, size, std::move(keep_alive)),
                        std::move(layout), 0);
}

} // namespace

dlpack::DataType dlpack_dtype(ScalarKind kind) noexcept {
    return {.code = type_code(kind),
            .bits = static_cast<std::uint8_t>(reflect::size_bytes(kind) * kBitsPerByte),
            .lanes = 1};
}

std::optional<ScalarKind> dlpack_kind(const dlpack::DataType& dtype) noexcept {
    constexpr std::array kKinds = {ScalarKind::bool_,   ScalarKind::int8,    ScalarKind::int16,
                                   ScalarKind::int32,   ScalarKind::int64,   ScalarKind::uint8,
                                   ScalarKind::uint16,  ScalarKind::uint32,  ScalarKind::uint64,
                                   ScalarKind::float16, ScalarKind::float32, ScalarKind::float64};
    for (const ScalarKind kind : kKinds) {
        if (dtype.lanes == 1 && type_code(kind) == dtype.code &&
            reflect::size_bytes(kind) * kBitsPerByte == dtype.bits) {
            return kind;
        }
    }
    return std::nullopt;
}

ScalarKind dlpack_scalar(const dlpack::Array& array, std::string_view context) {
    const std::optional<ScalarKind> kind = dlpack_kind(array.dtype);
    if (!kind) {
        throw ArgumentError(text(context, ": the array's scalars (DLPack type ",
                                 +static_cast<std::uint8_t>(array.dtype.code), ", ",
                                 +array.dtype.bits, " bits, ", array.dtype.lanes,
                                 " lanes) are no bool, integer or float of Weft; convert it first"),
                            ArgumentError::Kind::type);
    }
    return *kind;
}

std::vector<std::int64_t> dlpack_strides(const dlpack::Array& array) {
    if (array.strides == nullptr) {
        return contiguous_strides(std::vector(array.shape, array.shape + array.rank));
    }
    return {array.strides, array.strides + array.rank};
}

const ArrayLayoutRef& DlpackLayouts::find(const dlpack::Array& array, ScalarKind kind) {
    constexpr std::size_t kMaxLayouts = 8;
    const std::span shape(array.shape, static_cast<std::size_t>(array.rank));
    if (array.strides != nullptr) {
        const std::span strides(array.strides, shape.size());
        const auto is_same = [&](const ArrayLayoutRef& layout) {
            return layout->dtype->scalar == kind && std::ranges::equal(layout->shape, shape) &&
                   std::ranges::equal(layout->strides, strides);
        };
        const auto found = std::ranges::find_if(m_layouts, is_same);
        if (found != m_layouts.end()) {
            return *found;
        }
    }
    ArrayLayoutRef layout =
        make_array_layout(reflect::scalar_type(kind, reflect::LayoutRules::host),
                          {shape.begin(), shape.end()}, dlpack_strides(array));
    if (m_layouts.size() < kMaxLayouts) {
        return m_layouts.emplace_back(std::move(layout));
    }
    ArrayLayoutRef& place = m_layouts[m_oldest];
    m_oldest = (m_oldest + 1) % kMaxLayouts;
    place = std::move(layout);
    return place;
}

dlpack::Device dlpack_device(const Tensor& tensor) noexcept {
    if (is_shared_by_dlpack(tensor)) {
        return {.code = DeviceCode::cuda, .index = tensor.device().info().adapter};
    }
    return {};
}

bool is_shared_by_dlpack(const Tensor& tensor) noexcept {
    return tensor.device().info().type == device::DeviceType::cuda;
}

dlpack::ManagedArray* export_dlpack(const TensorRef& tensor, const device::InterruptPoll& poll) {
    return export_as<dlpack::ManagedArray>(tensor, poll);
}

dlpack::VersionedArray* export_versioned_dlpack(const TensorRef& tensor,
                                                const device::InterruptPoll& poll) {
    auto* const managed = export_as<dlpack::VersionedArray>(tensor, poll);
    managed->flags = is_shared_by_dlpack(*tensor) ? 0 : dlpack::kFlagCopied;
    return managed;
}

dlpack::VersionedArray* lend_dlpack(const TensorRef& tensor, std::uint64_t stream) {
    const TensorRef flat = flatten_dtype(tensor);
    auto result = std::make_unique<Export<dlpack::VersionedArray>>();
    result->shape.assign(flat->shape().begin(), flat->shape().end());
    result->strides.assign(flat->strides().begin(), flat->strides().end());
    result->tensor = flat;
    device::Device& device = flat->device();
    dlpack::Array& array = result->managed.array;
    if (const std::uint64_t address = flat->buffer().cuda_address(); address != 0) {
        result->loan = device.lend_to_cuda(flat->buffer_ref(), stream);
        array.data = reinterpret_cast<void*>(
            static_cast<std::uintptr_t>(address + flat->offset_bytes())); // NOLINT: CUDA's
    }
    array.device = {.code = DeviceCode::cuda, .index = device.cuda_ordinal()};
    array.rank = static_cast<std::int32_t>(result->shape.size());
    array.dtype = dlpack_dtype(flat->dtype()->scalar);
    array.shape = result->shape.data();
    array.strides = result->strides.data();
    result->managed.release = &Export<dlpack::VersionedArray>::release;
    result->managed.owner = result.get();
    return &result.release()->managed;
}

TensorRef find_lent(const device::Device& device, const dlpack::Array& array,
                    ArrayLayoutRef layout) {
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(array.data) + array.byte_offset;
    const std::uint64_t item = layout->element_bytes();
    const std::uint64_t size = static_cast<std::uint64_t>(layout->extent_elements) * item;
    std::shared_ptr<device::Buffer> buffer =
        size == 0 ? nullptr : device.find_lent_to_cuda(address, size);
    if (!buffer || (address - buffer->cuda_address()) % item != 0) {
        return nullptr;
    }
    const std::uint64_t offset = (address - buffer->cuda_address()) / item;
    return Tensor::wrap(std::move(buffer), std::move(layout), static_cast<std::int64_t>(offset));
}

TensorRef import_dlpack(const std::shared_ptr<device::Device>& device, const dlpack::Array& array,
                        std::shared_ptr<void> keep_alive) {
    switch (array.device.code) {
    case DeviceCode::cpu:
    case DeviceCode::cuda_host: return copy_from_host(device, array);
    case DeviceCode::cuda:
    case DeviceCode::cuda_managed: return share_cuda_memory(device, array, std::move(keep_alive));
    }
    throw ArgumentError(
        text("from_dlpack: the array lies on a device of DLPack type ",
             static_cast<std::int32_t>(array.device.code),
             ", only host and CUDA memory can be used; copy the array to the host first"));
}

} // namespace weft::tensor
