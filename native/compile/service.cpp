// SPDX-License-Identifier: Apache-2.0
#include "compile/service.hpp"

#include "compile/diagnostics.hpp"
#include "compile/lookup.hpp"
#include "compile/protocol.hpp"
#include "compile/reader.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace weft::compile {

namespace fs = std::filesystem;
using core::text;

namespace {

/// Live sessions hold everything they ever compiled; these bounds keep the process under about 1 GB.
constexpr std::size_t kMaxSessions = 8;
constexpr int kMaxKernelsPerSession = 64;

/// What calls of any kind, their gradients, programs of SlangTorch, and the kernels of scenes import; others are rare, or
/// small.
constexpr std::array<std::string_view, 6> kShipped{
    "weft", "weft_diff", "weft_storage", "compat/slangtorch", "weft/bsdf", "weft/render"};

/// What hash_libraries() found, by where the libraries lie.
constexpr std::string_view kLibrariesEntry = "libraries";
constexpr std::uint64_t kMaxLibraryBytes = std::uint64_t{1} << 30;

constexpr std::int32_t kOldestYear = 2026;
constexpr std::int32_t kOldestRelease = 12;

/// "2026.12", "v2026.12.1-3-g0123abc" -> {2026, 12}; {0, 0} for builds without a version.
std::pair<std::int32_t, std::int32_t> parse_version(std::string_view tag) {
    std::pair<std::int32_t, std::int32_t> version{0, 0};
    const std::string digits(tag.substr(tag.starts_with('v') ? 1 : 0));
    if (std::sscanf(digits.c_str(), "%d.%d", &version.first, &version.second) != 2) {
        return {0, 0};
    }
    return version;
}

SlangRef<slang::IGlobalSession> create_global_session(const SlangLibrary& library,
                                                      const fs::path& directory) {
    SlangGlobalSessionDesc desc;
    SlangRef<slang::IGlobalSession> global;
    if (SLANG_FAILED(library.functions().create_global_session(&desc, global.out()))) {
        throw core::DeviceError(
            "the Slang compiler could not start (slang_createGlobalSession2 failed); "
            "reinstall Weft",
            core::DeviceError::Kind::unavailable);
    }
    const std::string tag = global->getBuildTagString();
    const auto version = parse_version(tag);
    if (version != std::pair(0, 0) && version < std::pair(kOldestYear, kOldestRelease)) {
        throw core::DeviceError(text("the Slang library in '", core::utf8_path(directory),
                                     "' is version ", tag, ", but Weft needs ", kOldestYear, ".",
                                     kOldestRelease,
                                     " or later; reinstall Weft or correct WEFT_SLANG_DIR"),
                                core::DeviceError::Kind::unavailable);
    }
    return global;
}

std::string display_name(const ModuleDesc& desc) {
    return desc.name.empty() ? desc.path : desc.name;
}

const std::string& source_path(const ModuleDesc& desc) {
    return desc.path.empty() ? desc.name : desc.path;
}

/// The module's own text within a snapshot.
const std::string& source_text(const ModuleSource& module) {
    for (const Dependency& file : module.files) {
        if (file.path == module.desc.path && !module.desc.path.empty()) {
            return file.text;
        }
    }
    return module.desc.text;
}

template <typename T, typename List>
void append_new(List& list, const T& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) {
        list.push_back(value);
    }
}

void load_into(Session& session, const ModuleDesc& desc, const std::string& import_name,
               const std::string& source, slang::IModule*& module,
               std::vector<core::Diagnostic>& warnings) {
    session.files().add_module_text(source_path(desc), source);
    module =
        session.load(import_name, source_path(desc), with_implicit_import(source, desc.repairs),
                     text("load_module: '", display_name(desc), "' does not compile"), warnings);
}

/// "weft.render" of "weft/render", "slangtorch" of "compat/slangtorch", whose folder sessions search.
std::string name_in_imports(std::string_view path) {
    constexpr std::string_view kSearched = "compat/";
    std::string name(path.starts_with(kSearched) ? path.substr(kSearched.size()) : path);
    std::ranges::replace(name, '/', '.');
    return name;
}

/// Of the names and contents of Weft's own modules, wherever their folder is.
core::Hash128 hash_shaders(const fs::path& directory) {
    std::error_code error;
    std::vector<std::string> names;
    for (fs::recursive_directory_iterator it(directory, error), end; !error && it != end;
         it.increment(error)) {
        if (it->path().extension() == ".slang") {
            names.push_back(core::utf8_path(it->path().lexically_relative(directory)));
        }
    }
    std::sort(names.begin(), names.end());
    core::Hasher hasher;
    for (const std::string& name : names) {
        const auto bytes =
            core::try_read_file(directory / core::path_from_utf8(name), kMaxSourceBytes);
        hasher.add(name).add(bytes ? core::hash_bytes(*bytes) : core::Hash128());
    }
    return hasher.finish();
}

/// The libraries of a folder: Slang, and what it loads by itself (glslang).
std::vector<fs::path> libraries_in(const fs::path& directory) {
    std::error_code error;
    std::vector<fs::path> libraries;
    for (fs::directory_iterator it(directory, error), end; !error && it != end;
         it.increment(error)) {
        if (core::utf8_path(it->path().filename()).find("slang") != std::string::npos &&
            it->is_regular_file(error)) {
            libraries.push_back(it->path());
        }
    }
    std::sort(libraries.begin(), libraries.end());
    return libraries;
}

/// Of the contents of those libraries.
core::Hash128 hash_libraries(core::FileCache& cache, const fs::path& directory) {
    std::error_code error;
    core::Hasher identity;
    const std::vector<fs::path> libraries = libraries_in(directory);
    for (const fs::path& library : libraries) {
        const auto time = fs::last_write_time(library, error).time_since_epoch().count();
        identity.add(core::utf8_path(library))
            .add(static_cast<std::uint64_t>(fs::file_size(library, error)))
            .add(static_cast<std::int64_t>(time));
    }
    const core::Hash128 key = identity.finish();
    core::Hash128 contents;
    if (const auto known = cache.try_load(kLibrariesEntry, key);
        known && known->size() == sizeof(contents)) {
        std::memcpy(&contents, known->data(), sizeof(contents));
        return contents;
    }
    core::Hasher hasher;
    for (const fs::path& library : libraries) {
        const auto bytes = core::try_read_file(library, kMaxLibraryBytes);
        // One that cannot be read is told apart by where it lies.
        hasher.add(core::utf8_path(library.filename())).add(bytes ? core::hash_bytes(*bytes) : key);
    }
    contents = hasher.finish();
    cache.store(kLibrariesEntry, key, std::as_bytes(std::span(&contents, 1)));
    return contents;
}

/// Sessions are shared by requests for the same modules with the same content.
core::Hash128 session_key(const std::vector<ModuleSource>& modules) {
    core::Hasher hasher;
    for (const ModuleSource& module : modules) {
        hasher.add(hash_module({}, module.desc, module.files)).add(module.import_name);
    }
    return hasher.finish();
}

} // namespace

/// A session with its modules and the reader of their types.
struct CompileService::LiveSession {
    core::Hash128 key;
    std::unique_ptr<Session> session;
    std::vector<slang::IModule*> modules;
    std::unique_ptr<Lookup> lookup;
    int kernel_count = 0;
};

CompileService::CompileService(ServiceDesc desc)
    : m_desc(std::move(desc)), m_library(m_desc.slang_directory),
      m_global(create_global_session(m_library, m_desc.slang_directory)),
      m_cache({.directory = m_desc.cache_directory}),
      m_environment(hash_environment(m_desc.slang_directory, m_desc.shader_directory)),
      m_contents(hash_contents(m_global->getBuildTagString(), m_desc.shader_directory)),
      m_own_modules({.shader_directory = m_desc.shader_directory,
                     .environment = m_environment,
                     .contents = m_contents},
                    m_cache) {
    provide_weft();
}

CompileService::~CompileService() = default;

void CompileService::provide_weft() {
    if (m_own_modules.find("weft") == nullptr) {
        // A fresh process has time: its host is creating a device.
        const Session session(describe_session(Target::spirv));
        session.get()->loadModule("weft");
        m_own_modules.harvest(*session.get());
    }
    const core::Hash128 key = binary_key(m_environment, "weft");
    if (!m_cache.try_load(kServedEntry, key)) {
        m_cache.store(kServedEntry, key, {});
    }
}

void CompileService::write_shipped(const fs::path& directory) {
    core::FileCache folder({.directory = directory});
    // An environment of that name: what is parsed goes where an installation looks for it.
    OwnModules modules(
        {.shader_directory = m_desc.shader_directory, .environment = m_contents, .contents = {}},
        folder);
    Session::Desc desc = describe_session(Target::spirv);
    desc.binaries = &modules;
    const Session session(std::move(desc));
    for (const std::string_view name : kShipped) {
        // Imported, as users do it: loaded by path, a module has another name.
        const std::string user = text(kUserModule, name);
        const SlangRef<slang::IBlob> source =
            make_blob(text("import ", name_in_imports(name), ";"));
        SlangRef<slang::IBlob> output;
        const bool failed = session.get()->loadModuleFromSource(
                                user.c_str(), user.c_str(), source.get(), output.out()) == nullptr;
        (void)check_diagnostics(output.get(), failed, text(name, ".slang does not compile"));
    }
    modules.harvest(*session.get());
    for (const std::string_view name : kShipped) {
        if (!folder.try_load(kBinaryEntry, binary_key(m_contents, name))) {
            throw core::DeviceError(text("cannot write the module '", name, "' into '",
                                         core::utf8_path(directory), "'"));
        }
    }
}

Session::Desc CompileService::describe_session(Target target) {
    return {.slang = &m_library.functions(),
            .global = m_global.get(),
            .shader_directory = m_desc.shader_directory,
            .target = target,
            .defines = {},
            .search_paths = {},
            .snapshot = {},
            .binaries = &m_own_modules};
}

std::unique_ptr<CompileService::LiveSession>
CompileService::load(const ModuleDesc& desc, const std::string& source, LoadResult& result) {
    Session::Desc session = describe_session(desc.target);
    session.defines = desc.defines;
    session.search_paths = desc.include_paths;
    session.repairs = desc.repairs;
    auto live = std::make_unique<LiveSession>();
    live->session = std::make_unique<Session>(std::move(session));
    live->modules.resize(1);
    result.warnings.clear();
    load_into(*live->session, desc, result.import_name, source, live->modules[0], result.warnings);
    result.repairs = desc.repairs;
    return live;
}

std::unique_ptr<CompileService::LiveSession>
CompileService::load_repaired(const ModuleDesc& desc, const std::string& source,
                              LoadResult& result) {
    try {
        return load(desc, source, result);
    } catch (const core::CompileError&) {
        // Either the text is wrong, and is to be reported as it was written, or its repair is.
        ModuleDesc as_written = desc;
        as_written.repairs = false;
        return load(as_written, source, result);
    }
}

LoadResult CompileService::load_module(const ModuleDesc& desc) {
    const std::string source = desc.path.empty() ? desc.text : read_source(desc.path);
    check_source(source, display_name(desc));
    LoadResult result;
    result.import_name = make_import_name(desc, source);
    auto live = load_repaired(desc, source, result);
    result.reflection = read_module(*live->session, live->modules[0], desc.name);
    result.dependencies = live->session->files().files();
    result.absent_files = live->session->files().absent_files();
    if (desc.defines.empty()) { // definitions reach Weft's modules too and may have changed them
        m_own_modules.harvest(*live->session->get());
    }
    ModuleDesc kept = desc;
    kept.repairs = result.repairs;
    keep({{kept, result.import_name, result.dependencies, {}}}, std::move(live));
    return result;
}

std::unique_ptr<Session> CompileService::create_session(const std::vector<ModuleSource>& modules,
                                                        bool has_lines) {
    Session::Desc desc = describe_session(modules.front().desc.target);
    desc.has_lines = has_lines;
    desc.snapshot.emplace();
    for (const ModuleSource& module : modules) {
        desc.repairs = desc.repairs && module.desc.repairs;
        for (const auto& define : module.desc.defines) {
            append_new(desc.defines, define);
        }
        for (const std::string& path : module.desc.include_paths) {
            append_new(desc.search_paths, path);
        }
        desc.snapshot->insert(desc.snapshot->end(), module.files.begin(), module.files.end());
    }
    return std::make_unique<Session>(std::move(desc));
}

CompileService::LiveSession& CompileService::open(const std::vector<ModuleSource>& modules) {
    const core::Hash128 key = session_key(modules);
    const auto known = std::find_if(m_sessions.begin(), m_sessions.end(),
                                    [&key](const auto& live) { return live->key == key; });
    if (known != m_sessions.end() && (*known)->kernel_count < kMaxKernelsPerSession) {
        m_sessions.splice(m_sessions.begin(), m_sessions, known);
        return *m_sessions.front();
    }
    if (known != m_sessions.end()) {
        m_sessions.erase(known);
    }
    return keep(modules, open_anew(modules, false));
}

std::unique_ptr<CompileService::LiveSession>
CompileService::open_anew(const std::vector<ModuleSource>& modules, bool has_lines) {
    auto live = std::make_unique<LiveSession>();
    live->session = create_session(modules, has_lines);
    std::vector<core::Diagnostic> ignored; // reported when the module was loaded
    for (const ModuleSource& module : modules) {
        slang::IModule* loaded = nullptr;
        load_into(*live->session, module.desc, module.import_name, source_text(module), loaded,
                  ignored);
        live->modules.push_back(loaded);
    }
    return live;
}

CompileService::LiveSession& CompileService::keep(const std::vector<ModuleSource>& modules,
                                                  std::unique_ptr<LiveSession> live) {
    live->key = session_key(modules);
    live->lookup = std::make_unique<Lookup>(*live->session, live->modules.front());
    m_sessions.push_front(std::move(live));
    if (m_sessions.size() > kMaxSessions) {
        m_sessions.pop_back();
    }
    return *m_sessions.front();
}

std::vector<reflect::Function> CompileService::find_functions(const ModuleSource& module,
                                                              const std::string& name) {
    return open({module}).lookup->find_functions(name);
}

reflect::TypeRef CompileService::find_type(const ModuleSource& module, const std::string& name) {
    return open({module}).lookup->find_type(name);
}

KernelCode CompileService::compile_kernel(const CompileRequest& request) {
    // Lines are asked for once, when a function is refused: no session is kept for them.
    const std::unique_ptr<LiveSession> own =
        request.has_lines ? open_anew(request.modules, true) : nullptr;
    LiveSession& live = own ? *own : open(request.modules);
    ++live.kernel_count;
    const std::span<slang::IModule* const> modules(live.modules);
    return compile_entry_point(*live.session, request.source, request.entry_point,
                               modules.subspan(1));
}

core::Hash128 hash_environment(const fs::path& slang_directory, const fs::path& shader_directory) {
    core::Hasher hasher;
    hasher.add(std::string_view(WEFT_VERSION)).add(kProtocol);
    std::error_code error;
    const fs::path library = find_slang_library(slang_directory);
    hasher.add(core::utf8_path(library.filename()))
        .add(static_cast<std::uint64_t>(fs::file_size(library, error)));
    hasher.add(
        static_cast<std::int64_t>(fs::last_write_time(library, error).time_since_epoch().count()));
    hasher.add(core::utf8_path(shader_directory)).add(hash_shaders(shader_directory));
    return hasher.finish();
}

core::Hash128 hash_compiler(core::FileCache& cache, const fs::path& slang_directory,
                            const fs::path& shader_directory) {
    return core::Hasher()
        .add(std::string_view(WEFT_VERSION))
        .add(kProtocol)
        .add(hash_libraries(cache, find_slang_library(slang_directory).parent_path()))
        .add(hash_shaders(shader_directory))
        .finish();
}

core::Hash128 hash_contents(std::string_view compiler, const fs::path& shader_directory) {
    return core::Hasher()
        .add(std::string_view(WEFT_VERSION))
        .add(kProtocol)
        .add(compiler)
        .add(hash_shaders(shader_directory))
        .finish();
}

core::Hash128 hash_module(core::Hash128 environment, const ModuleDesc& desc,
                          const std::vector<Dependency>& dependencies) {
    core::Hasher hasher;
    hasher.add(environment).add(desc.name).add(desc.path).add(desc.text).add(desc.target);
    hasher.add(desc.repairs).add(desc.fast_math);
    for (const std::string& path : desc.include_paths) {
        hasher.add(path);
    }
    for (const auto& [name, value] : desc.defines) {
        hasher.add(name).add(value);
    }
    for (const Dependency& dependency : dependencies) {
        hasher.add(dependency.path).add(dependency.content);
    }
    return hasher.finish();
}

} // namespace weft::compile
