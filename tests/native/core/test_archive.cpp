// SPDX-License-Identifier: Apache-2.0
#include "core/archive.hpp"
#include "support/catch.hpp"

using namespace weft::core;

namespace {

struct Leaf {
    std::string name;
};

template <class Archive>
void transfer(Archive& archive, Leaf& leaf) {
    archive(leaf.name);
}

enum class Colour : std::uint8_t { red, green };

struct Record {
    bool flag = false;
    std::int32_t small = 0;
    std::int64_t large = 0;
    double number = 0;
    Colour colour = Colour::red;
    std::string text;
    std::vector<std::byte> bytes;
    std::vector<std::pair<std::string, std::int64_t>> pairs;
    std::optional<double> maybe;
    std::variant<std::int64_t, double, std::string> choice;
    std::array<std::int32_t, 3> triple{};
    Hash128 hash;
    std::shared_ptr<const Leaf> first, second, none;
};

template <class Archive>
void transfer(Archive& archive, Record& r) {
    archive(r.flag, r.small, r.large, r.number, r.colour, r.text, r.bytes, r.pairs, r.maybe,
            r.choice, r.triple, r.hash, r.first, r.second, r.none);
}

Record make_record() {
    Record record;
    record.flag = true;
    record.small = -7;
    record.large = -(std::int64_t{1} << 40);
    record.number = 0.1;
    record.colour = Colour::green;
    record.text = std::string("zero\0inside", 11);
    record.bytes = {std::byte{1}, std::byte{255}};
    record.pairs = {{"a", 1}, {"b", -2}};
    record.maybe = 2.5;
    record.choice = std::string("chosen");
    record.triple = {1, -2, 3};
    record.hash = hash_text("x");
    record.first = std::make_shared<const Leaf>(Leaf{"shared"});
    record.second = record.first;
    return record;
}

} // namespace

TEST_CASE("everything that is written is read back") {
    const Record record = make_record();

    const auto copy = from_archive<Record>(to_archive(record));

    CHECK(copy.flag);
    CHECK(copy.small == -7);
    CHECK(copy.large == record.large);
    CHECK(copy.number == 0.1);
    CHECK(copy.colour == Colour::green);
    CHECK(copy.text == record.text);
    CHECK(copy.bytes == record.bytes);
    CHECK(copy.pairs == record.pairs);
    CHECK(copy.maybe == 2.5);
    CHECK(copy.choice == record.choice);
    CHECK(copy.triple == record.triple);
    CHECK(copy.hash == record.hash);
}

TEST_CASE("shared objects are shared again") {
    const auto copy = from_archive<Record>(to_archive(make_record()));

    REQUIRE(copy.first);
    CHECK(copy.first->name == "shared");
    CHECK(copy.first == copy.second);
    CHECK(copy.none == nullptr);
}

TEST_CASE("an archive cut short at any byte is refused") {
    const std::vector<std::byte> bytes = to_archive(make_record());

    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THROWS_AS(from_archive<Record>(std::span(bytes).first(size)), ArchiveError);
    }
}

TEST_CASE("bytes left over are refused") {
    std::vector<std::byte> bytes = to_archive(std::string("x"));
    bytes.push_back(std::byte{0});

    CHECK_THROWS_AS(from_archive<std::string>(bytes), ArchiveError);
}

TEST_CASE("a damaged byte anywhere never reads outside the archive") {
    const std::vector<std::byte> bytes = to_archive(make_record());

    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::vector<std::byte> damaged = bytes;
        damaged[i] ^= std::byte{0xff};
        try {
            (void)from_archive<Record>(damaged);
        } catch (const ArchiveError&) {
            // Ignored: most damage is noticed, some makes another valid record.
        }
    }
    SUCCEED("no access outside the archive (checked by the sanitizers) and no other exception");
}

TEST_CASE("an absurd length is refused before memory is taken") {
    ArchiveWriter writer;
    writer(std::uint32_t{0xffffffff});

    CHECK_THROWS_AS(from_archive<std::vector<std::int64_t>>(writer.take()), ArchiveError);
}
