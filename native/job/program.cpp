// SPDX-License-Identifier: Apache-2.0
#include "job/program.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "engine/device_name.hpp"
#include "engine/fit.hpp"
#include "job/job_text.hpp"
#include "job/lighting.hpp"
#include "job/observations.hpp"
#include "job/report.hpp"
#include "job/textures.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace weft::job {

namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t is_cancelled = 0;

/// The next Ctrl-C ends the program.
extern "C" void cancel(int) {
    is_cancelled = 1;
    std::signal(SIGINT, SIG_DFL);
}

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

device::DeviceDesc device_of(const std::string& text) {
    if (text.empty()) {
        return {};
    }
    const auto name = engine::parse_device_name(text);
    if (!name) {
        throw core::ArgumentError(core::text(
            "fit: --device must be vulkan, cuda or one of them with :NUMBER, got '", text, "'"));
    }
    return {.type = name->type, .adapter = name->adapter};
}

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder)) {
        throw core::ArgumentError(core::text("fit: the folder '", core::utf8_path(folder),
                                             "' cannot be made (", error.message(),
                                             "); choose another"));
    }
}

JobText read_job(const Options& options) {
    JobText job = read_job_text(options.job);
    if (options.seed) {
        job.settings.seed = *options.seed;
    }
    if (options.time_limit) {
        job.time_limit = options.time_limit;
    }
    return job;
}

/// Steps until nothing is left to do, or what came first of the limits and Ctrl-C.
class Run {
public:
    Run(const JobText& job, bool is_quiet) : m_job(job), m_is_quiet(is_quiet) {}

    Outcome operator()(engine::Fit& fit) {
        m_out.state = fit.state();
        m_out.reason = EndReason::iterations;
        while (!m_out.state.is_done) {
            if (is_cancelled != 0 || !step(fit)) {
                m_out.reason = EndReason::cancelled;
                break;
            }
            if (m_job.time_limit && seconds_since(m_begin) >= *m_job.time_limit &&
                !m_out.state.is_done) {
                m_out.reason = EndReason::time_limit;
                break;
            }
        }
        if (m_out.state.is_done && m_out.state.has_converged) {
            m_out.reason = EndReason::converged;
        }
        m_out.textures = fit.textures();
        m_out.environment = fit.environment();
        judge(fit);
        m_out.seconds = seconds_since(m_begin);
        if (!m_is_quiet) {
            std::cerr << '\n';
        }
        return std::move(m_out);
    }

private:
    void judge(engine::Fit& fit) {
        if (m_out.reason == EndReason::cancelled || m_out.history.empty()) {
            return;
        }
        try {
            m_out.verdict = fit.judge();
        } catch (const core::Interrupted&) {
            m_out.verdict.reset(); // what was found is kept
        }
    }

    /// False: the user has ended it; the fit is as it was.
    bool step(engine::Fit& fit) {
        try {
            fit.step();
        } catch (const core::Interrupted&) {
            return false;
        }
        m_out.state = fit.state();
        m_out.history.push_back(m_out.state);
        if (!m_is_quiet) {
            std::cerr << core::text("\riteration ", m_out.state.iterations, ", ", m_out.state.phase,
                                    ", about ", std::llround(100 * m_out.state.progress),
                                    " % done, loss ", m_out.state.loss, "      ")
                      << std::flush;
        }
        return true;
    }

    const JobText& m_job;
    bool m_is_quiet;
    Clock::time_point m_begin = Clock::now();
    Outcome m_out;
};

std::vector<scene::Camera> cameras_of(const std::vector<fit::Observation>& observations) {
    std::vector<scene::Camera> out;
    std::ranges::transform(observations, std::back_inserter(out), &fit::Observation::camera);
    return out;
}

fit::Sought sought_by(const JobText& job) {
    fit::Sought out{.parameters = job.parameters,
                    .exposures = job.exposures,
                    .lights = job.lights,
                    .environment = job.environment};
    std::ranges::transform(job.textures, std::back_inserter(out.textures),
                           &TextureEntry::parameter);
    return out;
}

engine::EngineDesc engine_of(const Options& options) {
    engine::EngineDesc desc;
    desc.device = device_of(options.device);
    desc.root = options.root;
    desc.poll = [] {
        if (is_cancelled != 0) {
            throw core::Interrupted();
        }
    };
    desc.message = [](std::string_view message) { std::cerr << "weft-fit: " << message << '\n'; };
    return desc;
}

} // namespace

int run(const Options& options) {
    const JobText job = read_job(options);
    scene_files::SceneFile file =
        scene_files::load(job.scene, {.trust = options.trust, .root = options.root});
    file.scene = with_textures_of(job, std::move(file.scene));
    std::vector<fit::Observation> observations;
    observations.reserve(job.targets.size());
    for (const TargetEntry& target : job.targets) {
        observations.push_back(read_observation(target, file.cameras));
    }
    const auto& sky = job.environment;
    const scene::Scene fitted =
        sky ? fit::with_unknown_environment(file.scene, *sky, observations) : file.scene;
    Lighting lighting =
        light_targets(fitted, job.targets, cameras_of(observations), sky ? sky->name : "");
    make_folder(options.out);
    std::signal(SIGINT, cancel);
    const auto engine = engine::Engine::create(engine_of(options));
    engine::Renderer renderer(*engine, fitted, {.lit_by = std::move(lighting.scenes)});
    for (std::size_t i = 0; i < observations.size(); ++i) {
        observations[i].lights = lighting.shown[i];
        const std::string& source = job.targets[i].mask_from;
        if (!source.empty() && source != "alpha") {
            keep_pixels_of(source, renderer, observations[i]);
        }
    }
    engine::Fit fit(renderer, std::move(observations), sought_by(job), job.settings);
    Outcome outcome = Run(job, options.quiet)(fit);
    outcome.device = engine->device()->info().name;
    const std::string summary = write_report(job, file, outcome, options.out, options.root);
    if (options.json) {
        std::cout << summary << '\n';
    } else if (!options.quiet) {
        std::cout << describe(outcome) << core::utf8_path(options.out / "report.json") << '\n';
    }
    return outcome.reason == EndReason::cancelled ? kCancelled : kDone;
}

} // namespace weft::job
