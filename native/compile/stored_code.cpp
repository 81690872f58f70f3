// SPDX-License-Identifier: Apache-2.0
#include "compile/stored_code.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

namespace weft::compile {

using core::Hash128;

namespace {

/// No SPIR-V, and no text that Slang prints, begins so.
constexpr std::string_view kMark = "\1weft prelude\n";
constexpr std::size_t kHeadBytes = kMark.size() + sizeof(Hash128);
/// Less is not worth a second file.
constexpr std::size_t kMinPrelude = 4096;

std::string_view text_of(const std::vector<std::byte>& code) {
    return {reinterpret_cast<const char*>(code.data()), code.size()};
}

/// Where the text of the kernel itself begins: behind the last #endif, which ends Slang's prelude; 0 if there is none.
std::size_t prelude_bytes(const std::vector<std::byte>& code) {
    constexpr std::uint32_t kSpirvMagic = 0x07230203;
    std::uint32_t first = 0;
    if (code.size() >= sizeof first) {
        std::memcpy(&first, code.data(), sizeof first);
    }
    const std::size_t end =
        first == kSpirvMagic ? std::string_view::npos : text_of(code).rfind("\n#endif");
    return end == std::string_view::npos || end < kMinPrelude ? 0 : end;
}

} // namespace

KernelCode to_stored(core::FileCache& cache, KernelCode code) {
    const std::size_t size = prelude_bytes(code.code);
    if (size == 0 || !cache.is_enabled()) {
        return code;
    }
    const std::span<const std::byte> prelude(code.code.data(), size);
    const Hash128 key = core::hash_bytes(prelude);
    if (!cache.try_load(kPreludeEntry, key)) {
        cache.store(kPreludeEntry, key, prelude);
    }
    const auto mark = std::as_bytes(std::span(kMark));
    const auto name = std::as_bytes(std::span(&key, 1));
    std::vector<std::byte> stored(mark.size() + name.size() + code.code.size() - size);
    auto out = std::copy(mark.begin(), mark.end(), stored.begin());
    out = std::copy(name.begin(), name.end(), out);
    std::copy(code.code.begin() + static_cast<std::ptrdiff_t>(size), code.code.end(), out);
    code.code = std::move(stored);
    return code;
}

bool from_stored(core::FileCache& cache, KernelCode& code) {
    if (code.code.size() < kHeadBytes || !text_of(code.code).starts_with(kMark)) {
        return true;
    }
    Hash128 key;
    std::memcpy(&key, code.code.data() + kMark.size(), sizeof key);
    auto whole = cache.try_load(kPreludeEntry, key);
    if (!whole) {
        return false;
    }
    whole->insert(whole->end(), code.code.begin() + kHeadBytes, code.code.end());
    code.code = std::move(*whole);
    return core::hash_bytes(code.code) == code.hash;
}

} // namespace weft::compile
