// SPDX-License-Identifier: Apache-2.0
#include "python/loop_bounds.hpp"

#include "compile/slang_tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace weft::python {

namespace {

constexpr std::array<std::string_view, 3> kLoops{"for", "while", "do"};

bool is_loop(std::string_view word) {
    return std::find(kLoops.begin(), kLoops.end(), word) != kLoops.end();
}

/// The lines in which the condition of a loop stands, or where it has none its first statement begins.
struct Head {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

class Collector {
public:
    explicit Collector(std::string_view source) : m_tokens(source) {
        int open = 0; // do without its while
        for (std::size_t i = 0; i < m_tokens.size(); i++) {
            open += text(i) == "do" ? 1 : 0;
            const bool ends = open > 0 && i > 0 && text(i) == "while" && text(i - 1) == "}";
            open -= ends ? 1 : 0;
            if (is_loop(text(i)) && !ends) {
                const Head head = head_of(i);
                for (std::uint32_t line = head.begin; line <= head.end; line++) {
                    m_loops[line]++;
                }
            }
        }
    }

    void run(const std::string& file, dag::LoopBounds& bounds) const {
        for (std::size_t i = 0; i + 2 < m_tokens.size(); i++) {
            if (text(i) != "MaxIters" || text(i + 1) != "(") {
                continue;
            }
            const std::size_t loop = loop_behind(i);
            if (loop >= m_tokens.size()) {
                continue;
            }
            const Head head = head_of(loop);
            for (std::uint32_t line = head.begin; line <= head.end; line++) {
                bounds[{file, line}] = bound_of(i, head.begin, line);
            }
        }
    }

private:
    [[nodiscard]] std::string_view text(std::size_t i) const { return m_tokens.text(i); }

    [[nodiscard]] std::uint32_t line(std::size_t i) const {
        return static_cast<std::uint32_t>(m_tokens.line_of(i));
    }

    [[nodiscard]] Head head_of(std::size_t loop) const {
        std::size_t at = loop + 1;
        bool has_condition = false;
        if (text(loop) != "do") {
            int depth = 0;
            int part = text(loop) == "for" ? 0 : 1; // of for (0; 1; 2)
            for (; at < m_tokens.size(); at++) {
                depth += text(at) == "(" ? 1 : 0;
                depth -= text(at) == ")" ? 1 : 0;
                if (depth == 0) {
                    break;
                }
                part += depth == 1 && text(at) == ";" ? 1 : 0;
                const bool opens = depth == 1 && text(at) == "(";
                const bool is_part = part == 1 && text(at) != ";" && !opens;
                has_condition |= is_part && text(at) != "true" && text(at) != "1";
            }
            at++;
        }
        if (has_condition) {
            return {line(loop), line(at - 1)};
        }
        at += text(at) == "{" ? 1 : 0;
        const auto ends = [&](std::string_view token) {
            return token == ";" || token == ")" || token == "{" || token == "}";
        };
        while (at < m_tokens.size() && !ends(text(at))) {
            at++;
        }
        return {line(loop), line(at)};
    }

    /// Other attributes and a label may stand between an attribute and its loop.
    [[nodiscard]] std::size_t loop_behind(std::size_t i) const {
        const auto after_bracket = [&](std::size_t at) {
            while (at < m_tokens.size() && text(at) != "]") {
                at++;
            }
            return at + 1;
        };
        std::size_t at = after_bracket(i);
        while (text(at) == "]") { // of [[MaxIters(n)]]
            at++;
        }
        while (text(at) == "[") {
            at = after_bracket(at);
        }
        if (text(at + 1) == ":") {
            at += 2;
        }
        return is_loop(text(at)) ? at : m_tokens.size();
    }

    [[nodiscard]] dag::LoopBound bound_of(std::size_t i, std::uint32_t begin,
                                          std::uint32_t line) const {
        const std::string number(text(i + 2));
        dag::LoopBound bound{.begin = begin};
        const char* const end = number.data() + number.size();
        const auto read = std::from_chars(number.data(), end, bound.rounds);
        if (read.ec != std::errc() || read.ptr != end || text(i + 3) != ")") {
            bound.problem = "the number in [MaxIters(n)] must be written out, as in [MaxIters(16)]";
        } else if (m_loops.at(line) > 1) {
            bound.problem = "two loops begin on the line of [MaxIters(n)]'s; give each its own";
        }
        return bound;
    }

    compile::TokenList m_tokens;
    std::map<std::uint32_t, int> m_loops; ///< how many have a line in their heads
};

} // namespace

void collect_bounds(std::string_view source, const std::string& file, dag::LoopBounds& bounds) {
    if (source.find("MaxIters") != std::string_view::npos) {
        Collector(source).run(file, bounds);
    }
}

} // namespace weft::python
