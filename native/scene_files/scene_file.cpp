// SPDX-License-Identifier: Apache-2.0
#include "scene_files/scene_file.hpp"

#include "core/code_location.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "scene_files/reader.hpp"
#include "scene_files/trust.hpp"
#include "scene_files/writer.hpp"

#include <system_error>

namespace weft::scene_files {

namespace fs = std::filesystem;
using core::ArgumentError;
using core::text;

namespace {

/// The folder of the files that are installed beside the shared library which this is in.
fs::path installed_root() {
    const fs::path library = core::file_of_code(reinterpret_cast<const void*>(&installed_root));
    return library.empty() ? fs::path()
                           : (library.parent_path() / WEFT_FILES_FROM_LIBRARY).lexically_normal();
}

ShippedCode shipped_code(const fs::path& root) {
    return ShippedCode(root.empty() ? installed_root() : root);
}

bool is_blank(char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

/// What an error says, in one line of at most 300 letters.
std::string reason_of(const std::exception& error) {
    constexpr std::size_t kMaxLetters = 300;
    std::string line;
    std::size_t letters = 0;
    for (const char* at = error.what(); *at != '\0'; ++at) {
        const bool is_space = is_blank(*at);
        if (is_space && (line.empty() || line.back() == ' ')) {
            continue;
        }
        letters += (static_cast<unsigned char>(*at) & 0xC0U) != 0x80U ? 1U : 0U;
        if (letters > kMaxLetters) {
            break;
        }
        line += is_space ? ' ' : *at;
    }
    return line.ends_with(' ') ? line.substr(0, line.size() - 1) : line;
}

ReadScene read_file(const fs::path& path, bool trust) {
    try {
        ArchiveReader archive(path, trust);
        return read_scene(archive);
    } catch (const std::exception& error) {
        // Whatever a damaged file makes of the text and the arrays: there is one remedy.
        throw ArgumentError(text("Scene.load: '", core::utf8_path(path),
                                 "' is no scene of Weft, or damaged (", reason_of(error),
                                 "); save it again"));
    }
}

} // namespace

SceneFile load(const fs::path& path, const LoadDesc& desc) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
        throw ArgumentError(
            text("Scene.load: there is no file '", core::utf8_path(path), "'; check the path"),
            ArgumentError::Kind::not_found);
    }
    ReadScene read = read_file(path, desc.trust);
    if (read.version > kVersion) {
        throw ArgumentError(text("Scene.load: '", core::utf8_path(path), "' has version ",
                                 read.version, ", this Weft reads up to ", kVersion,
                                 "; install a newer one"));
    }
    if (read.calls.empty()) {
        return std::move(read.file);
    }
    const std::vector<SlangCallRef> foreign = foreign_calls(read.calls, shipped_code(desc.root));
    if (!desc.trust) {
        require_trust(path, foreign);
    }
    for (const SlangCallRef& call : foreign) {
        call->origin = core::utf8_path(path);
    }
    return std::move(read.file);
}

void save(const SceneFile& file, const fs::path& path, const fs::path& root) {
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, error)) {
        throw ArgumentError(text("Scene.save: the folder of '", core::utf8_path(path),
                                 "' does not exist; create it first"),
                            ArgumentError::Kind::not_found);
    }
    Writer writer;
    try {
        Json json{{"weft", "scene"}, {"version", kVersion}, {"scene", writer.parts(file)}};
        json["objects"] = writer.take_objects();
        std::vector<NewMember> members{{.name = kTextName, .head = json.dump(1, ' ', true)}};
        for (NewMember& member : writer.take_arrays()) {
            members.push_back(std::move(member));
        }
        write_archive(path, members);
    } catch (const core::Error&) {
        throw;
    } catch (const std::exception& failure) {
        throw ArgumentError(text("Scene.save: '", core::utf8_path(path), "' was not written (",
                                 reason_of(failure), "); the file is as it was"));
    }
    if (!writer.calls().empty()) {
        remember(writer.calls(), shipped_code(root));
    }
}

} // namespace weft::scene_files
