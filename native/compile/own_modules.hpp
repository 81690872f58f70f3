// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/slang_api.hpp"
#include "core/file_cache.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace weft::compile {

/// Weft's own modules as Slang IR, from the disk cache and from sessions that parsed them: parsing takes a hundred
/// times as long as loading. Modules are named by their path below the shader folder, without extension:
/// "weft", "weft/bsdf". Not thread-safe.
class OwnModules {
public:
    /// @param environment: of hash_environment().
    OwnModules(const std::filesystem::path& shader_directory, core::FileCache& cache,
               core::Hash128 environment);

    /// The IR of a module, null if it is not known.
    [[nodiscard]] const std::string* find(std::string_view name);
    /// Keeps what `session` had to parse.
    void harvest(slang::ISession& session);

private:
    /// "" if the file is none of Weft's.
    std::string name_of(const char* path) const;

    std::string m_prefix;
    core::FileCache& m_cache;
    core::Hash128 m_environment;
    std::map<std::string, std::string, std::less<>> m_modules; ///< "": was looked for in vain
};

/// How the names begin by which sessions know the modules of users.
inline constexpr std::string_view kUserModule = "weft_user_";

/// The kind of the cache entries that hold Weft's own modules.
inline constexpr std::string_view kBinaryEntry = "ir";
/// The key of module `name` there.
[[nodiscard]] core::Hash128 binary_key(core::Hash128 environment, std::string_view name);

} // namespace weft::compile
