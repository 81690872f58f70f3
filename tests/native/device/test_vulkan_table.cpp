// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/features.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <string>

using namespace weft::device::vulkan;

namespace {

/// The rows "| `name` | need | purpose |" of the document, as "name need purpose".
std::set<std::string> documented_rows() {
    std::ifstream file(weft::test::test_directory().parent_path() / "docs" / "devices.md");
    std::set<std::string> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("| `", 0) == 0) {
            rows.insert(line);
        }
    }
    return rows;
}

std::string row(std::string_view name, Need need, std::string_view purpose) {
    return "| `" + std::string(name) + "` | " + (need == Need::required ? "required" : "optional") +
           " | " + std::string(purpose) + " |";
}

} // namespace

TEST_CASE("docs/devices.md lists exactly the Vulkan features and extensions that are asked for") {
    std::set<std::string> asked;
    for (const FeatureRow& feature : feature_table()) {
        asked.insert(row(feature.name, feature.need, feature.purpose));
    }
    for (const ExtensionRow& extension : extension_table()) {
        asked.insert(row(extension.name, extension.need, extension.purpose));
    }

    CHECK(documented_rows() == asked);
}

TEST_CASE(
    "nothing beyond buffer device addresses and timeline semaphores is required of a device") {
    std::set<std::string_view> required;
    for (const FeatureRow& feature : feature_table()) {
        if (feature.need == Need::required) {
            required.insert(feature.name);
        }
    }
    for (const ExtensionRow& extension : extension_table()) {
        CHECK(extension.need == Need::optional);
    }

    CHECK(required == std::set<std::string_view>{"bufferDeviceAddress", "timelineSemaphore"});
}

TEST_CASE("enabling a row sets that feature and no other") {
    for (const FeatureRow& row_to_set : feature_table()) {
        FeatureSet set;
        enable(set, row_to_set);
        for (const FeatureRow& other : feature_table()) {
            CHECK(is_set(set, other) == (other.name == row_to_set.name));
        }
    }
}
