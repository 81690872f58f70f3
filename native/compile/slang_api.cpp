// SPDX-License-Identifier: Apache-2.0
#include "compile/slang_api.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

namespace weft::compile {

namespace fs = std::filesystem;

namespace {

/// The first file (by name) in `directory` whose name starts with one of `stems` and is a library.
fs::path find_library(const fs::path& directory, std::span<const std::string_view> stems) {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
        const std::string name = entry.path().filename().string();
        const bool is_library = name.find(".so") != std::string::npos || name.ends_with(".dll") ||
                                name.ends_with(".dylib");
        const bool is_wanted =
            std::any_of(stems.begin(), stems.end(), [&name](std::string_view stem) {
                return name.starts_with(stem) &&
                       name.find_first_of(".-", stem.size()) == stem.size();
            });
        if (is_library && is_wanted) {
            found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end());
    return found.empty() ? fs::path() : found.front();
}

fs::path find_glslang(const fs::path& directory) {
    constexpr std::array<std::string_view, 2> kStems{"libslang-glslang", "slang-glslang"};
    return find_library(directory, kStems);
}

[[noreturn]] void throw_missing(const fs::path& directory, std::string_view what) {
    throw core::DeviceError(
        core::text("the Slang compiler is incomplete: the folder '", core::utf8_path(directory),
                   "' holds no ", what,
                   "; reinstall Weft or set WEFT_SLANG_DIR to a Slang SDK folder"),
        core::DeviceError::Kind::unavailable);
}

bool equal(const SlangUUID& a, const SlangUUID& b) noexcept {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

class TextBlob final : public ISlangBlob {
public:
    explicit TextBlob(std::string_view text) : m_text(text) {}
    virtual ~TextBlob() = default;

    SLANG_NO_THROW SlangResult SLANG_MCALL queryInterface(SlangUUID const& id,
                                                          void** object) override {
        if (!equal(id, ISlangUnknown::getTypeGuid()) && !equal(id, ISlangBlob::getTypeGuid())) {
            *object = nullptr;
            return SLANG_E_NO_INTERFACE;
        }
        addRef();
        *object = static_cast<ISlangBlob*>(this);
        return SLANG_OK;
    }
    SLANG_NO_THROW uint32_t SLANG_MCALL addRef() override { return ++m_references; }
    SLANG_NO_THROW uint32_t SLANG_MCALL release() override {
        const uint32_t left = --m_references;
        if (left == 0) {
            delete this;
        }
        return left;
    }
    SLANG_NO_THROW void const* SLANG_MCALL getBufferPointer() override { return m_text.c_str(); }
    SLANG_NO_THROW size_t SLANG_MCALL getBufferSize() override { return m_text.size(); }

private:
    std::string m_text;
    std::atomic<uint32_t> m_references{1};
};

template <typename Function>
void resolve(const core::SharedLibrary& library, Function*& target, const char* name) {
    target = library.try_function<Function>(name);
    if (target == nullptr) {
        throw core::DeviceError(
            core::text("the Slang library lacks the function '", name,
                       "': its version does not fit; use Slang 2026.12 or later"),
            core::DeviceError::Kind::unavailable);
    }
}

} // namespace

std::string_view blob_text(slang::IBlob* blob) noexcept {
    if (blob == nullptr) {
        return {};
    }
    return {static_cast<const char*>(blob->getBufferPointer()), blob->getBufferSize()};
}

SlangRef<slang::IBlob> make_blob(std::string_view text) {
    return SlangRef<slang::IBlob>(new TextBlob(text));
}

fs::path find_slang_library(const fs::path& directory) {
    constexpr std::array<std::string_view, 4> kStems{"libslang-compiler", "slang-compiler",
                                                     "libslang", "slang"};
    for (const std::string_view& stem : kStems) {
        const fs::path found = find_library(directory, std::span(&stem, 1));
        // "slang-glslang.dll" also starts with "slang-".
        if (!found.empty() && found.filename().string().find("glslang") == std::string::npos) {
            return found;
        }
    }
    return {};
}

SlangLibrary::SlangLibrary(const fs::path& directory) {
    const fs::path compiler = find_slang_library(directory);
    const fs::path glslang = find_glslang(directory);
    if (compiler.empty()) {
        throw_missing(directory, "libslang-compiler");
    }
    if (glslang.empty()) {
        throw_missing(directory, "libslang-glslang (the optimizer for SPIR-V)");
    }
    // Slang opens glslang by its bare name later and gets the copy that is loaded already.
    m_glslang = core::SharedLibrary::load(glslang);
    m_compiler = core::SharedLibrary::load(compiler);
#define WEFT_SLANG_RESOLVE(member, symbol) resolve(m_compiler, m_functions.member, #symbol);
    WEFT_SLANG_FUNCTIONS(WEFT_SLANG_RESOLVE)
#undef WEFT_SLANG_RESOLVE
    m_glslang.leak();
    m_compiler.leak();
}

} // namespace weft::compile
