// SPDX-License-Identifier: Apache-2.0
// Checkpoints as files: what is written is read, and damaged, foreign and other fits' files are refused.
#include "core/error.hpp"
#include "core/file.hpp"
#include "engine/fit_checkpoint.hpp"
#include "engine/fit_history.hpp"
#include "fit/scalar_fit.hpp"
#include "joint_scene.hpp"
#include "scene_files/archive.hpp"
#include "support/temporary_folder.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace weft::fit {
namespace {

namespace fs = std::filesystem;

using engine::read_checkpoint;
using engine::signature_of;
using engine::write_checkpoint;
using testing::board_over_floor;
using testing::JointFixture;
using testing::start_scene;

const std::string kSignature(64, 'a');

SavedArrays some_state() {
    SavedArrays out;
    out.add("solver.x", {0.1, -3, std::numeric_limits<double>::infinity(), 1e300});
    out.add("empty", {});
    out.add_counts("counts", {0, 7, std::size_t{1} << 52U});
    out.arrays.emplace("texels", SavedArray{{2, 3}, std::vector<float>{1, 2, 3, 4, 5, -0.25F}});
    out.arrays.emplace("loss", SavedArray{{}, std::vector{0.5}});
    return out;
}

void check_equal(const SavedArrays& one, const SavedArrays& other) {
    REQUIRE(one.arrays.size() == other.arrays.size());
    for (const auto& [name, array] : one.arrays) {
        INFO(name);
        CHECK(other.at(name).shape == array.shape);
        CHECK(other.at(name).values == array.values);
    }
}

std::vector<std::byte> bytes_of(const fs::path& path) {
    return core::try_read_file(path, 1U << 30U).value();
}

void put(const fs::path& path, std::span<const std::byte> bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

std::string refusal(const fs::path& path, const std::string& signature = kSignature) {
    try {
        static_cast<void>(read_checkpoint(path, signature));
    } catch (const core::ArgumentError& error) {
        return error.what();
    }
    return "no error";
}

scene_files::NewMember member(std::string name, std::string head) {
    return {.name = std::move(name), .head = std::move(head)};
}

TEST_CASE("a checkpoint is read as it was written, and replaces an earlier one") {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "f\u00fct.npz";
    write_checkpoint(path, kSignature, SavedArrays{});
    CHECK(read_checkpoint(path, kSignature).arrays.empty());
    write_checkpoint(path, kSignature, some_state());
    check_equal(some_state(), read_checkpoint(path, kSignature));
    const std::vector<std::byte> first = bytes_of(path);
    write_checkpoint(path, kSignature, some_state());
    CHECK(bytes_of(path) == first);
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a checkpoint that cannot be written leaves what was there") {
    const test::TemporaryFolder folder;
    CHECK_THROWS_WITH(write_checkpoint(folder.path() / "no" / "fit.npz", kSignature, some_state()),
                      ContainsSubstring("Fit.save_checkpoint: the folder of '") &&
                          ContainsSubstring("does not exist; create it first"));
    const fs::path taken = folder.path() / "folder.npz";
    fs::create_directory(taken);
    CHECK_THROWS_WITH(write_checkpoint(taken, kSignature, some_state()),
                      ContainsSubstring("was not written (") &&
                          ContainsSubstring("); the file is as it was"));
    CHECK(fs::is_directory(taken));
}

TEST_CASE("damaged checkpoints are refused") {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "fit.npz";
    CHECK_THAT(refusal(path), ContainsSubstring("Fit.resume: there is no file '") &&
                                  ContainsSubstring("check the path"));
    write_checkpoint(path, kSignature, some_state());
    const std::vector<std::byte> whole = bytes_of(path);
    for (std::size_t size = 0; size < whole.size(); size += 31) {
        put(path, std::span(whole).first(size));
        INFO("of " << whole.size() << " bytes " << size);
        CHECK_THAT(refusal(path), ContainsSubstring("' is no checkpoint, or a damaged one (") &&
                                      ContainsSubstring("); start anew"));
    }
    std::mt19937 random(1);
    std::size_t refused = 0;
    constexpr std::size_t kFlips = 1500;
    for (std::size_t flip = 0; flip < kFlips; ++flip) {
        std::vector<std::byte> changed = whole;
        const std::size_t bit = random() % (changed.size() * 8);
        changed[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        put(path, changed);
        const std::string said = refusal(path);
        if (said == "no error") {
            check_equal(some_state(), read_checkpoint(path, kSignature));
        } else {
            ++refused;
            CHECK_THAT(said, ContainsSubstring("start anew") ||
                                 ContainsSubstring("give what it was made with"));
        }
    }
    CHECK(refused > kFlips / 2);
}

TEST_CASE("files that others have made are refused by what they are") {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "fit.npz";
    put(path, std::as_bytes(std::span("this is a text")));
    CHECK_THAT(refusal(path), ContainsSubstring("File is not a zip file"));
    scene_files::write_archive(path, {member("scene.json", "{}")});
    CHECK_THAT(refusal(path), ContainsSubstring("is no checkpoint of this version of Weft"));
    scene_files::write_archive(path, {member("fingerprint.npy", "?"), member("format.npy", "?")});
    CHECK_THAT(refusal(path), ContainsSubstring("is a checkpoint of Python's weft.fit, which C++ "
                                                "programs do not read; go on there, or start "
                                                "anew"));
    write_checkpoint(path, kSignature, some_state());
    CHECK_THAT(refusal(path, std::string(64, 'b')),
               ContainsSubstring("belongs to another fit: the scene, the observations"));
    // A member that was taken away: each of the others is whole.
    scene_files::ArchiveReader archive(path, false);
    std::vector<scene_files::NewMember> kept;
    for (const std::string& name : archive.names()) {
        if (name != "state.texels.npy") {
            kept.push_back(member(name, archive.text(name, 1U << 20U)));
        }
    }
    CHECK(kept.size() + 1 == archive.names().size());
    const fs::path other = folder.path() / "other.npz";
    scene_files::write_archive(other, kept);
    CHECK_THAT(refusal(other), ContainsSubstring("its arrays are not those that were written"));
}

TEST_CASE("what a fit was after each iteration is read as it was written") {
    const FitState like{.values = {{.name = "a", .value = {0}, .error = {0}},
                                   {.name = "b", .value = {0, 0}, .error = {0, 0}}}};
    std::vector<FitState> history;
    for (const char* const phase : {"scalars", "textures 2"}) {
        FitState state = like;
        state.iterations = history.size() + 1;
        state.loss = 0.25;
        state.noise_floor = 0.125;
        state.phase = phase;
        state.progress = 0.5;
        state.seconds = 3;
        state.values[1] = {.name = "b", .value = {1, 2}, .error = {INFINITY, 4}};
        history.push_back(state);
    }
    const auto read = engine::restored_history(engine::save_history(history), like);
    REQUIRE(read.size() == 2);
    CHECK(read[1].iterations == 2);
    CHECK(read[1].phase == "textures 2");
    CHECK((read[1].loss == 0.25 && read[1].noise_floor == 0.125 && read[1].progress == 0.5));
    CHECK((read[1].seconds == 3 && std::isinf(read[1].seconds_left)));
    CHECK(read[1].values[1].name == "b");
    CHECK(read[1].values[1].value == Vector{1, 2});
    CHECK((std::isinf(read[1].values[1].error[0]) && read[1].values[1].error[1] == 4));
    CHECK(engine::restored_history(engine::save_history({}), like).empty());
    SavedArrays changed = engine::save_history(history);
    changed.add("values", {1, 2, 3});
    CHECK_THROWS_WITH(engine::restored_history(changed, like), ContainsSubstring("'values'"));
}

TEST_CASE_METHOD(JointFixture, "the signature of a fit tells what it is about, and not how long") {
    const Observation observation{.name = "photo",
                                  .camera = testing::camera_over_board(),
                                  .image = std::vector<float>(std::size_t{28} * 28 * 3, 0.5F)};
    const Sought sought{.parameters = {{.name = "Floor.base_color"}},
                        .exposures = {{}},
                        .lights = {{.light = "key"}},
                        .textures = {{.name = "Board.base_color"}}};
    render::Renderer usual_light = renderer(start_scene());
    render::Renderer brighter = renderer(board_over_floor({.lamp = 2}));
    const auto with = [&](const std::function<void(Observation&, Sought&, FitSettings&)>& change) {
        Observation seen = observation;
        Sought wanted = sought;
        FitSettings given;
        change(seen, wanted, given);
        return signature_of(usual_light, std::span(&seen, 1), wanted, given, 0);
    };
    const std::string usual = with([](auto&, auto&, auto&) {});
    CHECK(usual.size() == 64);
    CHECK(with([](auto&, auto&, auto&) {}) == usual);
    CHECK(with([](auto&, auto&, FitSettings& own) {
              own.max_iterations = 7;
              own.texture_iterations = 7;
              own.tolerance = 0.1;
          }) == usual);
    const std::vector<std::function<void(Observation&, Sought&, FitSettings&)>> changes{
        [](Observation& own, auto&, auto&) { own.name = "other"; },
        [](Observation& own, auto&, auto&) { own.camera.scale = 3; },
        [](Observation& own, auto&, auto&) { own.image[7] = 0.25F; },
        [](Observation& own, auto&, auto&) { own.mask.assign(std::size_t{28} * 28, 1); },
        [](Observation& own, auto&, auto&) { own.filter_width = 2; },
        [](Observation& own, auto&, auto&) { own.robust = true; },
        [](Observation& own, auto&, auto&) { own.grain = 8; },
        [](auto&, Sought& own, auto&) { own.parameters[0].name = "Floor.roughness"; },
        [](auto&, Sought& own, auto&) { own.parameters[0].bounds = Bounds{0, 1}; },
        [](auto&, Sought& own, auto&) { own.parameters[0].start = {0, 0, 0}; },
        [](auto&, Sought& own, auto&) { own.parameters[0].tied = {"Board.roughness"}; },
        [](auto&, Sought& own, auto&) { own.parameters[0].prior = ExpectedValue{{0}, 1}; },
        [](auto&, Sought& own, auto&) { own.exposures[0].white_balance = true; },
        [](auto&, Sought& own, auto&) { own.exposures[0].start = 2; },
        [](auto&, Sought& own, auto&) { own.lights[0].color = true; },
        [](auto&, Sought& own, auto&) { own.lights.clear(); },
        [](auto&, Sought& own, auto&) { own.textures[0].smoothness = 0; },
        [](auto&, auto&, FitSettings& own) { own.samples = 8; },
        [](auto&, auto&, FitSettings& own) { own.bounces = 2; },
        [](auto&, auto&, FitSettings& own) { own.seed = 1; },
    };
    std::set<std::string> known{usual,
                                signature_of(brighter, std::span(&observation, 1), sought, {}, 0)};
    for (const auto& change : changes) {
        known.insert(with(change));
    }
    CHECK(known.size() == changes.size() + 2);
}

TEST_CASE_METHOD(JointFixture, "a fit goes on from a file bit by bit, after an interrupt as well") {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "fit.npz";
    const Observation observation = photo(board_over_floor({}));
    const Sought sought{.parameters = {{.name = "Floor.base_color"}}};
    render::Renderer first = renderer(start_scene());
    bool is_interrupted = false;
    ScalarFit whole(first, {observation}, sought, {.bounces = 2}, [&] {
        if (is_interrupted) {
            throw core::Interrupted();
        }
    });
    whole.step();
    whole.step();
    is_interrupted = true;
    CHECK_THROWS_AS(whole.step(), core::Interrupted);
    is_interrupted = false;
    const std::string signature = signature_of(first, std::span(&observation, 1), sought, {}, 0);
    write_checkpoint(path, signature, whole.save());
    render::Renderer second = renderer(start_scene());
    ScalarFit fit(second, {observation}, sought, {.bounces = 2});
    fit.restore(
        read_checkpoint(path, signature_of(second, std::span(&observation, 1), sought, {}, 0)));
    CHECK(fit.state().iterations == 2);
    while (!whole.state().is_done) {
        whole.step();
        fit.step();
        REQUIRE(fit.state().loss == whole.state().loss);
        REQUIRE(fit.state().values[0].value == whole.state().values[0].value);
        REQUIRE(fit.state().values[0].error == whole.state().values[0].error);
    }
    CHECK(fit.state().is_done);
}

} // namespace
} // namespace weft::fit
