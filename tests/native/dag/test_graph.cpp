// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "dag/graph.hpp"
#include "dag/interpret.hpp"
#include "dag/print.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>

using namespace weft::dag;

TEST_CASE("equal nodes are one node, in either order where that does not matter") {
    Graph graph;
    const NodeId x = graph.input(Scalar::real, 0);
    const NodeId y = graph.input(Scalar::real, 1);

    CHECK(graph.make(Op::f_add, {x, y}) == graph.make(Op::f_add, {y, x}));
    CHECK(graph.make(Op::f_sub, {x, y}) != graph.make(Op::f_sub, {y, x}));
    CHECK(graph.constant(0.f) != graph.constant(-0.f));
}

TEST_CASE("constants are folded with the arithmetic of 32 bits") {
    Graph graph;
    const auto real = [&](float x) { return graph.constant(x); };
    const auto integer = [&](Word x) { return graph.constant_integer(x); };
    const auto value = [&](NodeId id) { return graph.value_of(id); };

    CHECK(value(graph.make(Op::f_add, {real(0.1f), real(0.2f)})) == word_of(0.1f + 0.2f));
    CHECK(value(graph.make(Op::i_mul, {integer(0x10001), integer(0x10001)})) == 0x20001u);
    CHECK(value(graph.make(Op::s_div, {integer(0x80000000), integer(~0u)})) == 0x80000000u);
    CHECK(value(graph.make(Op::s_mod, {integer(~6u), integer(5)})) == 3u);
    CHECK(value(graph.make(Op::real_to_s, {real(3e9f)})) == 0x7fffffffu);
    CHECK(value(graph.make(Op::round_even, {real(2.5f)})) == word_of(2.f));
    CHECK(value(graph.make(Op::round_even, {real(-0.25f)})) == word_of(-0.f));
    CHECK(value(graph.make(Op::to_half, {real(0.1f)})) == word_of(0.0999755859375f));
    CHECK(value(graph.make(Op::to_half, {real(1e-7f)})) == word_of(0x1p-23f));
    CHECK(value(graph.make(Op::to_half, {real(1e6f)})) ==
          word_of(std::numeric_limits<float>::infinity()));
}

TEST_CASE("only what is exact in floats is simplified") {
    Graph graph;
    const NodeId x = graph.input(Scalar::real, 0);

    CHECK(graph.make(Op::f_mul, {x, graph.constant(1.f)}) == x);
    CHECK(graph.make(Op::f_sub, {x, graph.constant(0.f)}) == x);
    CHECK(graph.make(Op::f_add, {x, graph.constant(0.f)}) != x); // -0 + 0 is 0
    CHECK(graph.make(Op::f_add, {x, graph.constant(-0.f)}) == x);
    CHECK(graph.make(Op::f_mul, {x, graph.constant(0.f)}) != graph.constant(0.f)); // infinity
    CHECK(graph.make(Op::f_neg, {graph.make(Op::f_neg, {x})}) == x);
}

TEST_CASE("choices by the same condition are made once") {
    Graph graph;
    const NodeId x = graph.input(Scalar::real, 0);
    const NodeId y = graph.input(Scalar::real, 1);
    const NodeId z = graph.input(Scalar::real, 2);
    const NodeId less = graph.make(Op::f_less, {x, y});
    const NodeId first = graph.select(less, x, y);

    CHECK(graph.select(less, first, z) == graph.select(less, x, z));
    CHECK(graph.select(graph.make(Op::b_not, {less}), x, y) == graph.select(less, y, x));
    CHECK(graph.select(less, x, x) == x);
    CHECK(graph.is_false(graph.make(Op::b_and, {less, graph.make(Op::b_not, {less})})));
}

TEST_CASE("ranges of integers decide comparisons") {
    Graph graph;
    const auto integer = [&](int x) { return graph.constant_integer(static_cast<Word>(x)); };
    const NodeId n = graph.input(Scalar::integer, 0);
    const NodeId clamped =
        graph.make(Op::s_min, {graph.make(Op::s_max, {n, integer(1)}), integer(16)});

    CHECK(graph.range_of(clamped) == Range{1, 16});
    CHECK(graph.range_of(graph.make(Op::i_mul, {clamped, integer(-3)})) == Range{-48, -3});
    CHECK(graph.range_of(graph.make(Op::i_and, {n, integer(255)})) == Range{0, 255});
    CHECK(graph.range_of(graph.make(Op::shift_right, {n, integer(8)})) == Range{0, 0xffffff});
    CHECK(graph.range_of(graph.make(Op::i_mul, {n, integer(2)})) == Range{});
    CHECK(graph.range_of(graph.make(Op::s_div, {integer(-50), clamped})) == Range{-50, -3});
    CHECK(graph.range_of(graph.make(Op::s_rem, {n, clamped})) == Range{-15, 15});
    CHECK(graph.range_of(graph.make(Op::u_mod, {n, clamped})) == Range{0, 15});
    CHECK(graph.is_true(graph.make(Op::s_less, {integer(0), clamped})));
    CHECK(graph.is_false(graph.make(Op::s_less, {integer(16), clamped})));
    CHECK_FALSE(graph.value_of(graph.make(Op::s_less, {integer(15), clamped})).has_value());
}

TEST_CASE("every operation has a row of the table, and values of its result's type") {
    for (std::size_t i = 0; i < kOperations; i++) {
        const Operation& what = operation(static_cast<Op>(i));
        CAPTURE(what.name);
        if (what.evaluate == nullptr) {
            continue;
        }
        const Word words[3] = {what.argument == Scalar::real ? word_of(0.75f) : 1u, 1, 1};
        Word result = 7;
        what.evaluate({&words[0], &words[1], &words[2]}, &result, 1);
        if (what.result == Scalar::boolean) {
            CHECK(result <= 1);
        }
    }
}

TEST_CASE("a function is interpreted for more elements than one chunk has") {
    Function function;
    const NodeId x = function.graph.input(Scalar::real, 0);
    function.reals = 1;
    function.real_results = {function.graph.make(Op::f_mul, {x, x})};
    std::vector<float> inputs(1000);
    for (std::size_t i = 0; i < inputs.size(); i++) {
        inputs[i] = static_cast<float>(i);
    }

    const Values values = interpret(function, {{inputs}, {}}, inputs.size());

    CHECK(values.reals[0][999] == 999.f * 999.f);
    CHECK(values.reals[0][256] == 256.f * 256.f);
    CHECK_THROWS_AS((interpret(function, {{}, {}}, 4)), weft::core::ArgumentError);
    CHECK_THROWS_AS((interpret(function, {{{1.f}}, {}}, 4)), weft::core::ArgumentError);
}

TEST_CASE("a function is printed as text and for dot") {
    Function function;
    Graph& graph = function.graph;
    const NodeId x = graph.input(Scalar::real, 0);
    function.real_results = {graph.make(Op::f_add, {x, graph.constant(0.1f)})};

    CHECK(print_text(function) == "%0 = real 0\n%1 = 0.100000001\n%2 = f_add %0 %1\nreal 0 = %2\n");
    CHECK_THAT(print_dot(function), ContainsSubstring("n0 -> n2"));
}
