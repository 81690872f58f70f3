// SPDX-License-Identifier: Apache-2.0
#include "dispatch/copier.hpp"

#include "core/error.hpp"
#include "dispatch/conversion.hpp"
#include "dispatch/launch.hpp"
#include "dispatch/resolve.hpp"
#include "tensor/transfer.hpp"
#include "tensor/view.hpp"

#include <algorithm>

namespace weft::dispatch {

using reflect::ScalarKind;
using tensor::Tensor;
using tensor::TensorRef;

namespace {

// A call whose shape changes each time must not fill memory with plans.
constexpr std::size_t kMaxPlans = 4096;
// A range of this size is read whole faster than a kernel gathers a part of it.
constexpr std::uint64_t kSmallRange = std::uint64_t{1} << 16U;

std::vector<std::int64_t> shape_of(const Tensor& tensor) {
    return {tensor.shape().begin(), tensor.shape().end()};
}

/// The memory of `tensor` as scalars of `kind`, those of one element along one more dimension. Null if that
/// dimension is one too many.
TensorRef as_scalars(const Tensor& tensor, ScalarKind kind) {
    if (tensor.rank() == tensor::kMaxRank) {
        return nullptr;
    }
    const auto count =
        static_cast<std::int64_t>(tensor.layout()->element_bytes() / reflect::size_bytes(kind));
    std::vector<std::int64_t> shape = shape_of(tensor);
    std::vector<std::int64_t> strides(tensor.strides().begin(), tensor.strides().end());
    for (std::int64_t& stride : strides) {
        stride *= count;
    }
    shape.push_back(count);
    strides.push_back(1);
    return Tensor::wrap(tensor.buffer_ref(),
                        {.dtype = reflect::scalar_type(kind, reflect::LayoutRules::host),
                         .shape = std::move(shape),
                         .strides = std::move(strides),
                         .offset = tensor.offset() * count});
}

/// The widest words in which elements of both can be moved.
ScalarKind word_kind(const Tensor& a, const Tensor& b) {
    const std::uint64_t alignment = a.layout()->element_bytes() | a.address() | b.address();
    return alignment % 4 == 0   ? ScalarKind::uint32
           : alignment % 2 == 0 ? ScalarKind::uint16
                                : ScalarKind::uint8;
}

bool may_overlap(const Tensor& a, const Tensor& b) {
    const std::uint64_t bytes = a.layout()->element_bytes();
    const auto end = [&](const Tensor& tensor) {
        return tensor.address() +
               static_cast<std::uint64_t>(tensor.layout()->extent_elements) * bytes;
    };
    return &a.buffer() == &b.buffer() && a.address() < end(b) && b.address() < end(a);
}

reflect::Parameter parameter(const char* name, reflect::TypeRef type) {
    reflect::Parameter made;
    made.name = name;
    made.type = std::move(type);
    return made;
}

/// One word, zero.
TensorRef make_flag(const std::shared_ptr<device::Device>& device) {
    TensorRef flag = Tensor::create(
        device, {.dtype = reflect::scalar_type(ScalarKind::uint32), .shape = {1}}, "fault");
    device->fill(flag->buffer(), 0, sizeof(std::uint32_t), 0);
    return flag;
}

/// The text says all of the function, the arguments the rest.
std::string plan_key(const std::string& source, const ArgumentList& arguments) {
    std::vector<std::uint64_t> words;
    arguments.append_key(words);
    std::string key = source;
    key.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t));
    return key;
}

void add_tensor(ArgumentList& arguments, Tensor& tensor, Role role) {
    arguments.roots.push_back(
        {.node = static_cast<std::uint32_t>(arguments.nodes.size()), .role = role});
    Node& node = arguments.nodes.emplace_back();
    node.kind = NodeKind::tensor;
    node.tensor = &tensor;
}

reflect::Function function_of(const char* name, ScalarKind from, ScalarKind to) {
    reflect::Function function;
    function.name = name;
    function.full_name = name;
    function.return_type = reflect::scalar_type(to);
    function.parameters.push_back(parameter("x", reflect::scalar_type(from)));
    return function;
}

reflect::TypeRef word_pointer() {
    reflect::Type type;
    type.kind = reflect::TypeKind::pointer;
    type.element = reflect::scalar_type(ScalarKind::uint32);
    type.full_name = "uint*";
    return std::make_shared<const reflect::Type>(std::move(type));
}

} // namespace

/// A function of elements, `source` its Slang text.
struct Copier::Operation {
    reflect::Function function;
    std::string source;
};

Module& Copier::module() {
    if (!m_module) {
        compile::ModuleDesc desc;
        desc.name = "copies";
        desc.text = "// The functions stand in the kernels.\n";
        desc.target = m_context.device->target();
        m_module = Module::create(m_context, std::move(desc), {.links = {}, .hot_reload = false});
    }
    return *m_module;
}

std::shared_ptr<const LaunchPlan> Copier::plan(const Operation& operation,
                                               const ArgumentList& arguments) {
    const auto lock = core::lock_with_poll(m_mutex, m_context.poll);
    const std::string key = plan_key(operation.source, arguments);
    if (const auto found = m_plans.find(key); found != m_plans.end()) {
        return found->second;
    }
    const device::Device& device = *m_context.device;
    Module& library = module();
    auto call = resolve_call(
        operation.function.name, {operation.function}, arguments, {}, bind_target(device),
        {.specialize = [](const std::string&) { return std::vector<reflect::Function>{}; }});
    call->kernel.callee = operation.function.name;
    call->kernel.prelude = operation.source;
    adapt_to_device(call->kernel, device);
    auto made = build_plan(*call, arguments, {},
                           [&](const std::string& source, const codegen::Kernel& lowered) {
                               return library.provide_kernel(source, lowered);
                           });
    if (m_plans.size() >= kMaxPlans) {
        m_plans.clear();
    }
    return m_plans.emplace(key, std::move(made)).first->second;
}

void Copier::run(const Operation& operation, const ArgumentList& arguments) {
    CallState().launch(*plan(operation, arguments), arguments, *m_context.device, {});
}

TensorRef Copier::packed_like(const Tensor& tensor) const {
    return Tensor::create(m_context.device, {.dtype = tensor.dtype(), .shape = shape_of(tensor)},
                          "copy");
}

bool Copier::try_copy(Tensor& target, const Tensor& source) {
    const ScalarKind word = word_kind(target, source);
    const TensorRef from = as_scalars(source, word);
    const TensorRef to = as_scalars(target, word);
    if (!has_storage(m_context.device->info().features, word) || !from || !to) {
        return false;
    }
    const std::string type(slang_name(word));
    ArgumentList arguments;
    add_tensor(arguments, *from, Role::positional);
    add_tensor(arguments, *to, Role::result);
    run({.function = function_of("weft_copy", word, word),
         .source = type + " weft_copy(" + type + " x) { return x; }"},
        arguments);
    return true;
}

bool Copier::try_convert(Tensor& target, const Tensor& source, const device::InterruptPoll& poll) {
    const ScalarKind source_kind = reflect::leaf(*source.dtype()).scalar;
    const ScalarKind target_kind = reflect::leaf(*target.dtype()).scalar;
    Conversion text = conversion(source_kind, target_kind);
    const TensorRef from = as_scalars(source, text.stored_from);
    const TensorRef to = as_scalars(target, text.stored_to);
    if (!is_convertible_on(m_context.device->info(), source_kind, target_kind) || !from || !to) {
        return false;
    }
    Operation operation{.function = function_of(kConvert, text.stored_from, text.stored_to),
                        .source = std::move(text.source)};
    ArgumentList arguments;
    add_tensor(arguments, *from, Role::positional);
    TensorRef flag;
    if (text.is_checked) {
        flag = make_flag(m_context.device);
        operation.function.parameters.push_back(parameter("fault", word_pointer()));
        add_tensor(arguments, *flag, Role::positional);
    }
    add_tensor(arguments, *to, Role::result);
    run(operation, arguments);
    std::uint32_t fault = 0;
    if (flag) {
        m_context.device->download(flag->buffer(), 0, std::as_writable_bytes(std::span(&fault, 1)),
                                   poll);
    }
    return fault == 0;
}

void Copier::copy(Tensor& target, const Tensor& source, const device::InterruptPoll& poll) {
    tensor::require_same_form(target, source);
    if (source.element_count() == 0) {
        return;
    }
    tensor::refuse_repeats("copy", target);
    const bool is_plain = target.is_contiguous() && source.is_contiguous();
    if (may_overlap(target, source)) {
        const TensorRef aside = packed_like(source);
        copy(*aside, source, poll);
        copy(target, *aside, poll);
    } else if (is_plain || !try_copy(target, source)) {
        tensor::copy(target, source, poll);
    }
}

TensorRef Copier::contiguous(const TensorRef& tensor, const device::InterruptPoll& poll) {
    if (tensor->is_contiguous()) {
        return tensor;
    }
    TensorRef result = packed_like(*tensor);
    copy(*result, *tensor, poll);
    return result;
}

TensorRef Copier::reshape(const TensorRef& tensor, std::vector<std::int64_t> shape,
                          const device::InterruptPoll& poll) {
    TensorRef result = tensor::try_reshape(tensor, shape);
    return result ? result : tensor::try_reshape(contiguous(tensor, poll), std::move(shape));
}

TensorRef Copier::with_scalar_kind(const TensorRef& tensor, ScalarKind kind,
                                   const device::InterruptPoll& poll) {
    const reflect::TypeRef dtype = tensor::replace_scalar(tensor->dtype(), kind);
    if (!dtype || tensor->element_count() == 0) {
        return tensor::with_scalar_kind(*tensor, kind, poll);
    }
    TensorRef result =
        Tensor::create(m_context.device, {.dtype = dtype, .shape = shape_of(*tensor)}, "astype");
    if (reflect::leaf(*tensor->dtype()).scalar == kind) {
        copy(*result, *tensor, poll);
        return result;
    }
    // The host finds the element that does not fit, and names it.
    return try_convert(*result, *tensor, poll) ? result
                                               : tensor::with_scalar_kind(*tensor, kind, poll);
}

void Copier::upload(Tensor& target, std::span<const std::byte> host) {
    if (target.is_contiguous()) {
        tensor::upload(target, host);
        return;
    }
    tensor::refuse_repeats("upload", target);
    const TensorRef aside = packed_like(target);
    tensor::upload(*aside, host);
    copy(target, *aside);
}

void Copier::download(const Tensor& source, std::span<std::byte> host,
                      const device::InterruptPoll& poll) {
    const std::uint64_t extent = static_cast<std::uint64_t>(source.layout()->extent_elements) *
                                 source.layout()->element_bytes();
    if (source.is_contiguous() || extent <= kSmallRange) {
        tensor::download(source, host, poll);
        return;
    }
    const TensorRef aside = packed_like(source);
    copy(*aside, source, poll);
    tensor::download(*aside, host, poll);
}

void Copier::fill(Tensor& target, std::span<const std::byte> element) {
    if (target.is_contiguous()) {
        tensor::fill(target, element);
        return;
    }
    tensor::refuse_repeats("fill", target);
    const TensorRef one = Tensor::create(m_context.device, {.dtype = target.dtype()}, "fill");
    tensor::upload(*one, element);
    copy(target, *tensor::broadcast_to(one, shape_of(target)));
}

void Copier::clear(Tensor& target) {
    if (target.is_contiguous()) {
        tensor::clear(target);
        return;
    }
    tensor::refuse_repeats("clear", target);
    const TensorRef one = Tensor::create(m_context.device, {.dtype = target.dtype()}, "clear");
    tensor::clear(*one);
    copy(target, *tensor::broadcast_to(one, shape_of(target)));
}

} // namespace weft::dispatch
