// SPDX-License-Identifier: Apache-2.0
#include "engine/fit_checkpoint.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"
#include "scene_files/archive.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace weft::engine {

namespace fs = std::filesystem;
using core::ArgumentError;
using core::text;
using scene_files::NewMember;
using scene_files::NumberArray;

namespace {

constexpr std::string_view kFormat = "weft engine::Fit 1";
constexpr std::string_view kSuffix = ".npy";
// Members that are texts, beside those of the state, whose names begin with `state.`.
constexpr const char* kFormatName = "engine.format";
constexpr const char* kSignatureName = "engine.signature";
constexpr const char* kDigestName = "engine.digest";
constexpr const char* kStateName = "state";
constexpr const char* kPythonName = "fingerprint.npy"; ///< that Python's checkpoints have
constexpr char kOrder = std::endian::native == std::endian::little ? '<' : '>';

std::string type_of(const fit::SavedArray& array) {
    return text(kOrder, array.values.index() == 0 ? "f8" : "f4");
}

std::span<const std::byte> bytes_of(const fit::SavedArray& array) {
    return std::visit([](const auto& values) { return std::as_bytes(std::span(values)); },
                      array.values);
}

/// A text that differs if any name, type, shape or byte of a state does.
std::string digest_of(const fit::SavedArrays& state) {
    std::string all;
    for (const auto& [name, array] : state.arrays) {
        const auto bytes = bytes_of(array);
        const std::vector<std::uint64_t> shape(array.shape.begin(), array.shape.end());
        all +=
            text(name, '\n', type_of(array), scene_files::shape_text(shape), '\n',
                 core::sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()}), '\n');
    }
    return core::sha256(all);
}

NewMember text_member(const char* name, std::string_view content) {
    const std::uint64_t size = content.size();
    return {.name = text(name, kSuffix),
            .head = scene_files::npy_header("|u1", std::span(&size, 1)) + std::string(content)};
}

/// What an error says, in one line that is not endless.
std::string reason_of(const std::exception& error) {
    constexpr std::size_t kMost = 300;
    std::string out(std::string_view(error.what()).substr(0, kMost));
    std::ranges::replace(out, '\n', ' ');
    return out;
}

std::string text_of(const NumberArray& array) {
    if (array.kind != 'u' || array.width != 1) {
        throw std::runtime_error("what must be a text is none");
    }
    return {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()};
}

fit::SavedArray saved_array(const NumberArray& array) {
    if (array.kind != 'f') {
        throw std::runtime_error("an array has numbers that checkpoints have not");
    }
    fit::SavedArray out{{array.shape.begin(), array.shape.end()}, {}};
    if (array.width == sizeof(float)) {
        const auto values = scene_files::converted<float>(array);
        out.values = std::vector<float>(values.values.begin(), values.values.end());
    } else {
        const auto values = scene_files::converted<double>(array);
        out.values = std::vector<double>(values.values.begin(), values.values.end());
    }
    return out;
}

/// What a file says of itself, and the state in it.
struct Contents {
    std::string format{};
    std::string signature{};
    std::string digest{};
    fit::SavedArrays state{};
    bool is_python = false;
};

Contents read_contents(const fs::path& path) {
    scene_files::ArchiveReader archive(path, false);
    const std::vector<std::string> names = archive.names();
    const auto has = [&](const std::string& name) {
        return std::ranges::find(names, name) != names.end();
    };
    Contents out{.is_python = has(kPythonName)};
    if (out.is_python || !has(text(kFormatName, kSuffix))) {
        return out;
    }
    out.format = text_of(archive.array(text(kFormatName, kSuffix)));
    if (out.format != kFormat) {
        return out;
    }
    out.signature = text_of(archive.array(text(kSignatureName, kSuffix)));
    out.digest = text_of(archive.array(text(kDigestName, kSuffix)));
    fit::SavedArrays all;
    for (const std::string& name : names) {
        if (name.starts_with(text(kStateName, '.')) && name.ends_with(kSuffix)) {
            all.arrays.insert_or_assign(name.substr(0, name.size() - kSuffix.size()),
                                        saved_array(archive.array(name)));
        }
    }
    out.state = all.part(kStateName);
    return out;
}

Contents contents_of(const fs::path& path, const std::string& shown) {
    const auto damaged = [&](std::string_view reason) {
        return ArgumentError(text("Fit.resume: '", shown, "' is no checkpoint, or a damaged one (",
                                  reason, "); start anew"));
    };
    Contents out;
    try {
        out = read_contents(path);
    } catch (const std::exception& error) {
        // Whatever damage makes of the archive, its compression and its arrays: there is one remedy.
        throw damaged(reason_of(error));
    }
    if (out.is_python) {
        throw ArgumentError(text("Fit.resume: '", shown,
                                 "' is a checkpoint of Python's weft.fit, "
                                 "which C++ programs do not read; go on there, or start anew"));
    }
    if (out.format != kFormat) {
        throw ArgumentError(text("Fit.resume: '", shown,
                                 "' is no checkpoint of this version of "
                                 "Weft; start anew"));
    }
    if (out.digest != digest_of(out.state)) {
        throw damaged("its arrays are not those that were written");
    }
    return out;
}

} // namespace

void write_checkpoint(const fs::path& path, const std::string& signature,
                      const fit::SavedArrays& state) {
    const std::string shown = core::utf8_path(path);
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, error)) {
        throw ArgumentError(text("Fit.save_checkpoint: the folder of '", shown,
                                 "' does not exist; create it first"),
                            ArgumentError::Kind::not_found);
    }
    std::vector<NewMember> members{text_member(kFormatName, kFormat),
                                   text_member(kSignatureName, signature),
                                   text_member(kDigestName, digest_of(state))};
    for (const auto& [name, array] : state.arrays) {
        const std::vector<std::uint64_t> shape(array.shape.begin(), array.shape.end());
        members.push_back({.name = text(kStateName, '.', name, kSuffix),
                           .head = scene_files::npy_header(type_of(array), shape),
                           .bytes = bytes_of(array)});
    }
    try {
        scene_files::write_archive(path, members);
    } catch (const std::exception& failure) {
        throw ArgumentError(text("Fit.save_checkpoint: '", shown, "' was not written (",
                                 reason_of(failure), "); the file is as it was"));
    }
}

fit::SavedArrays read_checkpoint(const fs::path& path, const std::string& signature) {
    const std::string shown = core::utf8_path(path);
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
        throw ArgumentError(text("Fit.resume: there is no file '", shown, "'; check the path"),
                            ArgumentError::Kind::not_found);
    }
    Contents contents = contents_of(path, shown);
    if (contents.signature != signature) {
        throw ArgumentError(
            text("Fit.resume: '", shown,
                 "' belongs to another fit: the scene, the observations, "
                 "what is sought, or samples, bounces or seed of the settings differ; give what "
                 "it was made with"));
    }
    return std::move(contents.state);
}

} // namespace weft::engine
