// SPDX-License-Identifier: Apache-2.0
#include "scene_files/number_array.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>

namespace weft::scene_files {

using core::text;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = 10000; // as numpy
constexpr std::size_t kMaxDimensions = 32;

/// Reads the text of a header, which is a literal of Python.
class HeaderParser {
public:
    explicit HeaderParser(std::string_view header) : m_rest(header) {}

    bool take(char letter) {
        skip_spaces();
        if (m_rest.empty() || m_rest.front() != letter) {
            return false;
        }
        m_rest.remove_prefix(1);
        return true;
    }
    void require(char letter) {
        if (!take(letter)) {
            throw std::runtime_error(text("a header has no '", letter, "' where there must be"));
        }
    }
    std::string_view quoted() {
        require('\'');
        const std::size_t end = m_rest.find('\'');
        if (end == std::string_view::npos) {
            throw std::runtime_error("a header has a text that does not end");
        }
        return take_first(end, 1);
    }
    std::string_view word() {
        skip_spaces();
        const std::size_t end = std::min(m_rest.find_first_of(" ,)}\n"), m_rest.size());
        return take_first(end, 0);
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        const std::string_view digits = word();
        if (digits.empty() || digits.size() > 18 ||
            digits.find_first_not_of("0123456789") != std::string_view::npos) {
            throw std::runtime_error("a header has an extent that is no number");
        }
        for (const char digit : digits) {
            value = 10 * value + static_cast<std::uint64_t>(digit - '0');
        }
        return value;
    }

private:
    void skip_spaces() {
        m_rest.remove_prefix(std::min(m_rest.find_first_not_of(" \n"), m_rest.size()));
    }
    std::string_view take_first(std::size_t count, std::size_t dropped) {
        const std::string_view taken = m_rest.substr(0, count);
        m_rest.remove_prefix(count + dropped);
        return taken;
    }

    std::string_view m_rest;
};

void read_type(std::string_view descr, NumberArray& array) {
    constexpr std::array<std::string_view, 11> kTypes{"b1", "u1", "i1", "u2", "i2", "u4",
                                                      "i4", "u8", "i8", "f4", "f8"};
    const bool is_known = descr.size() == 3 &&
                          std::string_view("<>|=").find(descr.front()) != std::string_view::npos &&
                          std::ranges::find(kTypes, descr.substr(1)) != kTypes.end();
    if (!is_known) {
        throw std::runtime_error(text("an array has numbers of the type '", descr.substr(0, 20),
                                      "', which scenes have not"));
    }
    array.kind = descr[1];
    array.width = static_cast<std::size_t>(descr[2] - '0');
    constexpr char kOther = std::endian::native == std::endian::little ? '>' : '<';
    array.is_swapped = descr.front() == kOther && array.width > 1;
}

void read_header(std::string_view header, NumberArray& array) {
    HeaderParser parser(header);
    std::array<bool, 3> found{};
    parser.require('{');
    while (!parser.take('}')) {
        const std::string_view key = parser.quoted();
        parser.require(':');
        if (key == "descr") {
            read_type(parser.quoted(), array);
            found[0] = true;
        } else if (key == "fortran_order") {
            found[1] = parser.word() == "False";
        } else if (key == "shape") {
            array.shape.clear();
            parser.require('(');
            while (!parser.take(')') && array.shape.size() < kMaxDimensions) {
                array.shape.push_back(parser.number());
                parser.take(',');
            }
            found[2] = true;
        }
        parser.take(',');
    }
    if (!std::ranges::all_of(found, [](bool is_there) { return is_there; })) {
        throw std::runtime_error("a header lacks type or shape, or the order is Fortran's");
    }
}

/// Bytes of all numbers; not set: more than can be.
std::optional<std::uint64_t> promised_bytes(const NumberArray& array) {
    std::uint64_t bytes = array.width;
    if (std::ranges::find(array.shape, 0U) != array.shape.end()) {
        return 0;
    }
    for (const std::uint64_t extent : array.shape) {
        if (bytes > std::numeric_limits<std::uint64_t>::max() / extent) {
            return std::nullopt;
        }
        bytes *= extent;
    }
    return bytes;
}

template <typename Stored>
Stored number_at(const NumberArray& array, std::size_t at) {
    std::array<std::byte, sizeof(Stored)> bytes{};
    std::memcpy(bytes.data(), array.bytes.data() + at * sizeof(Stored), sizeof(Stored));
    if (array.is_swapped) {
        std::ranges::reverse(bytes);
    }
    return std::bit_cast<Stored>(bytes);
}

/// Calls `visit` with a number of the stored type.
template <typename Visit>
void visit_type(const NumberArray& array, const Visit& visit) {
    if (array.kind == 'f') {
        array.width == 4 ? visit(float{}) : visit(double{});
    } else if (array.kind == 'i') {
        switch (array.width) {
        case 1: visit(std::int8_t{}); break;
        case 2: visit(std::int16_t{}); break;
        case 4: visit(std::int32_t{}); break;
        default: visit(std::int64_t{}); break;
        }
    } else {
        switch (array.width) {
        case 1: visit(std::uint8_t{}); break;
        case 2: visit(std::uint16_t{}); break;
        case 4: visit(std::uint32_t{}); break;
        default: visit(std::uint64_t{}); break;
        }
    }
}

template <typename T>
bool is_aligned(const NumberArray& array) {
    return reinterpret_cast<std::uintptr_t>(array.bytes.data()) % alignof(T) == 0;
}

template <typename T>
scene::MeshArray<T> view_of(const NumberArray& array) {
    return {{reinterpret_cast<const T*>(array.bytes.data()), array.size()}, array.owner};
}

bool is_known_format(std::string_view file, std::size_t version) {
    return file.starts_with(kMagic) && (version == 1 || version == 2) && file[7] == 0;
}

} // namespace

bool NumberArray::has_shape(std::initializer_list<std::uint64_t> wanted) const noexcept {
    return std::ranges::equal(shape, wanted, [](std::uint64_t extent, std::uint64_t expected) {
        return expected == 0 || extent == expected;
    });
}

std::string shape_text(std::span<const std::uint64_t> shape) {
    const std::vector<std::int64_t> extents(shape.begin(), shape.end());
    return core::shape_text(extents);
}

std::string NumberArray::shape_text() const {
    return scene_files::shape_text(shape);
}

NumberArray parse_npy(std::string_view name, std::span<const std::byte> file,
                      std::shared_ptr<const void> owner) {
    const std::string_view chars(reinterpret_cast<const char*>(file.data()), file.size());
    const std::size_t version = file.size() > 8 ? static_cast<std::size_t>(file[6]) : 0;
    const std::size_t prefix = version == 1 ? 10 : 12;
    if (!is_known_format(chars, version) || file.size() < prefix) {
        throw std::runtime_error(text(name, " has a format of another version of numpy"));
    }
    std::size_t length = 0;
    for (std::size_t k = prefix; k-- > 8;) {
        length = length << 8U | static_cast<std::size_t>(file[k]);
    }
    NumberArray array{.owner = std::move(owner)};
    if (length > kMaxHeader || prefix + length > file.size()) {
        throw std::runtime_error(text(name, " is not of the size that its header says"));
    }
    read_header(chars.substr(prefix, length), array);
    array.bytes = file.subspan(prefix + length);
    if (promised_bytes(array) != array.bytes.size()) {
        throw std::runtime_error(text(name, " is not of the size that its header says"));
    }
    return array;
}

template <typename T>
scene::MeshArray<T> converted(const NumberArray& array) {
    if (array.kind == 'f' && array.width == sizeof(T) && !array.is_swapped &&
        is_aligned<T>(array)) {
        return view_of<T>(array);
    }
    std::vector<T> numbers(array.size());
    visit_type(array, [&]<typename Stored>(Stored /*type*/) {
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            numbers[k] = static_cast<T>(number_at<Stored>(array, k));
        }
    });
    return numbers;
}

template scene::MeshArray<float> converted<float>(const NumberArray& array);
template scene::MeshArray<double> converted<double>(const NumberArray& array);

scene::MeshArray<std::uint32_t> indices(const NumberArray& array, std::size_t& bad) {
    bad = array.size();
    if (array.kind == 'u' && array.width == 4 && !array.is_swapped &&
        is_aligned<std::uint32_t>(array)) {
        return view_of<std::uint32_t>(array);
    }
    constexpr double kEnd = 4294967296.0;
    std::vector<std::uint32_t> numbers(array.size());
    visit_type(array, [&]<typename Stored>(Stored /*type*/) {
        for (std::size_t k = numbers.size(); k-- > 0;) {
            const auto number = static_cast<double>(number_at<Stored>(array, k));
            if (number >= 0 && number < kEnd && std::floor(number) == number) {
                numbers[k] = static_cast<std::uint32_t>(number);
            } else {
                bad = k;
            }
        }
    });
    return numbers;
}

NumberArray array_of(std::vector<double> numbers, std::vector<std::uint64_t> shape) {
    auto kept = std::make_shared<const std::vector<double>>(std::move(numbers));
    NumberArray array{.kind = 'f',
                      .width = sizeof(double),
                      .shape = std::move(shape),
                      .bytes = std::as_bytes(std::span(*kept)),
                      .owner = kept};
    if (promised_bytes(array) != array.bytes.size()) {
        throw std::length_error("the rows of a list differ in length");
    }
    return array;
}

std::string npy_header(std::string_view descr, std::span<const std::uint64_t> shape) {
    constexpr std::size_t kAlignment = 64;
    constexpr std::size_t kPrefix = 10;
    // numpy leaves room for the first extent to grow to 20 digits.
    constexpr std::size_t kGrowth = 21;
    std::string header = text("{'descr': '", descr,
                              "', 'fortran_order': False, 'shape': ", shape_text(shape), ", }");
    header.append(shape.empty() ? 0 : kGrowth - std::min(kGrowth, text(shape.front()).size()), ' ');
    const std::size_t used = kPrefix + header.size() + 1;
    header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
    header += '\n';
    std::string out(kMagic);
    out += {'\x01', '\x00', static_cast<char>(header.size() & 0xFFU),
            static_cast<char>(header.size() >> 8U)};
    return out + header;
}

} // namespace weft::scene_files
