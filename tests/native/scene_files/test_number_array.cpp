// SPDX-License-Identifier: Apache-2.0
#include "scene_files/number_array.hpp"
#include "support/catch.hpp"

#include <cstring>
#include <string>

using namespace weft::scene_files;

namespace {

/// A file in numpy's format, with a header that says what it likes.
std::vector<std::byte> npy(const std::string& header, const std::string& content) {
    std::string file = std::string("\x93NUMPY\x01", 7) + '\0';
    file += static_cast<char>(header.size() & 0xFFU);
    file += static_cast<char>(header.size() >> 8U);
    file += header + content;
    std::vector<std::byte> bytes(file.size());
    std::memcpy(bytes.data(), file.data(), file.size());
    return bytes;
}

std::string header(const std::string& type, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

} // namespace

TEST_CASE("arrays of all types become floats") {
    const auto bytes = npy(header("<i2", "(2, 1)"), std::string("\x01\x00\xff\xff", 4));
    const NumberArray array = parse_npy("a.npy", bytes, nullptr);
    CHECK(array.has_shape({2, 1}));
    CHECK(converted<float>(array).values[0] == 1);
    CHECK(converted<double>(array).values[1] == -1);

    const auto big = npy(header(">f4", "(1,)"), std::string("\x3f\x80\x00\x00", 4));
    CHECK(converted<float>(parse_npy("a.npy", big, nullptr)).values[0] == 1);
    const auto flags = npy(header("|b1", "(2,)"), std::string("\x01\x00", 2));
    CHECK(converted<float>(parse_npy("a.npy", flags, nullptr)).values[0] == 1);
}

TEST_CASE("what is no array of numbers is refused") {
    const auto refused = [](const std::vector<std::byte>& bytes) {
        CHECK_THROWS_AS(parse_npy("a.npy", bytes, nullptr), std::runtime_error);
    };
    refused({});
    refused(npy("", ""));
    refused(npy(header("|O", "(1,)"), "12345678"));
    refused(npy(header("<f4", "(2,)"), "1234"));
    refused(npy(header("<f4", "(4611686018427387904, 4)"), ""));
    refused(npy(header("<f4", "(999999999999999999, 999999999999999999)"), ""));
    refused(npy(header("<f4", "(-1,)"), ""));
    refused(npy(header("<f4", "(1"), "1234"));
    refused(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"));
    refused(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "1234"));
    refused(npy("{'descr': '<f4', 'shape': (1,)}", "1234"));
    refused(npy("{'descr", ""));
    std::vector<std::byte> cut = npy(header("<f4", "(1,)"), "1234");
    cut.resize(20);
    refused(cut);
}

TEST_CASE("indices are whole numbers from 0") {
    std::size_t bad = 0;
    CHECK(indices(array_of({0, 7}, {2}), bad).values[1] == 7);
    CHECK(bad == 2);
    CHECK_NOTHROW(indices(array_of({1, 0.5, -1}, {3}), bad));
    CHECK(bad == 1);
}

TEST_CASE("headers are those of numpy") {
    const std::vector<std::uint64_t> shape{4, 3};
    const std::string text = npy_header("<f4", shape);
    CHECK(text.size() % 64 == 0);
    std::vector<std::byte> bytes(text.size() + 48);
    std::memcpy(bytes.data(), text.data(), text.size());
    CHECK(parse_npy("a.npy", bytes, nullptr).shape == shape);
}
