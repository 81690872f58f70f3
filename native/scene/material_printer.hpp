// SPDX-License-Identifier: Apache-2.0
// How print_program() prints. Values: material_printer.cpp; closures: material_printer_closures.cpp; normals:
// material_printer_normals.cpp; what is inside and transparency: material_printer_media.cpp.
#pragma once

#include "scene/material_program.hpp"
#include "scene/slang_template.hpp"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::scene {

inline constexpr std::string_view kBlack = "float3(0.f)";

/// Slang's type of some floats, 1 to 4.
[[nodiscard]] std::string_view float_type(std::size_t size);
/// A value with another number of components; grey is the mean of the channels.
[[nodiscard]] std::string convert(std::string_view text, std::size_t got, std::size_t wanted);

/// Type, value and emission of a surface as Slang text.
struct SurfaceText {
    std::string type;
    std::string value;
    std::string emission;
};

/// What a volume adds to the fields of a medium, as Slang text.
struct MediumText {
    std::array<std::string, 3> fields; ///< absorption, scattering, emission
    std::string anisotropy;
};

/// Prints one material.
class MaterialPrinter {
public:
    explicit MaterialPrinter(const Material& material);
    [[nodiscard]] MaterialProgram print();

private:
    using Body = std::function<std::string()>;

    // Parameters.
    std::size_t add_parameter(MaterialParameter parameter);
    std::string constant(std::string name, const Numbers& numbers, const ClosureInput& input,
                         bool is_separable);

    // Values. `name` is that of the input, for the parameters below it.
    std::string value(const std::string& name, const Value& value, const ClosureInput& input,
                      bool is_separable = false);
    std::string free_value(const std::string& name, const Value& value);
    std::string converted(const std::string& name, const Value& value, std::size_t wanted);
    std::string texture(const std::string& name, const std::shared_ptr<Texture>& texture);
    std::string footprint(const std::string& name, const std::optional<Value>& uv);
    std::string call(const std::string& name, const SlangCall& call);
    std::string new_call(const std::string& name, const SlangCall& call);
    void print_upstream(const std::string& name, const SlangCall& call);
    std::string local(std::size_t size, std::string_view expression);
    std::string function(std::size_t size, const Body& body);
    [[nodiscard]] std::string_view no_diff() const noexcept { return m_is_fixed ? "" : "no_diff "; }
    [[nodiscard]] std::string numbered(std::string_view name) const;

    // Closures.
    SurfaceText surface(const std::string& prefix, const Surface& surface);
    SurfaceText mix(const std::string& prefix, const Mix& mix);
    SurfaceText closure(const std::string& prefix, const Closure& closure);
    void inputs(const std::string& prefix, const Closure& closure, TemplateValues& values);
    std::string turn(const std::string& prefix, const Closure& closure, TemplateValues& values);
    std::string tangent(const std::string& prefix, const Closure& closure,
                        const std::string& perturbed);
    /// @param structure of the closure's inputs, "" if it has none
    void add_rotation(const std::string& rotation, const std::string& structure,
                      TemplateValues& values);
    std::string subsurface(const Closure& closure, const std::string& structure);

    // Normals.
    std::string normal_number(const std::string& name, const Value& value, std::size_t wanted);
    std::string normal_map(const std::string& name, const NormalMap& map);
    std::string bump(const std::string& name, const Bump& bump);
    std::string bump_step(const std::string& name, const Bump& bump);
    std::string perturbed_frame(const std::string& prefix, const Closure& closure,
                                bool ensures_valid_reflection);
    std::string coat_normal(const std::string& prefix, const Closure& closure,
                            const std::string& frame);

    // What is inside, and transparency.
    std::string medium();
    MediumText coefficients(const std::string& prefix, const Surface& volume);
    MediumText mixed_coefficients(const std::string& prefix, const Surface& first,
                                  const Surface& second, const Value* factor);
    MediumText closure_coefficients(const std::string& prefix, const Closure& closure);
    std::string transparency(const std::string& prefix, const Surface& surface);
    std::string closure_transparency(const std::string& prefix, const Closure& closure);

    const Material& m_material;
    MaterialProgram m_program;
    std::vector<std::string> m_lines;
    std::size_t m_floats = 0; ///< of the parameters
    /// Index among the parameters, and first float, by name.
    std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> m_parameters;
    std::map<std::pair<std::size_t, const SlangCall*>, std::string> m_known; ///< calls by scope
    std::size_t m_scope = 0;      ///< number of the function whose lines are printed
    std::size_t m_scopes = 0;     ///< last number that one has got
    std::size_t m_depth = 0;      ///< of the calls that are being printed
    std::size_t m_nesting = 0;    ///< of the values that are being printed
    bool m_needs_tangent = false; ///< the frame is that of the point's tangent
    bool m_ensures_valid_reflection =
        false; ///< the frame is that of a normal that sharp closures need
    bool m_is_fixed = false;
    bool m_drives_transparency = false;
    bool m_is_medium = false;
    bool m_is_walk = false;
};

} // namespace weft::scene
