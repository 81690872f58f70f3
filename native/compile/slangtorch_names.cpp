// SPDX-License-Identifier: Apache-2.0
#include "compile/slangtorch_names.hpp"

#include "compile/host_dispatches.hpp"
#include "compile/source_text.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace weft::compile {

namespace {

struct Renamed {
    std::string_view name; ///< SlangTorch's
    std::string_view own;  ///< as long
};

constexpr std::array kAttributes{
    Renamed{"CudaKernel", "weftKernel"},
    Renamed{"CUDAKernel", "weftKernel"},
    Renamed{"AutoPyBindCUDA", "weft_auto_bind"},
    Renamed{"CudaDeviceExport", "weftDeviceExport"},
    Renamed{"CUDADeviceExport", "weftDeviceExport"},
    Renamed{"PyExport", "weftName"},
    Renamed{"TorchEntryPoint", "weft_entrypoint"},
};

constexpr std::array kFunctions{
    Renamed{"cudaThreadIdx", "weftThreadIdx"},
    Renamed{"cudaBlockIdx", "weftBlockIdx"},
    Renamed{"cudaBlockDim", "weftBlockDim"},
    Renamed{"syncTorchCudaStream", "weftSyncTorchStream"},
};

constexpr std::array<std::string_view, 3> kTypes{"TensorView", "DiffTensorView", "TorchTensor"};

using core::find_word;
using core::has_word;

bool defines(std::string_view code, std::string_view name) {
    for (std::size_t at = find_word(code, name); at != std::string_view::npos;
         at = find_word(code, name, at + 1)) {
        const std::size_t before = code.find_last_not_of(" \t\r\n", at == 0 ? 0 : at - 1);
        const std::string_view head = code.substr(0, before + 1);
        if (head.ends_with("struct") || head.ends_with("typealias")) {
            return true;
        }
    }
    return false;
}

void rename(std::string& text, const std::string& code, const Renamed& renamed) {
    for (std::size_t at = find_word(code, renamed.name); at != std::string::npos;
         at = find_word(code, renamed.name, at + 1)) {
        text.replace(at, renamed.own.size(), renamed.own);
    }
}

} // namespace

bool needs_slangtorch(std::string_view source) {
    // Most sources have none of the letters: no need to blank their comments.
    if (source.find("TensorView") == std::string_view::npos &&
        source.find("Torch") == std::string_view::npos &&
        source.find("uda") == std::string_view::npos &&
        source.find("CUDA") == std::string_view::npos) {
        return false;
    }
    const std::string code = blank_comments(source);
    const auto is_named = [&code](const Renamed& renamed) { return has_word(code, renamed.name); };
    const auto is_used = [&code](std::string_view type) { return has_word(code, type); };
    return (std::ranges::any_of(kAttributes, is_named) ||
            std::ranges::any_of(kFunctions, is_named) || std::ranges::any_of(kTypes, is_used)) &&
           !defines(code, kTypes[0]);
}

std::string rename_slangtorch(std::string_view source) {
    std::string text(source);
    const std::string code = blank_comments(source);
    for (const Renamed& renamed : kAttributes) {
        rename(text, code, renamed);
    }
    for (const Renamed& renamed : kFunctions) {
        rename(text, code, renamed);
    }
    return record_dispatches(text);
}

std::string_view slangtorch_attribute(std::string_view name) {
    const auto found = std::ranges::find(kAttributes, name, &Renamed::own);
    return found == kAttributes.end() ? name : found->name;
}

} // namespace weft::compile
