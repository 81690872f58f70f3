// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nvrtc_location.hpp"

#include "core/file.hpp"
#include "core/process.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace weft::device::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int kOldestMajor = 12;

void append_toolkit(std::vector<fs::path>& folders, const fs::path& root) {
    for (const char* const folder : {"lib64", "lib", "bin"}) {
        folders.push_back(root / folder);
    }
}

std::vector<fs::path> search_folders(const CudaSearch& search) {
    std::vector<fs::path> folders;
    folders.reserve(search.directories.size());
    for (const std::string& directory : search.directories) {
        folders.push_back(core::path_from_utf8(directory));
    }
    for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const auto root = core::environment_variable(variable)) {
            append_toolkit(folders, core::path_from_utf8(*root));
        }
    }
#if !defined(_WIN32)
    append_toolkit(folders, "/usr/local/cuda");
    append_toolkit(folders, "/opt/cuda");
    for (const char* const folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"}) {
        folders.emplace_back(folder);
    }
#endif
    return folders;
}

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

bool is_folder(const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

NvrtcLocation locate(const fs::path& library) {
    std::error_code error;
    const auto size = fs::file_size(library, error);
    const auto changed = fs::last_write_time(library, error).time_since_epoch().count();
    return {.library = library,
            .identity = core::text(core::utf8_path(library.filename()), " ", size, " ", changed)};
}

std::optional<NvrtcLocation> find_in(const fs::path& folder, int driver_version) {
    for (const std::string& name : nvrtc_names(driver_version)) {
        if (const fs::path library = folder / name; is_file(library)) {
            return locate(library);
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<std::string> nvrtc_names(int driver_version) {
    std::vector<std::string> names;
    for (int major = std::max(driver_version / 1000, kOldestMajor); major >= kOldestMajor;
         --major) {
#if defined(_WIN32)
        names.push_back(core::text("nvrtc64_", major, "0_0.dll"));
#else
        names.push_back(core::text("libnvrtc.so.", major));
#endif
    }
    return names;
}

std::optional<NvrtcLocation> find_nvrtc(const CudaSearch& search) {
    if (const auto chosen = core::environment_variable("WEFT_NVRTC")) {
        const fs::path path = core::path_from_utf8(*chosen);
        if (is_file(path)) {
            return locate(path);
        }
        return is_folder(path) ? find_in(path, search.driver_version) : std::nullopt;
    }
    for (const fs::path& folder : search_folders(search)) {
        if (auto found = find_in(folder, search.driver_version)) {
            return found;
        }
    }
    const std::string name = nvrtc_names(search.driver_version).front();
    return NvrtcLocation{.library = name, .identity = name};
}

std::filesystem::path find_header_directory(const CudaSearch& search, const std::string& header) {
    for (const fs::path& folder : search_folders(search)) {
        for (const fs::path& candidate : {folder, folder / ".." / "include"}) {
            if (is_file(candidate / header)) {
                return candidate.lexically_normal();
            }
        }
    }
    return {};
}

} // namespace weft::device::cuda
