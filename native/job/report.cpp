// SPDX-License-Identifier: Apache-2.0
#include "job/report.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "fit/observation.hpp"
#include "job/textures.hpp"
#include "scene/light_changes.hpp"
#include "scene/parameter_changes.hpp"
#include "scene/parameter_names.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <span>
#include <sstream>
#include <string_view>

namespace weft::job {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1; ///< of the format, as Python's reports
constexpr std::array<std::string_view, 4> kReasons{"converged", "iterations", "time", "cancelled"};
constexpr std::string_view kOpen = "the fit was ended before it could be judged";
constexpr std::string_view kNoCauses =
    "what is likely wrong where the verdict is not 'explained' (Python's `weft fit` says it)";
constexpr std::string_view kNoPictures =
    "pictures before and after, and the curve of the loss (Python's `weft fit` draws them)";

std::string_view word_of(EndReason reason) {
    return kReasons.at(static_cast<std::size_t>(reason));
}

/// Numbers as JSON has them: what is not finite becomes null.
Json finite(const fit::Vector& values) {
    Json out = Json::array();
    for (const double value : values) {
        out.push_back(std::isfinite(value) ? Json(value) : Json());
    }
    return out;
}

Json finite(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

Json entry_of(const fit::FitState& state) {
    Json values = Json::object();
    Json errors = Json::object();
    for (const fit::FittedValue& found : state.values) {
        values[found.name] = finite(found.value);
        errors[found.name] = finite(found.error);
    }
    return {{"iterations", state.iterations},
            {"phase", state.phase},
            {"fraction", state.progress},
            {"loss", finite(state.loss)},
            {"noise_floor", finite(state.noise_floor)},
            {"values", std::move(values)},
            {"errors", std::move(errors)}};
}

/// Standard errors, of the verdict if there is one.
const fit::Vector& errors_of(const Outcome& outcome, std::size_t number) {
    return outcome.verdict ? outcome.verdict->errors.at(number)
                           : outcome.state.values.at(number).error;
}

/// Of the texels.
double known_share(const fit::FittedTexture& texture) {
    return static_cast<double>(std::ranges::count(texture.known, 1.0F)) /
           static_cast<double>(texture.known.size());
}

Json parameters_of(const JobText& job, const Outcome& outcome) {
    Json out = Json::object();
    for (std::size_t number = 0; number < outcome.state.values.size(); ++number) {
        const fit::FittedValue& found = outcome.state.values[number];
        const auto own = std::ranges::find(job.parameters, found.name, &fit::Parameter::name);
        out[found.name] = {
            {"value", finite(found.value)},
            {"error", finite(errors_of(outcome, number))},
            {"tied", own == job.parameters.end() ? std::vector<std::string>() : own->tied}};
    }
    return out;
}

Json settings_of(const JobText& job) {
    const fit::FitSettings& own = job.settings;
    return {{"samples", own.samples},
            {"bounces", own.bounces},
            {"seed", own.seed},
            {"tolerance", own.tolerance},
            {"max_iterations", own.max_iterations},
            {"texture_iterations", own.texture_iterations},
            {"time_limit", job.time_limit ? Json(*job.time_limit) : Json()},
            {"starts", own.starts},
            {"information", own.information}};
}

Json verdict_of(const std::optional<fit::Verdict>& verdict) {
    if (!verdict) {
        return {{"level", "open"}, {"sentence", kOpen}};
    }
    Json views = Json::array();
    for (const fit::ViewVerdict& view : verdict->views) {
        views.push_back({{"name", view.name},
                         {"level", fit::kVerdictLevels.at(static_cast<std::size_t>(view.level))},
                         {"ratio", finite(view.ratio)},
                         {"misfit", finite(view.misfit)},
                         {"noise", finite(view.noise)},
                         {"brightness", finite(view.brightness)},
                         {"outliers", finite(view.outliers)},
                         {"certainty", finite(view.certainty)}});
    }
    return {{"level", fit::kVerdictLevels.at(static_cast<std::size_t>(verdict->level))},
            {"sentence", fit::describe(*verdict)},
            {"ratio", finite(verdict->ratio)},
            {"misfit", finite(verdict->misfit)},
            {"inflation", finite(verdict->inflation)},
            {"views", std::move(views)}};
}

Json textures_of(const Outcome& outcome, const std::vector<TextureFiles>& files) {
    Json out = Json::object();
    for (std::size_t number = 0; number < outcome.textures.size(); ++number) {
        const fit::FittedTexture& found = outcome.textures[number];
        out[found.name] = {
            {"file", files[number].file},
            {"map", files[number].map},
            {"errors", files[number].errors},
            {"width", found.width},
            {"height", found.height},
            {"channels", found.channels},
            {"known_share", known_share(found)},
            {"told_share", fit::told_share(found)},
            {"undetermined", found.undetermined.empty() ? Json() : Json(found.undetermined)}};
    }
    return out;
}

/// @param folder gets its picture.
Json environment_of(const Outcome& outcome, const std::filesystem::path& folder) {
    if (!outcome.environment) {
        return {};
    }
    const auto& [found, undetermined] = *outcome.environment;
    const std::string file = write_environment(found, folder);
    return {{"file", file},
            {"map", kEnvironmentMap},
            {"width", found.width},
            {"height", found.height},
            {"undetermined", undetermined.empty() ? Json() : Json(undetermined)}};
}

Json summary_of(const JobText& job, const Outcome& outcome, const std::vector<TextureFiles>& files,
                Json environment) {
    const fit::FitState& state = outcome.state;
    return {{"weft", "fit report"},
            {"version", kVersion},
            {"program", "weft-fit"},
            {"device", outcome.device},
            {"reason", word_of(outcome.reason)},
            {"converged", state.has_converged},
            {"verdict", verdict_of(outcome.verdict)},
            {"problems", state.problems},
            {"iterations", state.iterations},
            {"seconds", outcome.seconds},
            {"loss", finite(state.loss)},
            {"noise_floor", finite(state.noise_floor)},
            {"settings", settings_of(job)},
            {"parameters", parameters_of(job, outcome)},
            {"textures", textures_of(outcome, files)},
            {"environment", std::move(environment)},
            {"scene", "scene.weft"},
            {"left_out", Json::array({kNoCauses, kNoPictures})}};
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    if (!core::try_write_file(path, bytes)) {
        throw core::ArgumentError(core::text("fit: '", core::utf8_path(path),
                                             "' cannot be written; choose another folder"));
    }
}

} // namespace

scene::Scene with_result(const scene::Scene& scene, const JobText& job,
                         const fit::FitState& found) {
    const auto value_of = [&found](const std::string& name) -> const fit::Vector& {
        return std::ranges::find(found.values, name, &fit::FittedValue::name)->value;
    };
    scene::ParameterValues numbers;
    for (const fit::Parameter& parameter : job.parameters) {
        numbers[parameter.name] = value_of(parameter.name);
        for (const std::string& tied : parameter.tied) {
            numbers[tied] = value_of(parameter.name);
        }
    }
    scene::LightFactors factors;
    const std::vector<std::string> lights = scene::light_names(scene);
    for (const fit::LightParameter& light : job.lights) {
        if (std::ranges::find(lights, light.light) == lights.end()) {
            continue; // a light of one picture
        }
        const std::array<std::string, 2> parts{light.light, "factor"};
        const fit::Vector& own = value_of(scene::join_name(parts));
        const bool is_color = own.size() == fit::kChannels;
        factors[light.light] = {own[0], own[is_color ? 1 : 0], own[is_color ? 2 : 0]};
    }
    return scene::with_light_factors(scene::with_parameters(scene, numbers), factors);
}

std::string write_report(const JobText& job, const scene_files::SceneFile& file,
                         const Outcome& outcome, const std::filesystem::path& folder,
                         const std::filesystem::path& root) {
    scene_files::SceneFile fitted = file;
    const std::vector<TextureFiles> files = write_textures(outcome.textures, folder);
    fitted.scene = with_found(with_result(file.scene, job, outcome.state), outcome.textures);
    if (outcome.environment) {
        fitted.scene.environment =
            std::make_shared<const scene::Environment>(outcome.environment->environment);
    }
    scene_files::save(fitted, folder / "scene.weft", root);
    const Json summary = summary_of(job, outcome, files, environment_of(outcome, folder));
    Json report = summary;
    Json& history = report["history"] = Json::array();
    for (const fit::FitState& state : outcome.history) {
        history.push_back(entry_of(state));
    }
    write_file(folder / "report.json", report.dump(1) + "\n");
    return summary.dump();
}

std::string describe(const Outcome& outcome) {
    std::size_t wide = 0;
    for (const fit::FittedValue& found : outcome.state.values) {
        wide = std::max(wide, found.name.size());
    }
    std::ostringstream out;
    out << word_of(outcome.reason) << " after " << outcome.state.iterations << " iterations, "
        << std::fixed << std::setprecision(1) << outcome.seconds << " s\n"
        << std::defaultfloat;
    for (std::size_t number = 0; number < outcome.state.values.size(); ++number) {
        const fit::FittedValue& found = outcome.state.values[number];
        const fit::Vector& errors = errors_of(outcome, number);
        out << found.name << std::string(wide - found.name.size() + 2, ' ');
        for (std::size_t i = 0; i < found.value.size(); ++i) {
            out << (i == 0 ? "" : ", ") << std::setprecision(4) << found.value[i] << " \u00b1 ";
            if (std::isfinite(errors[i])) {
                out << std::setprecision(1) << errors[i];
            } else {
                out << '?';
            }
        }
        out << '\n';
    }
    for (const fit::FittedTexture& found : outcome.textures) {
        out << found.name << "  " << found.width << " x " << found.height << " texels, "
            << std::setprecision(3) << 100 * known_share(found) << " % of them known"
            << (found.undetermined.empty() ? "" : ": ") << found.undetermined << '\n';
    }
    if (outcome.environment) {
        const auto& [found, undetermined] = *outcome.environment;
        out << found.name << "  " << found.width << " x " << found.height << " texels"
            << (undetermined.empty() ? "" : ": ") << undetermined << '\n';
    }
    if (outcome.verdict) {
        out << fit::kVerdictLevels.at(static_cast<std::size_t>(outcome.verdict->level)) << ": "
            << fit::describe(*outcome.verdict) << '\n';
    } else {
        out << "open: " << kOpen << '\n';
    }
    for (const std::string& problem : outcome.state.problems) {
        out << "problem: " << problem << '\n';
    }
    return out.str();
}

} // namespace weft::job
