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

constexpr double kSecondsBetweenCheckpoints = 30;

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
    /// @param checkpoint file to keep up to date; empty: none.
    Run(const JobText& job, bool is_quiet, std::filesystem::path checkpoint)
        : m_job(job), m_is_quiet(is_quiet), m_checkpoint(std::move(checkpoint)) {}

    Outcome operator()(engine::Fit& fit) {
        m_out.state = fit.state();
        m_before = m_out.state.seconds;
        m_out.reason = EndReason::iterations;
        while (!m_out.state.is_done) {
            if (is_cancelled != 0 || !step(fit)) {
                m_out.reason = EndReason::cancelled;
                break;
            }
            if (m_job.time_limit && seconds() >= *m_job.time_limit && !m_out.state.is_done) {
                m_out.reason = EndReason::time_limit;
                break;
            }
        }
        if (m_out.state.is_done && m_out.state.has_converged) {
            m_out.reason = EndReason::converged;
        }
        is_cancelled = 0; // what was found is kept; a second Ctrl-C ends the program
        m_out.history = fit.history();
        m_out.textures = fit.textures();
        m_out.environment = fit.environment();
        judge(fit);
        m_out.seconds = seconds();
        is_cancelled = 0; // as above, for one while it was judged
        if (!m_checkpoint.empty()) {
            fit.save_checkpoint(m_checkpoint);
        }
        if (!m_is_quiet) {
            std::cerr << '\n';
        }
        return std::move(m_out);
    }

private:
    /// Those before the checkpoint among them.
    [[nodiscard]] double seconds() const { return m_before + seconds_since(m_begin); }

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

    /// Writes the checkpoint from time to time.
    void keep(const engine::Fit& fit) {
        if (m_checkpoint.empty() || seconds_since(m_written) < kSecondsBetweenCheckpoints) {
            return;
        }
        try {
            fit.save_checkpoint(m_checkpoint);
        } catch (const core::Interrupted&) {
            return; // it is written at the end
        }
        m_written = Clock::now();
    }

    /// False: the user has ended it; the fit is as it was.
    bool step(engine::Fit& fit) {
        try {
            fit.step();
        } catch (const core::Interrupted&) {
            return false;
        }
        m_out.state = fit.state();
        keep(fit);
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
    std::filesystem::path m_checkpoint;
    Clock::time_point m_begin = Clock::now();
    Clock::time_point m_written = m_begin; ///< the checkpoint
    double m_before = 0;                   ///< seconds of iterations before the checkpoint
    Outcome m_out;
};

/// Goes on where a checkpoint was written, if there is one; its folder is there then.
void resume(engine::Fit& fit, const std::filesystem::path& checkpoint) {
    if (checkpoint.has_parent_path()) {
        make_folder(checkpoint.parent_path());
    }
    if (std::filesystem::exists(checkpoint)) {
        fit.resume(checkpoint);
    }
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
        light_targets(fitted, job.targets, fit::cameras_of(observations), sky ? sky->name : "");
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
    if (!options.checkpoint.empty()) {
        resume(fit, options.checkpoint);
    }
    Outcome outcome = Run(job, options.quiet, options.checkpoint)(fit);
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
