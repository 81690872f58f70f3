// SPDX-License-Identifier: Apache-2.0
#include "dispatch/unbound_resources.hpp"

#include "compile/diagnostics.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weft::dispatch {

using core::text;

std::string_view resource_remedy(std::string_view type) noexcept {
    constexpr std::pair<std::string_view, std::string_view> kRemedies[] = {
        {"AppendStructuredBuffer",
         "take an RWStructuredBuffer and one for its counter, and count with InterlockedAdd"},
        {"ConsumeStructuredBuffer",
         "take an RWStructuredBuffer and one for its counter, and count with InterlockedAdd"},
        {"StructuredBuffer", "take a StructuredBuffer or an RWStructuredBuffer"},
        {"ByteAddressBuffer", "take a ByteAddressBuffer or an RWByteAddressBuffer"},
        {"AccelerationStructure", "trace rays with weft.Renderer or module trace"},
        {"ConstantBuffer", "make it a uniform or a parameter of the function"},
    };
    for (const auto& [part, remedy] : kRemedies) {
        if (type.find(part) != std::string_view::npos) {
            return remedy;
        }
    }
    return "take a Tensor, which has sample(), or a buffer";
}

namespace {

// Slang's numbers of messages about code that a target, or compute kernels, do not have.
constexpr std::int32_t kNotInThisStage = 36107;
constexpr std::int32_t kAborted = 99997;
constexpr std::int32_t kInternal = 99999;

constexpr std::size_t kMaxNames = 64;
constexpr std::string_view kHandle = "DescriptorHandle<"; // where Slang's generator gives up

bool is_resource(const reflect::Type& type) {
    return type.kind == reflect::TypeKind::resource || type.kind == reflect::TypeKind::other ||
           type.name == "TensorView" || type.name == "DiffTensorView" ||
           type.name == "TorchTensor" || type.full_name.starts_with(kHandle);
}

std::string list_of(const std::vector<compile::UnboundResource>& resources) {
    std::string list;
    for (const compile::UnboundResource& resource :
         std::span(resources).first(std::min(resources.size(), kMaxNames))) {
        list += text(list.empty() ? "" : ", ",
                     resource.name.empty() ? "a resource" : text("'", resource.name, "'"),
                     resource.type.empty() ? "" : text(" (", resource.type, ")"));
    }
    const std::size_t rest = resources.size() - std::min(resources.size(), kMaxNames);
    return rest == 0 ? list : text(list, " and ", rest, " more");
}

constexpr const char* kWhatCanBeSet =
    ", which Weft cannot bind: only uniforms, pointers, tensors and buffers can be set; ";

} // namespace

void require_bindable(const compile::KernelCode& code, std::string_view function) {
    if (!code.unbound.empty()) {
        throw core::ArgumentError(text(function, ": it uses ", list_of(code.unbound), kWhatCanBeSet,
                                       resource_remedy(code.unbound.front().type)));
    }
}

void require_no_resources(const compile::LoadedModule& module, const core::CompileError& error,
                          std::string_view function) {
    const auto first = std::ranges::find_if(error.diagnostics(), compile::is_error);
    const bool may_be_resource =
        first != error.diagnostics().end() &&
        (first->code == kNotInThisStage || first->code == kAborted || first->code == kInternal);
    std::vector<compile::UnboundResource> resources;
    for (const reflect::GlobalParameter& global : module.reflection.globals) {
        if (is_resource(reflect::leaf(*global.type))) {
            resources.push_back({global.name, global.type->full_name});
        }
    }
    std::ranges::stable_partition(resources, [](const compile::UnboundResource& resource) {
        return resource.type.starts_with(kHandle);
    });
    if (may_be_resource && !resources.empty()) {
        throw core::ArgumentError(text(function, ": Slang cannot compile it for this device (",
                                       first->message, "), and its module declares ",
                                       list_of(resources), kWhatCanBeSet,
                                       resource_remedy(resources.front().type)));
    }
}

} // namespace weft::dispatch
