// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.hpp"
#include "tensor/transfer.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace weft::test {

/// A device that keeps memory on the host.
std::shared_ptr<device::Device> host_device();

/// A structure of these fields, in the rules given.
reflect::TypeRef make_structure(const std::string& name,
                                std::vector<std::pair<std::string, reflect::TypeRef>> fields,
                                reflect::LayoutRules rules = reflect::LayoutRules::spirv);

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
    return std::as_bytes(std::span<const T>(values));
}

/// The tensor's values, row-major.
template <typename T>
std::vector<T> values_of(const tensor::Tensor& tensor) {
    std::vector<T> values(tensor::host_size_bytes(tensor) / sizeof(T));
    tensor::download(tensor, std::as_writable_bytes(std::span<T>(values)));
    return values;
}

/// A float tensor of this shape that holds 0, 1, 2, ...
tensor::TensorRef counting_tensor(const std::shared_ptr<device::Device>& device,
                                  std::vector<std::int64_t> shape);

/// The message of the ArgumentError that `action` throws; "" if it throws none.
template <typename Action>
std::string argument_error(Action&& action) {
    try {
        action();
    } catch (const core::ArgumentError& error) {
        return error.what();
    }
    return "";
}

} // namespace weft::test
