// SPDX-License-Identifier: Apache-2.0
// Weft's own modules, compiled when Weft was built, are used as long as they fit.
#include "compile/own_modules.hpp"
#include "compile/service.hpp"
#include "compile_support.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace weft;
using namespace weft::compile;

namespace fs = std::filesystem;

namespace {

constexpr const char* kText = "import slangtorch;\n"
                              "void f(TensorView<float> x) { x[0] = 2; }\n";

/// An installation: a folder with shaders and their IR, and one for the cache of its user.
struct Installation {
    test::TemporaryFolder folder;
    fs::path shaders = folder.path() / "shaders";
    fs::path cache = folder.path() / "cache";

    explicit Installation() {
        fs::copy(test::shader_directory(), shaders, fs::copy_options::recursive);
        // Made of the shaders elsewhere, as by the build.
        CompileService({.slang_directory = test::slang_directory(),
                        .shader_directory = test::shader_directory(),
                        .cache_directory = {}})
            .write_shipped(shipped_directory(shaders));
    }

    /// Loads a module and returns how many of Weft's own had to be parsed for it.
    std::ptrdiff_t parsed_modules() const {
        CompileService service({.slang_directory = test::slang_directory(),
                                .shader_directory = shaders,
                                .cache_directory = cache});
        ModuleDesc desc;
        desc.name = "sample";
        desc.text = kText;
        const LoadResult result = service.load_module(desc);
        CHECK(only_function(result.reflection, "f").parameters.size() == 1);
        if (!fs::exists(cache / kBinaryEntry)) {
            return 0;
        }
        const fs::recursive_directory_iterator entries(cache / kBinaryEntry);
        return std::count_if(begin(entries), end(entries), [](const fs::directory_entry& each) {
            return each.is_regular_file();
        });
    }
};

std::vector<fs::path> files_of(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path());
        }
    }
    return files;
}

} // namespace

TEST_CASE("shipped modules are used wherever they are installed, and nothing is parsed") {
    const Installation installation;

    CHECK(installation.parsed_modules() == 0);
}

TEST_CASE("shipped modules of other shaders are not used") {
    const Installation installation;
    std::ofstream(installation.shaders / "weft" / "random.slang", std::ios::app) << "// changed\n";

    CHECK(installation.parsed_modules() >= 2);
}

TEST_CASE("damaged shipped modules are not used, and stay as they are") {
    const Installation installation;
    const auto shipped = files_of(shipped_directory(installation.shaders));
    for (const fs::path& file : shipped) {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(static_cast<std::streamoff>(fs::file_size(file) / 2));
        stream << "damaged";
    }

    CHECK(installation.parsed_modules() >= 2);
    CHECK(files_of(shipped_directory(installation.shaders)) == shipped);
}

TEST_CASE("an installation without shipped modules parses its own, once") {
    const Installation installation;
    fs::remove_all(shipped_directory(installation.shaders));

    const std::ptrdiff_t parsed = installation.parsed_modules();
    CHECK(parsed >= 2);
    CHECK(installation.parsed_modules() == parsed);
}
