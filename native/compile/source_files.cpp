// SPDX-License-Identifier: Apache-2.0
#include "compile/source_files.hpp"

#include "compile/constant_blocks.hpp"
#include "compile/entry_points.hpp"
#include "compile/exported_imports.hpp"
#include "compile/parameter_gradients.hpp"
#include "compile/plain_memory.hpp"
#include "compile/reverse_mode.hpp"
#include "compile/slangtorch_names.hpp"
#include "compile/tensor_generics.hpp"
#include "core/byte_order_mark.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace weft::compile {

namespace fs = std::filesystem;
using core::ArgumentError;
using core::text;

namespace {

/// What the names of the types of module weft_diff have in common.
constexpr std::array<std::string_view, 4> kGradientTypes{"DiffTensor", "PrimalTensor",
                                                         "AtomicTensor", "IAtomicAddable"};

constexpr std::string_view kBinarySuffix = "-module"; // foo.slang-module

bool equal(const SlangUUID& a, const SlangUUID& b) noexcept {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

std::string normal_path(const std::string& path) {
    return core::utf8_path(core::path_from_utf8(path).lexically_normal());
}

std::string to_text(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

SlangResult hand_over(std::string_view content, ISlangBlob** blob) {
    SlangRef<slang::IBlob> owned = make_blob(content);
    *blob = owned.release();
    return SLANG_OK;
}

[[noreturn]] void throw_unreadable(const fs::path& path, const std::string& name) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        throw ArgumentError(text("load_module: '", name,
                                 "' is a directory, expected a .slang file; name the "
                                 "file inside it"));
    }
    if (!fs::exists(path, error)) {
        throw ArgumentError(text("load_module: there is no file '", name,
                                 "'; check the path, or pass the "
                                 "source text itself"),
                            ArgumentError::Kind::not_found);
    }
    if (fs::file_size(path, error) > kMaxSourceBytes && !error) {
        throw ArgumentError(text("load_module: '", name,
                                 "' is larger than 16 MB, which no Slang source needs; "
                                 "is it the right file?"));
    }
    throw ArgumentError(text("load_module: '", name, "' cannot be read; check its permissions"));
}

} // namespace

std::string with_implicit_import(std::string_view source, bool repairs) {
    // Exported, so that a kernel that imports the module sees Weft's types too. Tensors with gradients take
    // long to load, so only sources that name one get them.
    const bool has_gradients = std::ranges::any_of(kGradientTypes, [&](std::string_view name) {
        return source.find(name) != std::string_view::npos;
    });
    const bool is_slangtorch = needs_slangtorch(source);
    const std::string opened =
        open_constant_blocks(is_slangtorch ? rename_slangtorch(source) : std::string(source));
    const std::string repaired = repairs ? repair_reverse_mode(opened).text : opened;
    const std::string renamed = keep_parameter_gradients(rename_entry_point_attributes(repaired));
    const std::string passed_on = exported_imports(source);
    // #line gives the user's text its own line numbers back, in diagnostics and in reflection.
    return text("__exported import weft;", has_gradients ? " __exported import weft_diff;" : "",
                is_slangtorch ? " __exported import slangtorch;" : "", "\n#line 1\n",
                has_gradients ? make_tensor_parameters_generic(renamed) : renamed,
                source.ends_with('\n') ? "" : "\n", passed_on, passed_on.empty() ? "" : "\n");
}

void check_source(const std::string& source, const std::string& name) {
    if (source.size() > kMaxSourceBytes) {
        throw ArgumentError(
            text("load_module: the source of '", name, "' is ", source.size(),
                 " bytes, larger than 16 MB, which no Slang source needs; is it the right "
                 "text?"));
    }
    const std::size_t bad = core::find_invalid_utf8(source);
    const std::size_t zero = source.find('\0');
    if (zero < bad) {
        throw ArgumentError(text("load_module: '", name, "' has a NUL at byte ", zero,
                                 "; expected Slang source, which is text without zeros"));
    }
    if (bad != std::string::npos) {
        throw ArgumentError(text("load_module: '", name, "' is not UTF-8 text (byte ", bad,
                                 "); expected Slang source, save the file as UTF-8"));
    }
}

std::string read_source(const std::string& path) {
    if (core::find_invalid_utf8(path) != std::string::npos ||
        path.find('\0') != std::string::npos) {
        throw ArgumentError(
            "load_module: the path of the module is not valid UTF-8; rename the file");
    }
    const fs::path file = core::path_from_utf8(path);
    const auto bytes = core::try_read_file(file, kMaxSourceBytes);
    if (!bytes) {
        throw_unreadable(file, path);
    }
    std::string source = to_text(*bytes);
    core::remove_byte_order_mark(source);
    check_source(source, path);
    return source;
}

SourceFiles::SourceFiles(Desc desc)
    : m_desc(std::move(desc)),
      m_shader_prefix(core::utf8_path(m_desc.shader_directory.lexically_normal())) {
    if (!m_shader_prefix.ends_with('/')) {
        m_shader_prefix += '/';
    }
}

SlangResult SourceFiles::queryInterface(SlangUUID const& id, void** object) {
    *object = castAs(id);
    return *object != nullptr ? SLANG_OK : SLANG_E_NO_INTERFACE;
}

void* SourceFiles::castAs(const SlangUUID& id) {
    const bool is_known =
        equal(id, ISlangUnknown::getTypeGuid()) || equal(id, ISlangCastable::getTypeGuid()) ||
        equal(id, ISlangFileSystem::getTypeGuid()) || equal(id, ISlangFileSystemExt::getTypeGuid());
    return is_known ? static_cast<ISlangFileSystemExt*>(this) : nullptr;
}

void SourceFiles::add_module_text(const std::string& path, const std::string& text) {
    if (core::path_from_utf8(path).is_absolute()) {
        m_files.push_back({path, core::hash_text(text), text});
    } else {
        m_unnamed[path] = text;
    }
}

const std::string* SourceFiles::try_user_text(const std::string& path) const {
    for (const Dependency& file : m_files) {
        if (file.path == path) {
            return &file.text;
        }
    }
    const auto unnamed = m_unnamed.find(path);
    return unnamed != m_unnamed.end() ? &unnamed->second : nullptr;
}

std::vector<UserText> SourceFiles::user_texts() const {
    std::vector<UserText> texts;
    texts.reserve(m_files.size() + m_unnamed.size());
    for (const Dependency& file : m_files) {
        texts.push_back({file.path, file.text});
    }
    for (const auto& [name, source] : m_unnamed) {
        texts.push_back({name, source});
    }
    return texts;
}

std::map<std::string, std::string, std::less<>> SourceFiles::reverse_problems() const {
    return find_reverse_problems(user_texts(), m_desc.repairs);
}

std::map<std::string, std::string, std::less<>> SourceFiles::memory_problems() const {
    return find_memory_problems(user_texts());
}

std::map<std::string, std::string, std::less<>> SourceFiles::forward_problems() const {
    return find_forward_problems(user_texts(), m_desc.repairs);
}

std::string SourceFiles::constant_block_of(std::string_view name) const {
    const auto find = [&](std::string_view text) -> std::string {
        for (const ConstantBlock& block : constant_blocks(text)) {
            if (std::ranges::find(block.members, name) != block.members.end()) {
                return block.name;
            }
        }
        return "";
    };
    std::string found;
    for (auto file = m_files.begin(); found.empty() && file != m_files.end(); ++file) {
        found = find(file->text);
    }
    for (auto text = m_unnamed.begin(); found.empty() && text != m_unnamed.end(); ++text) {
        found = find(text->second);
    }
    return found;
}

bool SourceFiles::is_own_module(const std::string& path) const {
    return path.starts_with(m_shader_prefix);
}

std::optional<std::string> SourceFiles::try_read_user_file(const std::string& path) {
    if (m_desc.snapshot) {
        for (const Dependency& file : *m_desc.snapshot) {
            if (file.path == path) {
                return file.text;
            }
        }
        return std::nullopt;
    }
    const fs::path file = core::path_from_utf8(path);
    std::error_code error;
    if (!file.is_absolute() || !fs::exists(file, error) || fs::is_directory(file, error)) {
        return std::nullopt;
    }
    try {
        return read_source(path);
    } catch (const ArgumentError& refusal) {
        m_problem = m_problem.empty() ? refusal.what() : m_problem;
        return std::nullopt;
    }
}

std::optional<std::string> SourceFiles::try_read_binary(const std::string& path) {
    // For `import foo` Slang asks for a compiled module first. A user's own is never offered (one of
    // another compiler version would end the process), but now the source is known to be an import.
    const std::string source = path.substr(0, path.size() - kBinarySuffix.size());
    m_imported.insert(source);
    if (!is_own_module(path) || m_desc.binaries == nullptr) {
        return std::nullopt;
    }
    const std::string* const binary = m_desc.binaries->find(
        source.substr(m_shader_prefix.size(), source.rfind('.') - m_shader_prefix.size()));
    return binary != nullptr ? std::optional(*binary) : std::nullopt;
}

std::optional<std::string> SourceFiles::try_read(const std::string& path) {
    if (const auto known = m_texts.find(path); known != m_texts.end()) {
        return known->second;
    }
    if (path.ends_with(kBinarySuffix)) {
        return try_read_binary(path);
    }
    if (is_own_module(path)) {
        const auto bytes = core::try_read_file(core::path_from_utf8(path), kMaxSourceBytes);
        return bytes ? std::optional(m_texts[path] = to_text(*bytes)) : std::nullopt;
    }
    std::optional<std::string> source = try_read_user_file(path);
    if (!source) {
        if (core::path_from_utf8(path).is_absolute()) {
            m_absent.insert(path);
        }
        return std::nullopt;
    }
    m_files.push_back({path, core::hash_text(*source), *source});
    if (m_imported.contains(path)) {
        return m_texts[path] = with_implicit_import(*source, m_desc.repairs);
    }
    const std::string opened =
        open_constant_blocks(needs_slangtorch(*source) ? rename_slangtorch(*source) : *source);
    return m_texts[path] =
               keep_parameter_gradients(m_desc.repairs ? repair_reverse_mode(opened).text : opened);
}

SlangResult SourceFiles::loadFile(char const* path, ISlangBlob** blob) {
    try {
        const std::optional<std::string> source = try_read(normal_path(path));
        return source ? hand_over(*source, blob) : SLANG_E_NOT_FOUND;
    } catch (...) {
        return SLANG_FAIL; // Slang is not prepared for exceptions
    }
}

SlangResult SourceFiles::getFileUniqueIdentity(const char* path, ISlangBlob** identity) {
    try {
        const std::string normal = normal_path(path);
        return try_read(normal) ? hand_over(normal, identity) : SLANG_E_NOT_FOUND;
    } catch (...) {
        return SLANG_FAIL;
    }
}

SlangResult SourceFiles::calcCombinedPath(SlangPathType from_type, const char* from,
                                          const char* path, ISlangBlob** combined) {
    try {
        const fs::path relative = core::path_from_utf8(path);
        const fs::path base = core::path_from_utf8(from);
        const fs::path folder = from_type == SLANG_PATH_TYPE_FILE ? base.parent_path() : base;
        return hand_over(core::utf8_path((folder / relative).lexically_normal()), combined);
    } catch (...) {
        return SLANG_FAIL;
    }
}

SlangResult SourceFiles::getPathType(const char* path, SlangPathType* type) {
    try {
        if (!try_read(normal_path(path))) {
            return SLANG_E_NOT_FOUND;
        }
        *type = SLANG_PATH_TYPE_FILE;
        return SLANG_OK;
    } catch (...) {
        return SLANG_FAIL;
    }
}

SlangResult SourceFiles::getPath(PathKind, const char* path, ISlangBlob** result) {
    try {
        return hand_over(normal_path(path), result);
    } catch (...) {
        return SLANG_FAIL;
    }
}

} // namespace weft::compile
