// SPDX-License-Identifier: Apache-2.0
#include "scene/kernel_text.hpp"

#include "core/text.hpp"
#include "scene/kernel_slang.hpp"
#include "scene/slang_template.hpp"
#include "scene/text_scan.hpp"

#include <algorithm>
#include <unordered_set>

namespace weft::scene {

namespace {

constexpr std::string_view kImport = "import";
constexpr std::string_view kExported = "__exported";

std::string flag(bool value) {
    return value ? "true" : "false";
}

/// Where a statement that imports ends; `at`, the begin of a line: there is none.
std::size_t end_of_import(std::string_view source, std::size_t at) {
    std::size_t next = skip_space(source, at);
    if (source.substr(next).starts_with(kExported)) {
        const std::size_t end = next + kExported.size();
        next = skip_space(source, end);
        if (next == end) {
            return at;
        }
    }
    if (!source.substr(next).starts_with(kImport)) {
        return at;
    }
    const std::size_t begin = next + kImport.size();
    const std::size_t space = space_at(source, begin);
    const std::size_t end = source.find(';', begin);
    const bool has_name = end != std::string_view::npos && space > 0 && end > begin + space;
    return has_name ? end + 1 : at;
}

/// A user's text inside a namespace; its imports stay outside.
std::string wrapped_source(std::string_view source) {
    std::vector<std::string> lines;
    std::string body;
    std::size_t at = 0;
    bool is_line_start = true;
    while (at < source.size()) {
        const std::size_t end = is_line_start ? end_of_import(source, at) : at;
        if (end > at) {
            lines.emplace_back(source.substr(at, end - at));
            at = end;
            is_line_start = false;
            continue;
        }
        const std::size_t line_end = std::min(source.find('\n', at), source.size() - 1) + 1;
        body.append(source.substr(at, line_end - at));
        at = line_end;
        is_line_start = true;
    }
    lines.insert(lines.end(), {"namespace " + namespace_of(source), "{", body, "}"});
    return core::join(lines, "\n");
}

std::string print_traits(const SceneTraits& traits) {
    std::string text =
        core::text("\nexport static const uint weft_light_kinds = ", traits.light_kinds, ";\n");
    for (const SceneTrait& trait : kSceneTraits) {
        text += core::text("export static const bool weft_", trait.name, " = ",
                           flag(traits.*trait.value), ";\n");
    }
    return text;
}

std::string print_kernels(const MaterialProgram& program) {
    const bool is_transparent = !program.transparency.empty();
    return fill_template(
        kProgram,
        {{"bsdf", program.bsdf},
         {"text", program.text},
         {"isEmissive", flag(program.is_emissive)},
         {"scatters", flag(program.scatters)},
         {"wanders", flag(program.subsurface_closures > 0)},
         {"isTransparent", flag(is_transparent)},
         {"is_boundary", flag(program.is_boundary)},
         {"transparency", is_transparent ? program.transparency + "(m, s)" : "float3(0.f)"}});
}

} // namespace

std::string print_shared_module(const SceneTraits& traits) {
    std::vector<std::string> parts{"import weft.render;", print_traits(traits),
                                   std::string(kShared)};
    if (traits.has_media) {
        parts.emplace_back(kMedia);
    }
    if (traits.fits_media) {
        parts.emplace_back(kFittedMedia);
    }
    if (traits.has_walks) {
        parts.emplace_back(kSubsurface);
    }
    return core::join(parts, "\n\n");
}

std::string print_program_module(const MaterialProgram& program, const SceneTraits& traits) {
    std::vector<std::string> parts{"import weft.bsdf;", "import weft.render;"};
    for (const std::string& name : program.modules) {
        parts.push_back("import " + name + ";");
    }
    parts.push_back(print_traits(traits));
    std::ranges::transform(program.sources, std::back_inserter(parts), wrapped_source);
    std::ranges::copy(program.functions, std::back_inserter(parts));
    parts.push_back(print_kernels(program));
    if (traits.has_textured_emission && program.is_emissive) {
        parts.emplace_back(kTexturedEmission);
    }
    if (traits.has_transparency && !program.transparency.empty()) {
        parts.emplace_back(kTransparentShadows);
    }
    if (!program.medium.empty()) {
        parts.push_back(program.medium);
        parts.emplace_back(kMedium);
    }
    return core::join(parts, "\n\n");
}

std::string print_recording_module(const MaterialProgram& program, const SceneTraits& traits) {
    std::string text = print_program_module(program, traits).append(kRecording);
    return !program.medium.empty() && traits.fits_media ? text.append(kMediumDerivatives) : text;
}

} // namespace weft::scene
