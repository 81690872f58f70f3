// SPDX-License-Identifier: Apache-2.0
// What weft.scene and weft.render know of lights comes from here: their classes hold the data, native/scene has the rules.
#include "python/bind_light.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/array_views.hpp"
#include "python/interpreter_lock.hpp"
#include "python/light_from_python.hpp"
#include "scene/light_rows.hpp"
#include "scene/light_table.hpp"

#include <pybind11/stl.h>

#include <cstring>
#include <limits>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;

namespace {

/// Lights of a scene, one after the other.
struct LightRows {
    std::vector<scene::LightRow> rows;

    void add(const LightRows& other) {
        if (&other == this) {
            const LightRows same = other;
            add(same);
            return;
        }
        rows.insert(rows.end(), other.rows.begin(), other.rows.end());
    }
};

template <typename Number, typename Get>
py::array_t<Number> column(const LightRows& lights, const Get& get) {
    py::array_t<Number> out(static_cast<py::ssize_t>(lights.rows.size()));
    Number* const data = out.mutable_data();
    for (std::size_t i = 0; i < lights.rows.size(); ++i) {
        data[i] = get(lights.rows[i]);
    }
    return out;
}

py::array_t<float> words_of(const LightRows& lights) {
    py::array_t<float> out({static_cast<py::ssize_t>(lights.rows.size()),
                            static_cast<py::ssize_t>(scene::layouts::LightWord::kEnd)});
    auto* data = reinterpret_cast<std::byte*>(out.mutable_data());
    for (const scene::LightRow& row : lights.rows) {
        std::memcpy(data, row.words.data(), sizeof(row.words));
        data += sizeof(row.words);
    }
    return out;
}

LightRows with_powers(const LightRows& lights, const Integers& which, const Doubles& powers) {
    require_shape("LightRows.with_powers: powers", powers, {which.size()});
    LightRows changed = lights;
    for (py::ssize_t k = 0; k < which.size(); ++k) {
        const std::int64_t light = which.data()[k];
        if (light < 0 || light >= static_cast<std::int64_t>(changed.rows.size())) {
            throw ArgumentError(core::text("LightRows.with_powers: there are ", changed.rows.size(),
                                           " lights, got the number ", light),
                                ArgumentError::Kind::index);
        }
        changed.rows[static_cast<std::size_t>(light)].power = powers.data()[k];
    }
    return changed;
}

py::tuple analytic_light_rows(const py::sequence& lights, double extent) {
    LightReader reader;
    std::vector<scene::Light> read;
    for (const py::handle light : lights) {
        read.push_back(reader.light(light));
    }
    scene::AnalyticLightRows rows = scene::analytic_light_rows(read, extent);
    return py::make_tuple(LightRows{std::move(rows.rows)}, to_array(rows.profiles));
}

std::uint32_t word_of(std::int64_t number, const char* what) {
    if (number < 0 || number > std::numeric_limits<std::uint32_t>::max()) {
        throw ArgumentError(
            core::text("triangle_rows: ", what, " must be from 0 to 2^32 - 1, got ", number));
    }
    return static_cast<std::uint32_t>(number);
}

/// Rows of bounds, copied: an array may change while it is read.
std::vector<scene::LightBounds> bounds_of(const Floats& array, py::ssize_t count) {
    require_shape("triangle_rows: bounds", array, {count, kBoundsWords});
    std::vector<scene::LightBounds> bounds(static_cast<std::size_t>(count));
    std::memcpy(static_cast<void*>(bounds.data()), array.data(),
                bounds.size() * sizeof(scene::LightBounds));
    return bounds;
}

LightRows triangle_rows(std::int64_t instance, const Integers& triangles, const Doubles& areas,
                        const Doubles& radiance, bool both, bool varies, const Floats& bounds) {
    require_shape("triangle_rows: triangles", triangles, {triangles.size()});
    require_shape("triangle_rows: areas", areas, {triangles.size()});
    require_shape("triangle_rows: radiance", radiance, {3});
    std::vector<std::uint32_t> numbers;
    numbers.reserve(static_cast<std::size_t>(triangles.size()));
    for (py::ssize_t k = 0; k < triangles.size(); ++k) {
        numbers.push_back(word_of(triangles.data()[k], "numbers of triangles"));
    }
    const auto limits = bounds_of(bounds, triangles.size());
    return {scene::triangle_rows(
        {.instance = word_of(instance, "the number of the instance"),
         .triangles = numbers,
         .areas = {areas.data(), static_cast<std::size_t>(areas.size())},
         .radiance = {radiance.data()[0], radiance.data()[1], radiance.data()[2]},
         .both_sides = both,
         .varies = varies,
         .bounds = limits})};
}

py::array_t<float> triangle_bounds(const Doubles& corners, bool both, bool is_mirrored) {
    require_shape("triangle_bounds: corners", corners, {corners.size() / 9, 3, 3});
    const auto bounds = scene::triangle_bounds(
        {corners.data(), static_cast<std::size_t>(corners.size())}, both, is_mirrored);
    py::array_t<float> out({static_cast<py::ssize_t>(bounds.size()), kBoundsWords});
    std::memcpy(out.mutable_data(), bounds.data(), bounds.size() * sizeof(scene::LightBounds));
    return out;
}

py::array_t<double> light_probabilities(const Integers& kinds, const Doubles& powers) {
    require_shape("light_probabilities: powers", powers, {kinds.size()});
    std::vector<std::uint32_t> words;
    for (py::ssize_t k = 0; k < kinds.size(); ++k) {
        words.push_back(static_cast<std::uint32_t>(kinds.data()[k]));
    }
    return to_array(scene::light_probabilities(
        words, {powers.data(), static_cast<std::size_t>(powers.size())}));
}

py::tuple build_alias_table(const Doubles& weights) {
    if (weights.ndim() != 1 || weights.size() == 0) {
        throw ArgumentError("build_alias_table: weights must be a row of at least one number");
    }
    const std::vector<double> own(weights.data(), weights.data() + weights.size());
    const auto table = scene::build_alias_table(own);
    py::array_t<float> threshold(weights.size());
    py::array_t<std::uint32_t> other(weights.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
        threshold.mutable_data()[i] = table[i].threshold;
        other.mutable_data()[i] = table[i].other;
    }
    return py::make_tuple(threshold, other);
}

scene::LightTable build_light_table(const LightRows& lights,
                                    const std::optional<double>& environment_power,
                                    const std::optional<Flags>& left_out, bool has_tree) {
    scene::LightTableOptions options{.environment_power = environment_power, .has_tree = has_tree};
    std::vector<std::uint8_t> flags;
    if (left_out) {
        flags.assign(left_out->data(), left_out->data() + left_out->size());
        options.left_out = flags;
    }
    const std::vector<scene::LightRow> rows = lights.rows; // others may add to them meanwhile
    const Unlocked unlocked;
    return scene::build_light_table(rows, options);
}

void bind_rows(py::module_& module) {
    py::classh<LightRows>(module, "LightRows",
                          "Records of lights as kernels read them, and what they are drawn by.\n\n"
                          "``rows + more`` and ``rows += more`` put others behind them.")
        .def(py::init<>(), "No lights.")
        .def("__len__", [](const LightRows& lights) { return lights.rows.size(); })
        .def(
            "__add__",
            [](LightRows lights, const LightRows& more) {
                lights.add(more);
                return lights;
            },
            py::arg("more"))
        .def(
            "__iadd__",
            [](LightRows& lights, const LightRows& more) -> LightRows& {
                lights.add(more);
                return lights;
            },
            py::arg("more"))
        .def_property_readonly("words", &words_of,
                               "Records, LightWord and its kin, float32, shape (n, 22); a copy.")
        .def_property_readonly(
            "powers",
            [](const LightRows& lights) {
                return column<double>(lights, [](const auto& r) { return r.power; });
            },
            "Luminance, watts, shape (n,); a copy.")
        .def_property_readonly(
            "areas",
            [](const LightRows& lights) {
                return column<double>(lights, [](const auto& r) { return r.area; });
            },
            "Of triangles, m^2, shape (n,); a copy.")
        .def_property_readonly(
            "is_near",
            [](const LightRows& lights) {
                return column<bool>(lights, [](const auto& r) { return r.bounds.has_value(); });
            },
            "Which are at finite distance, shape (n,); a copy.")
        .def("with_powers", &with_powers, py::arg("lights"), py::arg("powers"),
             "Returns the same with other powers.\n\n"
             "Args:\n    lights: Numbers of those that change, shape (m,).\n"
             "    powers: Watts, shape (m,).\n");
    module.def("analytic_light_rows", &analytic_light_rows, py::arg("lights"), py::arg("extent"),
               "Returns the LightRows of lights of weft.scene, and the table of their profiles.\n\n"
               "Args:\n    lights: Of a scene.\n    extent: Radius of the scene, metres.\n\n"
               "Raises:\n    ArgumentError: A light's numbers cannot be; it is named.\n");
    module.def("triangle_rows", &triangle_rows, py::arg("instance"), py::arg("triangles"),
               py::arg("areas"), py::arg("radiance"), py::arg("both"), py::kw_only(),
               py::arg("varies") = false, py::arg("bounds"),
               "Returns the LightRows of emissive triangles of one instance and material.\n\n"
               "Args:\n    instance: Its number.\n"
               "    triangles: Numbers among the triangles of all meshes, shape (n,).\n"
               "    areas: World space, m^2, shape (n,).\n    radiance: Linear RGB.\n"
               "    both: Both sides shine.\n"
               "    varies: The radiance is a factor of what is evaluated where light comes from.\n"
               "    bounds: Of each, shape (n, 12), see triangle_bounds().\n");
    module.def("triangle_bounds", &triangle_bounds, py::arg("corners"), py::arg("both"),
               py::kw_only(), py::arg("is_mirrored") = false,
               "Returns where triangles are and how they shine, float32, shape (n, 12): lowest and "
               "highest corner, axis of their normals, spread of those and of the light around "
               "them, radians, and 0.\n\n"
               "Args:\n    corners: World space, metres, shape (n, 3, 3).\n"
               "    both: Both sides shine.\n"
               "    is_mirrored: The instance mirrors its mesh: the other side is the front.\n");
}

void bind_table(py::module_& module) {
    using Table = scene::LightTable;
    py::classh<Table>(module, "LightTable",
                      "All lights of a scene as kernels read them. Arrays may not be written to.")
        .def_property_readonly(
            "records",
            [](const py::object& self) {
                return rows_view<float>(self, self.cast<const Table&>().records);
            },
            "float32, shape (n, 22), at least one row.")
        .def_property_readonly(
            "alias",
            [](const py::object& self) {
                return rows_view<float>(self, self.cast<const Table&>().alias);
            },
            "Thresholds and bits of other lights, float32, shape (n, 2).")
        .def_property_readonly(
            "tree",
            [](const py::object& self) {
                return rows_view<float>(self, self.cast<const Table&>().tree);
            },
            "Nodes of the light tree, float32, shape (m, 16), at least one.")
        .def_readonly("tree_selection_probability", &Table::tree_selection_probability,
                      "Probability that the light is drawn from the tree.")
        .def_readonly("environment_light", &Table::environment_light,
                      "Number of the environment, NO_LIGHT if light rays find none there.")
        .def_readonly("can_be_drawn", &Table::can_be_drawn,
                      "Whether a light has a probability above 0.");
    module.def("light_probabilities", &light_probabilities, py::arg("kinds"), py::arg("powers"),
               "Returns with what probability each light is drawn, shape (n,).\n\n"
               "Args:\n    kinds: LightKind, shape (n,).\n"
               "    powers: Not negative, shape (n,). That of a light at infinite distance grows "
               "with the extent of the scene, so both sorts keep a quarter at least.\n");
    module.def("build_light_table", &build_light_table, py::arg("rows"),
               py::arg("environment_power") = py::none(), py::arg("left_out") = py::none(),
               py::kw_only(), py::arg("has_tree") = false,
               "Returns the LightTable of lights, the environment last.\n\n"
               "Args:\n    rows: Lights first, then triangles.\n"
               "    environment_power: Watts; None: light rays find no light there.\n"
               "    left_out: Which of the rows are never drawn, bool; None: all may be.\n"
               "    has_tree: Build a tree of the lights at finite distance, too.\n\n"
               "Raises:\n    ArgumentError: A power is not finite, or a probability negative.\n");
    module.def("build_alias_table", &build_alias_table, py::arg("weights"),
               "Returns the table of the alias method (Walker 1977), built as Vose (1991) does: "
               "threshold in [0, 1] and other, both of shape (n,). Entry i, drawn uniformly, is "
               "kept with probability threshold[i] and replaced by other[i] otherwise.\n\n"
               "Args:\n    weights: Not negative, shape (n,), n at least 1; all zero counts as "
               "all equal.\n\n"
               "Raises:\n    ArgumentError: A weight is negative or not finite; the first such is "
               "named.\n");
}

py::tuple names_of(std::span<const scene::RayKindName> kinds) {
    py::tuple names(kinds.size());
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        names[k] = py::str(std::string(kinds[k].name));
    }
    return names;
}

void bind_ray_kinds(py::module_& module) {
    module.attr("NO_LIGHT") = scene::kNoLight;
    module.def(
        "ray_kind_names",
        [] {
            return py::make_tuple(names_of(scene::kObjectRayKinds), names_of(scene::kLightRayKinds),
                                  names_of(scene::kEnvironmentViews));
        },
        "Returns the kinds of ray that objects and lights may be hidden from, and those that see "
        "an "
        "environment each.");
    module.def(
        "check_ray_kinds",
        [](const std::string& owner, const py::object& kinds, const std::string& of) {
            const std::span<const scene::RayKindName> known =
                of == "object"
                    ? scene::kObjectRayKinds
                    : (of == "light"
                           ? scene::kLightRayKinds
                           : std::span<const scene::RayKindName>(scene::kEnvironmentViews));
            static_cast<void>(read_ray_kinds(owner, kinds, known));
        },
        py::arg("owner"), py::arg("kinds"), py::arg("of") = "object",
        "Raises ArgumentError for what is no kind of ray.\n\n"
        "Args:\n    owner: Begins the message.\n    kinds: A sequence of names.\n"
        "    of: 'object', 'light' or 'environment', whose images are seen by kinds of their "
        "own.\n");
    module.def("check_spread", &scene::require_spread, py::arg("owner"), py::arg("spread"),
               "Raises what weft.scene.AreaLight does for a spread.");
    module.def(
        "check_light_profile",
        [](const py::object& profile) { static_cast<void>(LightReader().profile(profile)); },
        py::arg("profile"), "Raises what weft.scene.LightProfile does.");
}

} // namespace

void bind_light(py::module_& module) {
    bind_rows(module);
    bind_table(module);
    bind_ray_kinds(module);
}

} // namespace weft::python
