// SPDX-License-Identifier: Apache-2.0
#include "core/hash.hpp"
#include "support/catch.hpp"

#include <set>

using namespace weft::core;

TEST_CASE("hashes are those of MurmurHash3 x64/128") {
    CHECK(hash_text("").to_string() == "00000000000000000000000000000000");
    CHECK(hash_text("hello") == Hash128{0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19});
    CHECK(hash_text("The quick brown fox jumps over the lazy dog") ==
          Hash128{0xe34bbc7bbc071b6c, 0x7a433ca9c49a9347});
}

TEST_CASE("every length up to several blocks hashes differently, and so does every seed") {
    std::set<Hash128> seen;
    const std::string zeros(100, '\0');
    for (std::size_t length = 0; length <= zeros.size(); ++length) {
        seen.insert(hash_text(std::string_view(zeros).substr(0, length), 7));
    }
    CHECK(seen.size() == 101);
    CHECK(hash_text("a", 1) != hash_text("a", 2));
}

TEST_CASE("field boundaries are part of a Hasher's hash") {
    CHECK(Hasher().add("ab").add("c").finish() != Hasher().add("a").add("bc").finish());
    CHECK(Hasher().add(1).add(2).finish() != Hasher().add(2).add(1).finish());
}

TEST_CASE("a hash prints as 32 hexadecimal digits, high word first") {
    CHECK(Hash128{0x0123456789abcdef, 0xf}.to_string() == "000000000000000f0123456789abcdef");
}
