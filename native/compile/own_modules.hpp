// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/slang_api.hpp"
#include "core/file_cache.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace weft::compile {

/// Weft's own modules as Slang IR, from the disk cache, from what Weft ships, and from sessions that parsed them:
/// parsing takes a hundred times as long as loading. Modules are named by their path below the shader folder, without extension:
/// "weft", "weft/bsdf". Not thread-safe.
class OwnModules {
public:
    struct Desc {
        std::filesystem::path shader_directory;
        core::Hash128 environment; ///< of hash_environment()
        /// Of hash_contents(): the IR in the folder beside the shaders was made of these shaders by this compiler.
        core::Hash128 contents;
    };
    /// @param cache: must outlive the object.
    OwnModules(const Desc& desc, core::FileCache& cache);

    /// The IR of a module, null if it is not known.
    [[nodiscard]] const std::string* find(std::string_view name);
    /// Keeps what `session` had to parse.
    void harvest(slang::ISession& session);

private:
    /// "" if the file is none of Weft's.
    std::string name_of(const char* path) const;

    std::string m_prefix;
    core::FileCache& m_cache;
    core::FileCache m_shipped;
    core::Hash128 m_environment;
    core::Hash128 m_contents;
    std::map<std::string, std::string, std::less<>> m_modules; ///< "": was looked for in vain
};

/// How the names begin by which sessions know the modules of users.
inline constexpr std::string_view kUserModule = "weft_user_";

/// The kind of the cache entries that hold Weft's own modules.
inline constexpr std::string_view kBinaryEntry = "ir";
/// The kind of the empty cache entry, with binary_key() of "weft", that says that the folder has served this compiler.
inline constexpr std::string_view kServedEntry = "served";
/// The folder of the IR that Weft ships lies beside that of the shaders, and is laid out like a cache.
[[nodiscard]] std::filesystem::path
shipped_directory(const std::filesystem::path& shader_directory);
/// The key of module `name` there.
[[nodiscard]] core::Hash128 binary_key(core::Hash128 environment, std::string_view name);

} // namespace weft::compile
