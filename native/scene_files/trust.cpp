// SPDX-License-Identifier: Apache-2.0
#include "scene_files/trust.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/process.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace weft::scene_files {

namespace fs = std::filesystem;
using core::text;

namespace {

constexpr std::string_view kShippedModule = "weft.nodes";
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 28U;

std::string code_of(const scene::SlangCall& call) {
    return scene::text_of_code(call.function, call.source, call.module);
}

std::optional<std::string> read_text(const fs::path& file) {
    const auto bytes = core::try_read_file(file, kMaxBytes);
    if (!bytes) {
        return std::nullopt;
    }
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

fs::path file_of(const fs::path& folder, const std::string& code) {
    return folder / (core::sha256(code) + ".slang");
}

bool is_own(const fs::path& folder, const std::string& code) {
    return !folder.empty() && read_text(file_of(folder, code)) == code;
}

/// Splits the word off that a text begins with.
std::string_view take_word(std::string_view& rest) {
    const auto end = std::ranges::find_if_not(rest, core::is_name_character);
    const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(word.size());
    return word;
}

/// The function that a line "public float3 name(" or "public T name<" declares, or "".
std::string_view public_function(std::string_view line) {
    if (take_word(line) != "public" || !line.starts_with(' ')) {
        return "";
    }
    line.remove_prefix(1);
    if (take_word(line).empty() || !line.starts_with(' ')) {
        return "";
    }
    line.remove_prefix(1);
    const std::string_view name = take_word(line);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool is_function = line.starts_with('(') || line.starts_with('<');
    return is_function && !name.empty() && name.front() >= 'a' && name.front() <= 'z' ? name : "";
}

/// Calls `visit` with the text of each Slang file of a folder.
template <typename Files, typename Visit>
void for_each_slang(const fs::path& folder, const Visit& visit) {
    std::error_code error;
    for (Files entry(folder, error); !error && entry != Files(); entry.increment(error)) {
        if (entry->path().extension() == ".slang") {
            if (const auto content = read_text(entry->path())) {
                visit(*content);
            }
        }
    }
}

/// Letters of ASCII, everything else in a row as one space, none at the ends.
std::string plain_line(std::string_view code) {
    std::string line;
    for (const char letter : code) {
        const bool is_shown = letter >= ' ' && letter <= '~';
        if (is_shown || line.empty() || line.back() != ' ') {
            line += is_shown ? letter : ' ';
        }
    }
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t last = line.find_last_not_of(' ');
    return first == line.size() ? "" : line.substr(first, last + 1 - first);
}

/// A few words that tell a function from others.
std::string summary(const std::string& function, const std::string& code) {
    constexpr std::size_t kMaxLetters = 60;
    const auto count = std::ranges::count_if(
        code, [](char letter) { return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U; });
    return text("'", function.substr(0, kMaxLetters), "' (", count,
                " characters: ", plain_line(code).substr(0, kMaxLetters), "...)");
}

} // namespace

ShippedCode::ShippedCode(const fs::path& root) {
    if (root.empty()) {
        return;
    }
    for_each_slang<fs::directory_iterator>(
        root / "shaders" / "weft" / "nodes", [&](const std::string& content) {
            std::string_view rest = content;
            while (!rest.empty()) {
                const std::size_t end = std::min(rest.find('\n'), rest.size());
                if (const auto name = public_function(rest.substr(0, end)); !name.empty()) {
                    m_node_functions.emplace(name);
                }
                rest.remove_prefix(std::min(end + 1, rest.size()));
            }
        });
    for_each_slang<fs::recursive_directory_iterator>(
        root / "node_templates", [&](const std::string& content) { m_texts.insert(content); });
}

bool ShippedCode::has(const scene::SlangCall& call) const {
    if (call.module.empty()) {
        return m_texts.contains(call.source);
    }
    return call.module == kShippedModule &&
           m_node_functions.contains(call.function.substr(0, call.function.find('<')));
}

fs::path trust_folder() {
    using core::environment_variable;
    // Set to nothing, there is none: environment_variable() does not tell that from not set.
    const char* const named = std::getenv("WEFT_TRUST_DIR"); // NOLINT(concurrency-mt-unsafe)
    if (named != nullptr) {
        return core::path_from_utf8(named);
    }
#if defined(_WIN32)
    const auto home = environment_variable("USERPROFILE");
    const auto base = environment_variable("LOCALAPPDATA");
    const char* const below = "AppData/Local";
#elif defined(__APPLE__)
    const auto home = environment_variable("HOME");
    const std::optional<std::string> base;
    const char* const below = "Library/Application Support";
#else
    const auto home = environment_variable("HOME");
    const auto base = environment_variable("XDG_DATA_HOME");
    const char* const below = ".local/share";
#endif
    if (base && !base->empty()) {
        return core::path_from_utf8(*base) / "weft" / "trusted";
    }
    return home ? core::path_from_utf8(*home) / below / "weft" / "trusted" : fs::path();
}

void remember(std::span<const scene::SlangCall* const> calls, const ShippedCode& shipped) {
    const fs::path folder = trust_folder();
    if (folder.empty()) {
        return;
    }
    for (const scene::SlangCall* const call : calls) {
        const std::string code = code_of(*call);
        if (!call->origin.empty() || shipped.has(*call) || is_own(folder, code)) {
            continue;
        }
        std::error_code error;
        if (fs::create_directories(folder, error)) {
            fs::permissions(folder, fs::perms::owner_all, error);
        }
        if (!core::try_write_file(file_of(folder, code), std::as_bytes(std::span(code)))) {
            return;
        }
    }
}

std::vector<SlangCallRef> foreign_calls(std::span<const SlangCallRef> calls,
                                        const ShippedCode& shipped) {
    const fs::path folder = trust_folder();
    std::vector<SlangCallRef> foreign;
    std::ranges::copy_if(calls, std::back_inserter(foreign), [&](const SlangCallRef& call) {
        return !shipped.has(*call) && !is_own(folder, code_of(*call));
    });
    return foreign;
}

void require_trust(const fs::path& file, std::span<const SlangCallRef> foreign) {
    if (foreign.empty()) {
        return;
    }
    constexpr std::size_t kMaxNamed = 3;
    std::set<std::pair<std::string, std::string>> known;
    std::vector<std::string> named;
    for (const SlangCallRef& call : foreign) {
        const std::string code = code_of(*call);
        if (known.emplace(call->function, code).second && named.size() < kMaxNamed) {
            named.push_back(summary(call->function, code));
        }
    }
    const std::string more =
        known.size() > kMaxNamed ? text(" and ", known.size() - kMaxNamed, " more") : std::string();
    throw core::ArgumentError(
        text("Scene.load: '", core::utf8_path(file),
             "' was not loaded, because it carries Slang functions that this user has not saved, "
             "and they would run with your rights: ",
             core::join(named, ", "), more,
             "; if you trust who made it, pass trust=True (on the command line --trust), or read "
             "its scene.json first"));
}

} // namespace weft::scene_files
