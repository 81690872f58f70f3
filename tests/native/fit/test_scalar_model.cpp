// SPDX-License-Identifier: Apache-2.0
// Renders as a function of numbers: which pixels are drawn, looks that leave no trace, and views of several devices.
#include "board_fixture.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace weft::fit {
namespace {

using namespace testing;

const scene::Numbers kPaint{0.7, 0.3, 0.2};

struct ScalarFixture : BoardFixture {
    Observation painted = photo(painted_board(image(), kPaint));

    ModelDesc desc(std::size_t observations = 1) const {
        ModelDesc out{.scene = painted_board(grey(), kPaint)};
        out.observations.assign(observations, painted);
        return out;
    }
};

/// Pixels of the camera that show the paint: 40 % of the width of a board that fills the picture, below and left.
bool shows_paint(std::uint32_t pixel) {
    const std::uint32_t x = pixel % 32;
    const std::uint32_t y = pixel / 32;
    return x >= 2 && x < 14 && y >= 18 && y < 30;
}

std::vector<float> copied(std::span<const float> values) {
    return {values.begin(), values.end()};
}

TEST_CASE_METHOD(ScalarFixture,
                 "pixels are drawn that tell of the numbers, and hidden ones never") {
    Models own(*this, desc());
    const Vector& x = own.unknowns.start;

    REQUIRE(own.scalars.select_pixels(x, 0.9));
    const std::vector<std::uint32_t> free = own.views.front().pixels();
    const auto painted_count = std::ranges::count_if(free, shows_paint);
    CHECK(painted_count > 100);

    std::vector<std::vector<bool>> hidden{std::vector<bool>(32 * 32)};
    for (std::uint32_t pixel = 0; pixel < 32 * 32; ++pixel) {
        hidden.front()[pixel] = shows_paint(pixel) && pixel % 32 < 8;
    }
    REQUIRE(own.scalars.select_pixels(x, 0.9, hidden));
    const std::vector<std::uint32_t> kept = own.views.front().pixels();
    CHECK_FALSE(kept.empty());
    CHECK(std::ranges::none_of(kept, [&](auto pixel) { return hidden.front()[pixel]; }));
    CHECK(std::ranges::count_if(kept, shows_paint) < painted_count);
    // What is hidden counts, and is drawn again when it is hidden no more.
    REQUIRE(own.scalars.select_pixels(x, 0.9));
    CHECK(std::ranges::any_of(own.views.front().pixels(),
                              [&](auto pixel) { return hidden.front()[pixel]; }));
}

TEST_CASE_METHOD(ScalarFixture, "a view whose pixels are all hidden tells nothing") {
    Models own(*this, desc(2));
    std::vector<std::vector<bool>> hidden(2, std::vector<bool>(32 * 32, true));
    CHECK_FALSE(own.scalars.select_pixels(own.unknowns.start, 0.9, hidden));

    hidden[1].flip();
    REQUIRE(own.scalars.select_pixels(own.unknowns.start, 0.9, hidden));

    CHECK(own.views[1].pixels().size() > 100);
    CHECK(own.views[0].pixels().size() <= 1); // it is drawn, whether or not it counts
}

TEST_CASE_METHOD(ScalarFixture, "a look leaves no trace in later draws") {
    Models first(*this, desc());
    Models second(*this, desc());
    const Vector& x = first.unknowns.start;
    first.scalars.draw(x);
    second.scalars.draw(x);

    const std::vector<float> seen = copied(second.scalars.look(x, 2, 77, 1).a);
    const std::vector<float> again = copied(second.scalars.look(x, 2, 77, 1).a);
    const std::vector<float> other = copied(second.scalars.look(x, 2, 78, 1).a);
    const std::vector<float> deeper = copied(second.scalars.look(x, 2, 77).a);

    CHECK(second.scalars.iterations() == 1);
    CHECK(seen != deeper);
    CHECK(seen == again);
    CHECK(seen != other);
    first.scalars.draw(x);
    second.scalars.draw(x);
    CHECK(copied(first.scalars.residuals(x).a) == copied(second.scalars.residuals(x).a));
}

TEST_CASE_METHOD(ScalarFixture, "draws follow from their number and their samples") {
    Models own(*this, desc());
    const Vector& x = own.unknowns.start;
    const auto drawn = [&](std::uint64_t iteration, std::int64_t samples) {
        own.scalars.set_iterations(iteration);
        own.scalars.set_samples(samples);
        own.scalars.draw(x);
        return copied(own.scalars.residuals(x).b);
    };

    const std::vector<float> first = drawn(3, 4);

    CHECK(own.scalars.iterations() == 4);
    CHECK(drawn(3, 4) == first);
    CHECK(drawn(4, 4) != first);
    CHECK(drawn(3, 2) != first);
}

/// Two devices of this machine, each with its own renderer of the scene.
struct TwoDevices : ScalarFixture {
    BoardFixture second;
    Models here{*this, desc(4)};
    Models there{second, desc(4)};

    /// Views of the first device, and of the second one from then on.
    std::vector<View> mixed(const std::vector<bool>& is_there) {
        std::vector<View> out;
        for (std::size_t number = 0; number < is_there.size(); ++number) {
            Models& owner = is_there[number] ? there : here;
            const auto parts = owner.views[number].parts();
            out.emplace_back(owner.observations[number],
                             std::vector<ViewPart>(parts.begin(), parts.end()),
                             std::vector<std::uint32_t>());
        }
        return out;
    }
};

/// What was done, in which thread.
struct Log {
    std::mutex mutex;
    std::vector<std::size_t> numbers;
    std::vector<std::thread::id> threads;

    void note(std::size_t number) {
        const std::scoped_lock lock(mutex);
        numbers.push_back(number);
        threads.push_back(std::this_thread::get_id());
    }
    [[nodiscard]] std::vector<std::size_t> those(const std::vector<bool>& flags, bool flag) const {
        std::vector<std::size_t> out;
        std::ranges::copy_if(numbers, std::back_inserter(out),
                             [&](std::size_t number) { return flags[number] == flag; });
        return out;
    }
    [[nodiscard]] std::thread::id thread_of(std::size_t number) const {
        return threads[static_cast<std::size_t>(std::ranges::find(numbers, number) -
                                                numbers.begin())];
    }
};

TEST_CASE_METHOD(TwoDevices, "views of one device follow each other in one thread") {
    REQUIRE(device != second.device);
    const std::vector<bool> is_there{true, false, true, false};
    const std::vector<View> views = mixed(is_there);
    CHECK(&views[0].device() == second.device.get());
    CHECK(&views[1].device() == device.get());
    Log log;

    each_view(views, [&](std::size_t number) { log.note(number); });

    CHECK(log.numbers.size() == 4);
    CHECK(log.those(is_there, true) == std::vector<std::size_t>{0, 2});
    CHECK(log.those(is_there, false) == std::vector<std::size_t>{1, 3});
    // The device of the first view has this thread.
    CHECK(log.thread_of(0) == std::this_thread::get_id());
    CHECK(log.thread_of(2) == std::this_thread::get_id());
    CHECK(log.thread_of(1) == log.thread_of(3));
    CHECK(log.thread_of(1) != std::this_thread::get_id());
    each_view({}, [](std::size_t) { FAIL(); });
}

TEST_CASE_METHOD(TwoDevices, "what a view throws ends the views of its device, and is thrown") {
    const std::vector<bool> is_there{false, true, false, true};
    const std::vector<View> views = mixed(is_there);
    for (const std::size_t bad : {0U, 1U}) {
        Log log;
        const auto work = [&](std::size_t number) {
            log.note(number);
            if (number == bad) {
                throw core::NonFiniteError("of view " + std::to_string(number));
            }
        };

        CHECK_THROWS_WITH(each_view(views, work),
                          ContainsSubstring("of view " + std::to_string(bad)));
        CHECK_THROWS_AS(each_view(views, work), core::NonFiniteError);

        // All have ended: twice the views but those after the bad one.
        CHECK(log.those(is_there, bad == 1) == std::vector<std::size_t>{bad, bad});
        CHECK(log.those(is_there, bad != 1).size() == 4);
    }
}

TEST_CASE_METHOD(TwoDevices, "where views of several devices throw, the first device's is thrown") {
    const std::vector<View> views = mixed({false, true, false, true});

    for (int repeat = 0; repeat < 20; ++repeat) {
        CHECK_THROWS_WITH(each_view(views,
                                    [](std::size_t number) {
                                        if (number >= 1) {
                                            throw std::runtime_error(std::to_string(number));
                                        }
                                    }),
                          "2");
    }
}

TEST_CASE_METHOD(TwoDevices, "numbers of several devices are those of one") {
    std::vector<View> views = mixed({false, true, true, false});
    ScalarModel shared(here.renderer.tables(), views, here.unknowns,
                       {.samples = 4, .bounces = 2, .seed = 5});
    const Vector x{0.6, 0.4, 0.3};

    here.scalars.draw(x);
    const SamplePair one = here.scalars.linearize(x);
    shared.draw(x);
    const SamplePair several = shared.linearize(x);

    CHECK(largest_difference(copied(one.a.residual), copied(several.a.residual)) < 1e-5);
    CHECK(largest_difference(copied(one.b.residual), copied(several.b.residual)) < 1e-5);
    CHECK(largest_difference(copied(one.a.jacobian), copied(several.a.jacobian)) < 1e-4);
    CHECK(*std::ranges::max_element(several.a.jacobian) > 0.1F);
    // Each view has samples of its own.
    const std::size_t size = one.a.residual.size() / 4;
    CHECK(copied(one.a.residual.first(size)) != copied(one.a.residual.subspan(size, size)));
}

} // namespace
} // namespace weft::fit
