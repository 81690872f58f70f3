// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/kernel_compiler.hpp"

#include "core/file.hpp"
#include "core/process.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <utility>

namespace weft::device::cuda {
namespace {

/// Counts up when the options or the meaning of a cached image change.
constexpr int kCacheVersion = 1;

/// Of the machine code that Weft ships: A100, H100 and H200. Others compile PTX, in their driver.
constexpr std::array kShippedArchitectures{80, 90};
/// The oldest GPU that the shipped PTX is for.
constexpr int kOldestShipped = 75;

/// Types that Slang's prelude declares only where a macro asks for them, and the header that defines them.
struct OptionalType {
    const char* token;
    const char* define;
    const char* header;
};
constexpr std::array kOptionalTypes{
    OptionalType{"__half", "-DSLANG_CUDA_ENABLE_HALF=1", "cuda_fp16.h"},
    OptionalType{"__nv_bfloat16", "-DSLANG_CUDA_ENABLE_BF16=1", "cuda_bf16.h"},
    OptionalType{"__nv_fp8", "-DSLANG_CUDA_ENABLE_FP8=1", "cuda_fp8.h"},
};

/// Functions that Slang 2026.12 calls for sign() of integers, and its prelude does not have.
constexpr std::array kMissingFunctions{
    std::pair{"I8_sign", "-DI8_sign(x)=(((x)>0)-((x)<0))"},
    std::pair{"I16_sign", "-DI16_sign(x)=(((x)>0)-((x)<0))"},
    std::pair{"I32_sign", "-DI32_sign(x)=(((x)>0)-((x)<0))"},
    std::pair{"I64_sign", "-DI64_sign(x)=(((x)>0)-((x)<0))"},
};

/// What Slang printed for the kernel itself: the text behind the prelude's closing #endif. The prelude names all
/// optional types, so only this part tells which ones are used.
std::string_view without_prelude(std::string_view source) noexcept {
    const std::size_t end = source.rfind("\n#endif");
    return end == std::string_view::npos ? source : source.substr(end);
}

core::DeviceError missing_header(const OptionalType& type, const std::string& label) {
    return core::DeviceError(
        core::text("create_kernel: '", label, "' uses the type ", type.token,
                   ", which needs the CUDA header ", type.header,
                   ", and it was not found; run 'pip install nvidia-cuda-runtime', or set "
                   "CUDA_HOME to a CUDA toolkit"),
        core::DeviceError::Kind::unavailable);
}

std::vector<std::string> options_of(const std::string& source, const CudaSearch& search,
                                    const std::string& label) {
    const std::string_view body = without_prelude(source);
    std::vector<std::string> options;
    std::filesystem::path include;
    for (const OptionalType& type : kOptionalTypes) {
        if (body.find(type.token) == std::string_view::npos) {
            continue;
        }
        include = find_header_directory(search, type.header);
        if (include.empty()) {
            throw missing_header(type, label);
        }
        options.emplace_back(type.define);
    }
    if (!include.empty()) {
        options.push_back("--include-path=" + core::utf8_path(include));
    }
    for (const auto& [token, define] : kMissingFunctions) {
        if (body.find(token) != std::string_view::npos) {
            options.emplace_back(define);
        }
    }
    return options;
}

/// The names that options define: "SLANG_CUDA_ENABLE_HALF".
Names defines_of(const std::vector<std::string>& options) {
    Names names;
    for (const std::string& option : options) {
        if (option.starts_with("-D")) {
            names.insert(option.substr(2, option.find_first_of("=(") - 2));
        }
    }
    return names;
}

/// "file.slang(12): error: text" as data; nullopt for any other line.
std::optional<core::Diagnostic> parse_line(std::string_view line) {
    const std::size_t marker = line.find("): ");
    const std::size_t open = line.rfind('(', marker);
    if (marker == std::string_view::npos || open == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view rest = line.substr(marker + 3);
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos ||
        rest.substr(0, colon).find("error") == std::string_view::npos) {
        return std::nullopt;
    }
    core::Diagnostic diagnostic{.severity = "error",
                                .file = std::string(line.substr(0, open)),
                                .message = std::string(rest.substr(colon + 2))};
    std::from_chars(line.data() + open + 1, line.data() + marker, diagnostic.line);
    return diagnostic;
}

core::CompileError rejected(const std::string& log, const std::string& label) {
    std::vector<core::Diagnostic> diagnostics;
    for (std::size_t start = 0; start < log.size();) {
        const std::size_t end = std::min(log.find('\n', start), log.size());
        if (auto diagnostic = parse_line(std::string_view(log).substr(start, end - start))) {
            diagnostics.push_back(std::move(*diagnostic));
        }
        start = end + 1;
    }
    return core::CompileError(
        core::text("create_kernel: NVRTC rejected the CUDA source of '", label,
                   "'; check what the function takes from CUDA itself (__intrinsic_asm, "
                   "__requirePrelude):\n",
                   log),
        std::move(diagnostics));
}

} // namespace

KernelCompiler::KernelCompiler(Desc desc)
    : m_desc(std::move(desc)), m_cache({.directory = m_desc.cache_directory}),
      m_options(core::environment_variable("WEFT_NVRTC_OPTIONS").value_or("")) {}

const std::optional<NvrtcLocation>& KernelCompiler::location() {
    const std::lock_guard lock(m_mutex);
    if (!m_location) {
        m_location = find_nvrtc(m_desc.search);
    }
    return *m_location;
}

const Nvrtc& KernelCompiler::nvrtc() {
    const std::optional<NvrtcLocation>& found = location();
    if (!found) {
        throw core::DeviceError(
            core::text("create_kernel: expected ",
                       core::join(nvrtc_names(m_desc.search.driver_version), " or "),
                       " where WEFT_NVRTC points, found none; unset WEFT_NVRTC, or set it to the "
                       "library's path"),
            core::DeviceError::Kind::unavailable);
    }
    const std::lock_guard lock(m_mutex);
    if (!m_nvrtc) {
        m_nvrtc = std::make_unique<const Nvrtc>(*found);
    }
    return *m_nvrtc;
}

KernelCompiler::Target KernelCompiler::choose_target(const Nvrtc& nvrtc) const {
    const int wanted = m_desc.architecture.number();
    int best = 0;
    for (const int number : nvrtc.architectures()) {
        best = number <= wanted ? std::max(best, number) : best;
    }
    if (best == wanted) {
        return {.option = core::text("--gpu-architecture=sm_", wanted), .image = ImageKind::cubin};
    }
    if (best == 0) {
        throw core::DeviceError(
            core::text("create_kernel: NVRTC ", nvrtc.version(), " no longer compiles for sm_",
                       wanted, "; install an older one: 'pip install nvidia-cuda-nvrtc-cu12'"),
            core::DeviceError::Kind::unavailable);
    }
    // A GPU newer than this NVRTC: the driver translates the portable code.
    return {.option = core::text("--gpu-architecture=compute_", best), .image = ImageKind::ptx};
}

core::Hash128 KernelCompiler::key_of(std::string_view source, bool fast_math) {
    const std::optional<NvrtcLocation>& found = location();
    return core::Hasher()
        .add(kCacheVersion)
        .add(m_desc.architecture.number())
        .add(m_desc.is_debug)
        .add(found ? std::string_view(found->identity) : std::string_view())
        .add(m_options)
        .add(fast_math)
        .add(source)
        .finish();
}

std::vector<std::byte> KernelCompiler::build(const std::string& source, const KernelDesc& desc,
                                             const Target& target) {
    const Nvrtc& compiler = nvrtc();
    NvrtcRequest request{.source = source,
                         .options = {target.option, "--std=c++17",
                                     "--device-as-default-execution-space", "--disable-warnings"},
                         .image = target.image};
    if (m_desc.is_debug) {
        request.options.emplace_back("--generate-line-info");
    }
    if (desc.fast_math) {
        request.options.emplace_back("--use_fast_math");
    }
    for (std::string& option : options_of(source, m_desc.search, desc.label)) {
        request.options.push_back(std::move(option));
    }
    std::istringstream words(m_options);
    for (std::string word; words >> word;) {
        request.options.push_back(word);
    }
    NvrtcResult result;
    if (m_options.empty()) {
        request.source = m_cutter.cut(source, defines_of(request.options));
        result = compiler.compile(request);
        request.source = source;
    }
    if (result.image.empty()) { // also for the messages: their lines are those of the whole source
        result = compiler.compile(request);
    }
    if (result.image.empty()) {
        throw rejected(result.log, desc.label);
    }
    return std::move(result.image);
}

KernelCompiler::Image KernelCompiler::compile(const KernelDesc& desc) {
    const core::SplitImages split = core::split_images(desc.code);
    const std::string source(reinterpret_cast<const char*>(split.source.data()),
                             split.source.size());
    Image image;
    image.key = key_of(source, desc.fast_math);
    if (auto cached = m_cache.try_load(kCacheKind, image.key)) {
        image.bytes = std::move(*cached);
        image.is_cached = true;
        return image;
    }
    // What is shipped knows no options of the user's, and no lines.
    const bool is_plain = !m_desc.is_debug && !desc.fast_math && m_options.empty();
    const core::KernelImage* const shipped =
        is_plain && !m_refuses_shipped ? split.find(m_desc.architecture.number()) : nullptr;
    if (shipped != nullptr) {
        image.bytes = shipped->bytes;
        image.is_cached = image.is_shipped = true;
        return image;
    }
    image.bytes = build(source, desc, choose_target(nvrtc()));
    m_cache.store(kCacheKind, image.key, image.bytes);
    return image;
}

void KernelCompiler::forget(const Image& image) noexcept {
    if (image.is_shipped) {
        m_refuses_shipped = true;
    } else {
        m_cache.remove(kCacheKind, image.key);
    }
}

std::vector<core::KernelImage> KernelCompiler::compile_all(const KernelDesc& desc) {
    const std::string source(reinterpret_cast<const char*>(desc.code.data()), desc.code.size());
    const Target portable{.option = core::text("--gpu-architecture=compute_", kOldestShipped),
                          .image = ImageKind::ptx};
    std::vector<core::KernelImage> images{
        {.architecture = kOldestShipped, .is_ptx = true, .bytes = build(source, desc, portable)}};
    for (const int number : kShippedArchitectures) {
        const Target own{.option = core::text("--gpu-architecture=sm_", number),
                         .image = ImageKind::cubin};
        images.push_back({.architecture = number, .bytes = build(source, desc, own)});
    }
    return images;
}

} // namespace weft::device::cuda
