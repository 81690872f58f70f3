// SPDX-License-Identifier: Apache-2.0
#include "render/embree/embree_api.hpp"

#include "core/shared_library.hpp"
#include "core/text.hpp"

#include <type_traits>

namespace weft::render::embree {

namespace {

Api g_api;

/// Fills `found` from the library at `path`; false, with its reason set, if that fails.
bool take_functions(const std::filesystem::path& path, Api& found) {
    // Embree needs TBB, and so does Blender: each shall have the version that it was built with.
    core::SharedLibrary library =
        core::SharedLibrary::try_load(path, &found.reason, core::SharedLibrary::Scope::isolated);
    if (!library) {
        return false;
    }
    found.reason.clear();
#define WEFT_EMBREE_TAKE(name)                                                                     \
    found.name = library.try_function<std::remove_pointer_t<decltype(found.name)>>(#name);         \
    if (found.name == nullptr) {                                                                   \
        found.reason = core::text(path.string(), " has no function " #name);                       \
        return false;                                                                              \
    }
    WEFT_EMBREE_FUNCTIONS(WEFT_EMBREE_TAKE)
#undef WEFT_EMBREE_TAKE
    library.leak(); // TBB's threads run its code until the process ends
    return true;
}

bool load_once(const std::filesystem::path& libraries) {
    return (!libraries.empty() && take_functions(libraries / WEFT_EMBREE_BUNDLED, g_api)) ||
           take_functions(WEFT_EMBREE_LIBRARY, g_api);
}

} // namespace

const Api& load(const std::filesystem::path& libraries) {
    [[maybe_unused]] static const bool is_loaded = load_once(libraries);
    return g_api;
}

const Api& api() noexcept {
    return g_api;
}

} // namespace weft::render::embree
