// SPDX-License-Identifier: Apache-2.0
// What Slang reads: the user's files (from disk, or from the text kept with a loaded module) and Weft's
// own modules.
#pragma once

#include "compile/compiler.hpp"
#include "compile/own_modules.hpp"
#include "compile/reverse_problems.hpp"

#include <map>
#include <optional>
#include <set>

namespace weft::compile {

/// No source file may be larger, bytes.
inline constexpr std::uint64_t kMaxSourceBytes = std::uint64_t{16} << 20;

/// Reads a module's own file. @throws ArgumentError: the path is not UTF-8, the file is absent, a
/// directory, unreadable, over 16 MB or not UTF-8 text.
[[nodiscard]] std::string read_source(const std::string& path);
/// @throws ArgumentError if `source` (called `name` in the message) is over 16 MB or not UTF-8.
void check_source(const std::string& source, const std::string& name);

/// Makes module weft, and weft_diff if a type of it is named, visible in `source` and in what imports it, and
/// what `source` imports visible in what imports it. No line moves.
/// @param repairs: whether the text is changed where reverse mode would be wrong (reverse_mode.hpp).
[[nodiscard]] std::string with_implicit_import(std::string_view source, bool repairs = true);

/// Slang's view of the file system during one session. Must outlive the session.
class SourceFiles final : public ISlangFileSystemExt {
public:
    struct Desc {
        std::filesystem::path shader_directory; ///< read as they are, never listed in files()
        OwnModules* binaries = nullptr;         ///< offered instead of the sources there
        /// User files by path. Without it user files come from disk; with it only these exist.
        std::optional<std::vector<Dependency>> snapshot;
        bool repairs = true; ///< see with_implicit_import
    };
    explicit SourceFiles(Desc desc);

    /// Registers a module's own text, which Slang does not read through this object. It counts as a
    /// file if `path` is absolute.
    void add_module_text(const std::string& path, const std::string& text);
    /// The user's text of that name as written, null if there is none.
    [[nodiscard]] const std::string* try_user_text(const std::string& path) const;

    /// The cbuffer of the user's that declares `name`; "" if none does.
    [[nodiscard]] std::string constant_block_of(std::string_view name) const;

    /// User files that were read so far, in the order of reading.
    const std::vector<Dependency>& files() const noexcept { return m_files; }
    /// User paths that were looked for and not found; a file that appears there changes the module.
    std::vector<std::string> absent_files() const { return {m_absent.begin(), m_absent.end()}; }
    /// find_reverse_problems() of what was read so far.
    [[nodiscard]] std::map<std::string, std::string, std::less<>> reverse_problems() const;
    /// find_memory_problems() of what was read so far.
    [[nodiscard]] std::map<std::string, std::string, std::less<>> memory_problems() const;
    /// find_forward_problems() of what was read so far.
    [[nodiscard]] std::map<std::string, std::string, std::less<>> forward_problems() const;
    /// Why a user file that exists could not be taken (too large, not UTF-8); "" if all went well.
    const std::string& problem() const noexcept { return m_problem; }

    SLANG_NO_THROW SlangResult SLANG_MCALL queryInterface(SlangUUID const& id,
                                                          void** object) override;
    SLANG_NO_THROW uint32_t SLANG_MCALL addRef() override { return 1; }
    SLANG_NO_THROW uint32_t SLANG_MCALL release() override { return 1; }
    SLANG_NO_THROW void* SLANG_MCALL castAs(const SlangUUID& id) override;
    SLANG_NO_THROW SlangResult SLANG_MCALL loadFile(char const* path, ISlangBlob** blob) override;
    SLANG_NO_THROW SlangResult SLANG_MCALL getFileUniqueIdentity(const char* path,
                                                                 ISlangBlob** identity) override;
    SLANG_NO_THROW SlangResult SLANG_MCALL calcCombinedPath(SlangPathType from_type,
                                                            const char* from, const char* path,
                                                            ISlangBlob** combined) override;
    SLANG_NO_THROW SlangResult SLANG_MCALL getPathType(const char* path,
                                                       SlangPathType* type) override;
    SLANG_NO_THROW SlangResult SLANG_MCALL getPath(PathKind kind, const char* path,
                                                   ISlangBlob** result) override;
    SLANG_NO_THROW void SLANG_MCALL clearCache() override {}
    SLANG_NO_THROW SlangResult SLANG_MCALL enumeratePathContents(const char*,
                                                                 FileSystemContentsCallBack,
                                                                 void*) override {
        return SLANG_E_NOT_IMPLEMENTED;
    }
    SLANG_NO_THROW OSPathKind SLANG_MCALL getOSPathKind() override { return OSPathKind::None; }

private:
    /// The text of a file, nullopt if there is none; remembers user files and absences.
    std::optional<std::string> try_read(const std::string& path);
    std::optional<std::string> try_read_user_file(const std::string& path);
    std::optional<std::string> try_read_binary(const std::string& path);
    bool is_own_module(const std::string& path) const;
    std::vector<UserText> user_texts() const;

    Desc m_desc;
    std::string m_shader_prefix;
    std::map<std::string, std::string, std::less<>> m_texts; ///< everything read, by path
    std::vector<Dependency> m_files;
    std::map<std::string, std::string, std::less<>> m_unnamed; ///< texts of modules without a file
    std::set<std::string> m_absent;
    std::set<std::string>
        m_imported; ///< paths that an `import` (rather than an `#include`) asked for
    std::string m_problem;
};

} // namespace weft::compile
