// SPDX-License-Identifier: Apache-2.0
#include "scene/alias_table.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/pairwise_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace weft::scene {

namespace {

constexpr std::size_t kWordBits = 64;

/// The numbers of entries whose bit is set, from the last one down.
class Descent {
public:
    /// @param flip taken from each word before it is looked at.
    Descent(std::span<const std::uint64_t> bits, std::uint64_t flip)
        : m_bits(bits), m_flip(flip), m_next(bits.size()) {}

    /// False: there is none left.
    bool next(std::size_t& entry) {
        while (m_word == 0) {
            if (m_next == 0) {
                return false;
            }
            m_word = m_bits[--m_next] ^ m_flip;
        }
        const auto bit = static_cast<std::size_t>(std::bit_width(m_word)) - 1;
        m_word ^= std::uint64_t{1} << bit;
        entry = m_next * kWordBits + bit;
        return true;
    }

private:
    std::span<const std::uint64_t> m_bits;
    std::uint64_t m_flip;
    std::size_t m_next;
    std::uint64_t m_word = 0;
};

class Pairing {
public:
    Pairing(std::span<const double> weights, double factor, std::byte* first, std::size_t stride)
        : m_weights(weights), m_factor(factor), m_first(first), m_stride(stride) {}

    /// Pairs entries below the mean with those above. One large entry is being used up at a time; when it has become
    /// small it is the next small one.
    void run() {
        const std::vector<std::uint64_t> small_bits = classify();
        Descent smalls(small_bits, 0);
        Descent larges(small_bits, ~std::uint64_t{0});
        std::size_t small = 0;
        std::size_t large = 0;
        bool has_small = smalls.next(small);
        bool has_large = next_large(larges, large);
        double rest = has_large ? scaled(large) : 0;
        while (has_small && has_large) {
            set(small, scaled(small), large);
            rest -= 1 - scaled(small);
            has_small = smalls.next(small);
            while (rest < 1) {
                const std::size_t used_up = large;
                has_large = next_large(larges, large);
                if (!has_large) {
                    set(used_up, 1, used_up);
                    break;
                }
                set(used_up, rest, large);
                rest = scaled(large) - (1 - rest);
            }
        }
        // What is left differs from 1 by rounding only.
        for (; has_small; has_small = smalls.next(small)) {
            set(small, 1, small);
        }
        for (; has_large; has_large = next_large(larges, large)) {
            set(large, 1, large);
        }
    }

    /// @throws ArgumentError as build_alias_table() does.
    void require_weights() const { static_cast<void>(classify()); }

private:
    double scaled(std::size_t entry) const noexcept { return m_weights[entry] * m_factor; }

    /// Bits of the entries below the mean; those beyond the last entry are not set.
    std::vector<std::uint64_t> classify() const {
        std::vector<std::uint64_t> bits((m_weights.size() + kWordBits - 1) / kWordBits);
        for (std::size_t word = 0; word < bits.size(); ++word) {
            const std::size_t begin = word * kWordBits;
            const std::size_t count = std::min(kWordBits, m_weights.size() - begin);
            std::uint64_t small = 0;
            std::uint64_t wrong = 0;
            for (std::size_t k = 0; k < count; ++k) {
                const double value = scaled(begin + k);
                small |= std::uint64_t{value < 1} << k;
                wrong |= std::uint64_t{!(value >= 0 && value < kInfinite)} << k;
            }
            if (wrong != 0) {
                refuse(begin + static_cast<std::size_t>(std::countr_zero(wrong)));
            }
            bits[word] = small;
        }
        return bits;
    }

    [[noreturn]] void refuse(std::size_t entry) const {
        throw core::ArgumentError(
            core::text("build_alias_table: weights must be finite and not negative, entry ", entry,
                       " is ", m_weights[entry]));
    }

    bool next_large(Descent& larges, std::size_t& large) const {
        do {
            if (!larges.next(large)) {
                return false;
            }
        } while (large >= m_weights.size()); // bits beyond the last entry
        return true;
    }

    void set(std::size_t entry, double threshold, std::size_t other) const noexcept {
        const AliasEntry made{static_cast<float>(std::clamp(threshold, 0.0, 1.0)),
                              static_cast<std::uint32_t>(other)};
        std::memcpy(m_first + entry * m_stride, &made, sizeof(made));
    }

    static constexpr double kInfinite = std::numeric_limits<double>::infinity();

    std::span<const double> m_weights;
    double m_factor;
    std::byte* m_first;
    std::size_t m_stride;
};

} // namespace

void fill_alias_table(std::span<const double> weights, double total, std::byte* first,
                      std::size_t stride) {
    const auto count = static_cast<double>(weights.size());
    if (total > 0) {
        Pairing(weights, count / total, first, stride).run();
        return;
    }
    Pairing(weights, 1, first, stride).require_weights();
    const std::vector<double> equal(weights.size(), 1.0);
    Pairing(equal, 1, first, stride).run();
}

std::vector<AliasEntry> build_alias_table(std::span<const double> weights) {
    std::vector<AliasEntry> table(weights.size());
    fill_alias_table(weights, pairwise_sum(weights), reinterpret_cast<std::byte*>(table.data()),
                     sizeof(AliasEntry));
    return table;
}

} // namespace weft::scene
