// SPDX-License-Identifier: Apache-2.0
// Elements moved and converted on the device. tensor/transfer.hpp does the same through the host, and is used
// where the device lacks a type.
#pragma once

#include "dispatch/module.hpp"
#include "tensor/tensor.hpp"

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft::dispatch {

/// Thread-safe. Results are ready for later work of the device; only download() waits, and
/// with_scalar_kind() where values may not fit.
class Copier {
public:
    explicit Copier(Context context) : m_context(std::move(context)) {}

    /// Copies between tensors of one device, which may overlap. @throws as tensor::copy().
    void copy(tensor::Tensor& target, const tensor::Tensor& source,
              const device::InterruptPoll& poll = {});
    /// The tensor itself if it is contiguous, else a copy that is.
    [[nodiscard]] tensor::TensorRef contiguous(const tensor::TensorRef& tensor,
                                               const device::InterruptPoll& poll = {});
    /// Copies only where no strides can express the shape. @throws as tensor::reshape().
    [[nodiscard]] tensor::TensorRef reshape(const tensor::TensorRef& tensor,
                                            std::vector<std::int64_t> shape,
                                            const device::InterruptPoll& poll = {});
    /// A copy whose scalars have another kind. @throws as tensor::with_scalar_kind().
    [[nodiscard]] tensor::TensorRef with_scalar_kind(const tensor::TensorRef& tensor,
                                                     reflect::ScalarKind kind,
                                                     const device::InterruptPoll& poll = {});
    /// As tensor::upload(), but elements in the gaps of `target` are left alone.
    void upload(tensor::Tensor& target, std::span<const std::byte> host);
    /// As tensor::download(); the elements of a large tensor with gaps are gathered on the device first.
    void download(const tensor::Tensor& source, std::span<std::byte> host,
                  const device::InterruptPoll& poll = {});
    /// As tensor::fill(), but elements in the gaps of `target` are left alone.
    void fill(tensor::Tensor& target, std::span<const std::byte> element);
    /// As tensor::clear(), but elements in the gaps of `target` are left alone.
    void clear(tensor::Tensor& target);

private:
    struct Operation;

    [[nodiscard]] tensor::TensorRef packed_like(const tensor::Tensor& tensor) const;
    [[nodiscard]] bool try_copy(tensor::Tensor& target, const tensor::Tensor& source);
    [[nodiscard]] bool try_convert(tensor::Tensor& target, const tensor::Tensor& source,
                                   const device::InterruptPoll& poll);
    void run(const Operation& operation, const ArgumentList& arguments);
    [[nodiscard]] std::shared_ptr<const LaunchPlan> plan(const Operation& operation,
                                                         const ArgumentList& arguments);
    [[nodiscard]] Module& module();

    Context m_context;
    std::mutex m_mutex;
    std::shared_ptr<Module> m_module; ///< made by the first kernel
    std::unordered_map<std::string, std::shared_ptr<const LaunchPlan>> m_plans;
};

} // namespace weft::dispatch
