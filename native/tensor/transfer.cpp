// SPDX-License-Identifier: Apache-2.0
#include "tensor/transfer.hpp"

#include "core/text.hpp"
#include "tensor/convert.hpp"
#include "tensor/dtype.hpp"
#include "tensor/host_format.hpp"
#include "tensor/strided.hpp"

#include <algorithm>
#include <cstring>

namespace weft::tensor {

namespace {

using core::ArgumentError;
using core::text;

using Bytes = std::vector<std::byte>;

std::uint64_t element_bytes(const Tensor& tensor) noexcept {
    return tensor.layout()->element_bytes();
}

/// Bytes from the first element to the end of the last.
std::size_t extent_bytes(const Tensor& tensor) noexcept {
    return static_cast<std::size_t>(tensor.layout()->extent_elements) * element_bytes(tensor);
}

std::size_t packed_bytes(const Tensor& tensor) noexcept {
    return static_cast<std::size_t>(tensor.element_count()) * element_bytes(tensor);
}

void check_size(const char* function, std::size_t expected, std::size_t got) {
    if (got != expected) {
        throw ArgumentError(text(function, ": the tensor holds ", expected, " bytes, got ", got,
                                 "; pass an array of the tensor's own shape and dtype"));
    }
}

/// Copies rows between a packed array and the range that the tensor's strides reach.
template <typename Copy>
void walk_elements(const Tensor& tensor, Copy&& copy) {
    const std::vector<std::int64_t> packed = contiguous_strides(tensor.shape());
    const StridedWalk<2> walk(tensor.shape(),
                              {std::span<const std::int64_t>(packed), tensor.strides()});
    const auto bytes = static_cast<std::int64_t>(element_bytes(tensor));
    walk.for_each_row([&](const auto& offsets, std::int64_t count, const auto& strides) {
        if (strides[0] == strides[1] || count == 1) {
            copy(offsets[0] * bytes, offsets[1] * bytes, static_cast<std::size_t>(count * bytes));
            return;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            copy((offsets[0] + i * strides[0]) * bytes, (offsets[1] + i * strides[1]) * bytes,
                 static_cast<std::size_t>(bytes));
        }
    });
}

void scatter(const Tensor& tensor, const Bytes& packed, Bytes& range) {
    walk_elements(tensor, [&](std::int64_t from, std::int64_t to, std::size_t size) {
        std::memcpy(range.data() + to, packed.data() + from, size);
    });
}

void gather(const Tensor& tensor, const Bytes& range, std::span<std::byte> packed) {
    walk_elements(tensor, [&](std::int64_t to, std::int64_t from, std::size_t size) {
        std::memcpy(packed.data() + to, range.data() + from, size);
    });
}

/// Device elements, packed, into the tensor.
void upload_packed(Tensor& tensor, const Bytes& packed) {
    if (tensor.is_contiguous()) {
        tensor.device().upload(tensor.buffer(), tensor.offset_bytes(), packed);
        return;
    }
    Bytes range(extent_bytes(tensor));
    tensor.device().download(tensor.buffer(), tensor.offset_bytes(), range);
    scatter(tensor, packed, range);
    tensor.device().upload(tensor.buffer(), tensor.offset_bytes(), range);
}

/// Device elements, packed, out of the tensor.
void download_packed(const Tensor& tensor, std::span<std::byte> packed,
                     const device::InterruptPoll& poll) {
    if (tensor.is_contiguous()) {
        tensor.device().download(tensor.buffer(), tensor.offset_bytes(), packed, poll);
        return;
    }
    Bytes range(extent_bytes(tensor));
    tensor.device().download(tensor.buffer(), tensor.offset_bytes(), range, poll);
    gather(tensor, range, packed);
}

/// The 32-bit word whose repetition gives the element, if there is one and the range is aligned to it.
bool try_fill_words(Tensor& tensor, std::span<const std::byte> element) {
    constexpr std::size_t kWordSize = 4;
    const std::size_t size = packed_bytes(tensor);
    if (size % kWordSize != 0 || tensor.offset_bytes() % kWordSize != 0) {
        return false;
    }
    Bytes word(kWordSize);
    for (std::size_t i = 0; i < kWordSize; ++i) {
        word[i] = element[i % element.size()];
    }
    for (std::size_t i = 0; i < std::max(element.size(), kWordSize); ++i) {
        if (element[i % element.size()] != word[i % kWordSize]) {
            return false;
        }
    }
    if (kWordSize % element.size() != 0 && element.size() % kWordSize != 0) {
        return false;
    }
    std::uint32_t value = 0;
    std::memcpy(&value, word.data(), kWordSize);
    tensor.device().fill(tensor.buffer(), tensor.offset_bytes(), size, value);
    return true;
}

/// Uploads a first part, then doubles it on the device.
void fill_by_copies(Tensor& tensor, std::span<const std::byte> element) {
    constexpr std::size_t kFirstPart = std::size_t{1} << 16U;
    const std::size_t total = packed_bytes(tensor);
    const std::size_t elements = std::max<std::size_t>(1, kFirstPart / element.size());
    Bytes part;
    part.reserve(std::min(total, elements * element.size()));
    while (part.size() < std::min(total, elements * element.size())) {
        part.insert(part.end(), element.begin(), element.end());
    }
    device::Device& device = tensor.device();
    const std::uint64_t begin = tensor.offset_bytes();
    device.upload(tensor.buffer(), begin, part);
    for (std::size_t done = part.size(); done < total;) {
        const std::size_t size = std::min(done, total - done);
        device.copy(tensor.buffer(), begin + done, tensor.buffer(), begin, size);
        done += size;
    }
}

void fill_device_element(Tensor& tensor, std::span<const std::byte> element) {
    if (tensor.element_count() == 0) {
        return;
    }
    if (tensor.is_contiguous()) {
        if (!try_fill_words(tensor, element)) {
            fill_by_copies(tensor, element);
        }
        return;
    }
    Bytes packed;
    packed.reserve(packed_bytes(tensor));
    while (packed.size() < packed_bytes(tensor)) {
        packed.insert(packed.end(), element.begin(), element.end());
    }
    upload_packed(tensor, packed);
}

} // namespace

void refuse_repeats(const char* function, const Tensor& tensor) {
    for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
        if (tensor.strides()[axis] == 0 && tensor.shape()[axis] > 1) {
            throw ArgumentError(
                text(function, ": the tensor repeats its elements along axis ", axis,
                     " (broadcast), which cannot be written; write to the tensor it views"));
        }
    }
}

reflect::TypeRef replace_scalar(const reflect::TypeRef& type, reflect::ScalarKind kind) {
    switch (type->kind) {
    case reflect::TypeKind::scalar:
    case reflect::TypeKind::enumeration: return reflect::scalar_type(kind);
    case reflect::TypeKind::vector: return reflect::vector_type(kind, type->columns);
    case reflect::TypeKind::matrix: return reflect::matrix_type(kind, type->rows, type->columns);
    case reflect::TypeKind::array: {
        reflect::TypeRef element = replace_scalar(type->element, kind);
        return element ? reflect::array_type(std::move(element), type->count) : nullptr;
    }
    default: return nullptr;
    }
}

void require_same_form(const Tensor& target, const Tensor& source) {
    if (!std::equal(target.shape().begin(), target.shape().end(), source.shape().begin(),
                    source.shape().end()) ||
        !reflect::same_type(*target.dtype(), *source.dtype()) ||
        &target.device() != &source.device()) {
        throw ArgumentError(
            text("copy: the target has shape ", core::shape_text(target.shape()), " of ",
                 display_name(*target.dtype()), ", the source ", core::shape_text(source.shape()),
                 " of ", display_name(*source.dtype()), "; both must be equal and on one device"));
    }
}

std::size_t host_size_bytes(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.element_count()) *
           HostFormat(tensor.dtype()).host_stride();
}

void upload(Tensor& tensor, std::span<const std::byte> host) {
    const HostFormat format(tensor.dtype());
    check_size("upload", static_cast<std::size_t>(tensor.element_count()) * format.host_stride(),
               host.size());
    refuse_repeats("upload", tensor);
    if (host.empty()) {
        return;
    }
    if (format.is_identity() && tensor.is_contiguous()) {
        tensor.device().upload(tensor.buffer(), tensor.offset_bytes(), host);
        return;
    }
    Bytes packed(packed_bytes(tensor));
    format.to_device(host, packed);
    upload_packed(tensor, packed);
}

void download(const Tensor& tensor, std::span<std::byte> host, const device::InterruptPoll& poll) {
    const HostFormat format(tensor.dtype());
    check_size("download", static_cast<std::size_t>(tensor.element_count()) * format.host_stride(),
               host.size());
    if (host.empty()) {
        return;
    }
    if (format.is_identity()) {
        download_packed(tensor, host, poll);
        return;
    }
    Bytes packed(packed_bytes(tensor));
    download_packed(tensor, packed, poll);
    format.to_host(packed, host);
}

void fill(Tensor& tensor, std::span<const std::byte> element) {
    const HostFormat format(tensor.dtype());
    check_size("fill", format.host_stride(), element.size());
    refuse_repeats("fill", tensor);
    Bytes device_element(format.device_stride());
    format.to_device(element, device_element);
    fill_device_element(tensor, device_element);
}

void clear(Tensor& tensor) {
    refuse_repeats("clear", tensor);
    fill_device_element(tensor, Bytes(element_bytes(tensor)));
}

void copy(Tensor& target, const Tensor& source, const device::InterruptPoll& poll) {
    require_same_form(target, source);
    refuse_repeats("copy", target);
    if (source.element_count() == 0) {
        return;
    }
    if (target.is_contiguous() && source.is_contiguous()) {
        target.device().copy(target.buffer(), target.offset_bytes(), source.buffer(),
                             source.offset_bytes(), packed_bytes(source));
        return;
    }
    Bytes packed(packed_bytes(source));
    download_packed(source, packed, poll);
    upload_packed(target, packed);
}

TensorRef contiguous(const TensorRef& tensor, const device::InterruptPoll& poll) {
    if (tensor->is_contiguous()) {
        return tensor;
    }
    Tensor::Desc desc{.dtype = tensor->dtype(),
                      .shape = {tensor->shape().begin(), tensor->shape().end()}};
    TensorRef result = Tensor::create(tensor->buffer().device_ref(), std::move(desc), "copy");
    copy(*result, *tensor, poll);
    return result;
}

TensorRef with_scalar_kind(const Tensor& tensor, reflect::ScalarKind kind,
                           const device::InterruptPoll& poll) {
    const reflect::TypeRef dtype = replace_scalar(tensor.dtype(), kind);
    if (!dtype) {
        throw ArgumentError(
            text("astype: ", display_name(*tensor.dtype()),
                 " is a structure, whose scalars have kinds of their own; convert its fields"),
            ArgumentError::Kind::type);
    }
    const std::vector<std::int64_t> shape(tensor.shape().begin(), tensor.shape().end());
    TensorRef result =
        Tensor::create(tensor.buffer().device_ref(), {.dtype = dtype, .shape = shape}, "astype");
    Bytes values(host_size_bytes(tensor));
    download(tensor, values, poll);
    const reflect::ScalarKind from = reflect::leaf(*tensor.dtype()).scalar;
    const std::vector<std::int64_t> count = {static_cast<std::int64_t>(
        values.size() / std::max<std::size_t>(1, reflect::size_bytes(from)))};
    Bytes converted(host_size_bytes(*result));
    convert({.data = values.data(),
             .kind = from,
             .shape = count,
             .strides = packed_byte_strides(count, from)},
            kind, converted, "astype", Conversion::requested);
    upload(*result, converted);
    return result;
}

} // namespace weft::tensor
