// SPDX-License-Identifier: Apache-2.0
#include "core/unique_handle.hpp"
#include "support/catch.hpp"

#include <vector>

namespace {

std::vector<int>& released() {
    static std::vector<int> handles;
    return handles;
}
void release_handle(int handle) noexcept {
    released().push_back(handle);
}
using Handle = weft::core::UniqueHandle<int, release_handle, -1>;

} // namespace

TEST_CASE("a handle is released once, by its last owner") {
    released().clear();
    {
        Handle first(1);
        Handle second = std::move(first);
        CHECK_FALSE(first); // NOLINT(bugprone-use-after-move): what a move leaves is promised
        CHECK(second.get() == 1);
        second = Handle(2);
        CHECK(released() == std::vector<int>{1});
    }
    CHECK(released() == std::vector<int>{1, 2});
}

TEST_CASE("a handle that was given up is not released") {
    released().clear();
    {
        Handle handle(3);
        CHECK(handle.release() == 3);
    }
    CHECK(released().empty());
}
