// SPDX-License-Identifier: Apache-2.0
#include "dag/interpret.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace weft::dag {

namespace {

constexpr std::size_t kChunk = 256; // elements: rows stay in the cache
constexpr std::uint32_t kTexel = 4; // components

void check(std::size_t expected, std::size_t got, std::size_t count,
           const std::vector<std::size_t>& sizes, const char* kind) {
    if (got < expected) {
        throw core::ArgumentError(
            core::text("interpret: the function reads ", expected, " ", kind, ", got ", got));
    }
    for (const std::size_t size : sizes) {
        if (size != count) {
            throw core::ArgumentError(
                core::text("interpret: an input has ", size, " elements, not ", count));
        }
    }
}

template <typename T>
std::vector<std::size_t> sizes_of(const std::vector<std::vector<T>>& arrays) {
    std::vector<std::size_t> sizes;
    sizes.reserve(arrays.size());
    for (const std::vector<T>& array : arrays) {
        sizes.push_back(array.size());
    }
    return sizes;
}

/// The two texels of a row or column beside a place, and where it is between them.
struct Between {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    float way = 0;
};

Between between(float place, std::uint32_t size) {
    const float texel = (place - std::floor(place)) * static_cast<float>(size) - 0.5F;
    const float below = std::floor(texel);
    // From -1 to size: a place just below 0 is rounded to 1.
    const auto first = static_cast<std::uint32_t>(below + static_cast<float>(size)) % size;
    return {first, (first + 1) % size, texel - below};
}

float sample(const Image& image, float u, float v, std::uint32_t component) {
    if (!std::isfinite(u) || !std::isfinite(v)) {
        return 0; // as Blender has it
    }
    const Between x = between(u, image.width);
    const Between y = between(v, image.height);
    const auto texel = [&](std::uint32_t column, std::uint32_t row) {
        const std::size_t number = static_cast<std::size_t>(row) * image.width + column;
        return image.texels[number * kTexel + component];
    };
    const auto row = [&](std::uint32_t number) {
        return (1 - x.way) * texel(x.first, number) + x.way * texel(x.second, number);
    };
    return (1 - y.way) * row(y.first) + y.way * row(y.second);
}

/// Rows of words, one a node that is live, for one chunk of elements.
class Rows {
public:
    Rows(const Function& function, const Values& inputs)
        : m_function(function), m_inputs(inputs), m_live(function.live()),
          m_place(function.graph.size()), m_words(m_live.size() * kChunk) {
        for (std::size_t i = 0; i < m_live.size(); i++) {
            m_place[m_live[i]] = i * kChunk;
        }
    }

    void run(std::size_t first, std::size_t count) {
        for (const NodeId id : m_live) {
            fill(id, first, count);
        }
    }

    [[nodiscard]] const Word* row(NodeId id) const { return &m_words[m_place[id]]; }

private:
    void fill(NodeId id, std::size_t first, std::size_t count) {
        const Node& node = m_function.graph[id];
        Word* out = &m_words[m_place[id]];
        switch (node.op) {
        case Op::constant: std::fill_n(out, count, node.payload); break;
        case Op::input:
            if (node.type == Scalar::real) {
                std::memcpy(out, &m_inputs.reals[node.payload][first], count * sizeof(Word));
            } else {
                std::copy_n(&m_inputs.integers[node.payload][first], count, out);
            }
            break;
        case Op::lookup: look_up(node, out, count); break;
        case Op::join:
            throw core::ArgumentError("interpret: the function looks a noise up; give it values");
        default: {
            Arguments arguments{};
            for (std::size_t i = 0; i < node.count; i++) {
                arguments[i] = row(node.arguments[i]);
            }
            operation(node.op).evaluate(arguments, out, count);
        }
        }
    }

    void look_up(const Node& node, Word* out, std::size_t count) {
        const std::uint32_t texture = node.payload / kTexel;
        if (!m_function.textures[texture].is_image || texture >= m_inputs.images.size()) {
            throw core::ArgumentError("interpret: the function looks a texture up; give it values");
        }
        const Word* u = row(node.arguments[0]);
        const Word* v = row(node.arguments[1]);
        for (std::size_t i = 0; i < count; i++) {
            out[i] = word_of(sample(m_inputs.images[texture], real_of(u[i]), real_of(v[i]),
                                    node.payload % kTexel));
        }
    }

    const Function& m_function;
    const Values& m_inputs;
    std::vector<NodeId> m_live;
    std::vector<std::size_t> m_place;
    std::vector<Word> m_words;
};

} // namespace

Values interpret(const Function& function, const Values& inputs, std::size_t count) {
    check(function.reals, inputs.reals.size(), count, sizes_of(inputs.reals), "reals");
    check(function.integers, inputs.integers.size(), count, sizes_of(inputs.integers), "integers");
    for (const Image& image : inputs.images) {
        const std::size_t size = kTexel * static_cast<std::size_t>(image.width) * image.height;
        if (size == 0 || image.texels.size() != size) {
            throw core::ArgumentError(core::text("interpret: an image of ", image.width, " x ",
                                                 image.height, " has ", image.texels.size(),
                                                 " numbers, not four a texel"));
        }
    }
    Values results;
    results.reals.assign(function.real_results.size(), std::vector<float>(count));
    results.integers.assign(function.integer_results.size(), std::vector<Word>(count));
    Rows rows(function, inputs);
    for (std::size_t first = 0; first < count; first += kChunk) {
        const std::size_t size = std::min(kChunk, count - first);
        rows.run(first, size);
        for (std::size_t i = 0; i < results.reals.size(); i++) {
            std::memcpy(&results.reals[i][first], rows.row(function.real_results[i]),
                        size * sizeof(Word));
        }
        for (std::size_t i = 0; i < results.integers.size(); i++) {
            std::copy_n(rows.row(function.integer_results[i]), size, &results.integers[i][first]);
        }
    }
    return results;
}

} // namespace weft::dag
