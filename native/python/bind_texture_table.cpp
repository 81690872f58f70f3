// SPDX-License-Identifier: Apache-2.0
#include "python/array_views.hpp"
#include "python/bind_environment.hpp"
#include "python/interpreter_lock.hpp"
#include "scene/media.hpp"
#include "scene/texture_table.hpp"

#include <pybind11/stl.h>

#include <cstring>

namespace weft::python {

namespace py = pybind11;

namespace {

/// Pixels of a texture, (height, width, channels).
struct Pixels {
    explicit Pixels(const Floats& array)
        : values(array.data(), static_cast<std::size_t>(array.size())) {
        if (array.ndim() != 3) {
            throw core::ArgumentError(
                core::text("Texture: pixels must be (height, width, channels), "
                           "got an array of ",
                           array.ndim(), " dimensions"));
        }
        height = static_cast<std::uint32_t>(array.shape(0));
        width = static_cast<std::uint32_t>(array.shape(1));
        channels = static_cast<std::uint32_t>(array.shape(2));
    }
    std::span<const float> values;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t channels = 0;
};

void check_pixels(const std::string& owner, const Floats& array) {
    const Pixels pixels(array);
    const Unlocked unlocked;
    scene::require_pixels(owner, pixels.values, pixels.width, pixels.channels);
}

/// The number of a name among those of an enumeration.
template <typename Kind, std::size_t Count>
Kind kind_of(const std::array<std::string_view, Count>& names, const py::handle& name) {
    const auto text = name.cast<std::string>();
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) {
        throw core::ArgumentError(core::text("Texture: there is no wrap or filter '", text,
                                             "'; take one that weft.scene.Texture names"));
    }
    return static_cast<Kind>(found - names.begin());
}

py::array_t<std::uint32_t> texture_records(const py::sequence& textures) {
    std::vector<scene::TextureShape> shapes;
    for (const py::handle texture : textures) {
        const auto shape =
            texture.attr("pixels").attr("shape").cast<std::array<std::uint32_t, 3>>();
        shapes.push_back(
            {.width = shape[1],
             .height = shape[0],
             .channels = shape[2],
             .wrap = kind_of<scene::TextureWrap>(scene::kTextureWraps, texture.attr("wrap")),
             .filter =
                 kind_of<scene::TextureFilter>(scene::kTextureFilters, texture.attr("filter"))});
    }
    const auto records = scene::texture_records(shapes);
    py::array_t<std::uint32_t> out({static_cast<py::ssize_t>(records.size()),
                                    static_cast<py::ssize_t>(records.front().size())});
    std::memcpy(out.mutable_data(), records.data(), records.size() * sizeof(records.front()));
    return out;
}

py::list mip_levels(const Floats& array) {
    const Pixels pixels(array);
    py::list out;
    for (const scene::MipLevel& level :
         scene::mip_levels(pixels.values, pixels.width, pixels.height, pixels.channels)) {
        out.append(py::array_t<float>({static_cast<py::ssize_t>(level.height),
                                       static_cast<py::ssize_t>(level.width),
                                       static_cast<py::ssize_t>(pixels.channels)},
                                      level.pixels.data()));
    }
    return out;
}

py::array_t<float> packed_mip_levels(const Floats& array) {
    const Pixels pixels(array);
    std::vector<float> levels;
    {
        const Unlocked unlocked;
        levels =
            scene::packed_mip_levels(pixels.values, pixels.width, pixels.height, pixels.channels);
    }
    return to_array(levels);
}

bool is_inside(const Doubles& corners, const Doubles& place, bool is_mirrored) {
    require_shape("is_inside: place", place, {3});
    return scene::is_inside({corners.data(), static_cast<std::size_t>(corners.size())},
                            {place.data()[0], place.data()[1], place.data()[2]}, is_mirrored);
}

py::tuple texture_names() {
    py::tuple wraps(scene::kTextureWraps.size());
    for (std::size_t k = 0; k < wraps.size(); ++k) {
        wraps[k] = py::str(std::string(scene::kTextureWraps[k]));
    }
    py::tuple filters(scene::kTextureFilters.size());
    for (std::size_t k = 0; k < filters.size(); ++k) {
        filters[k] = py::str(std::string(scene::kTextureFilters[k]));
    }
    return py::make_tuple(wraps, filters);
}

} // namespace

void bind_texture_table(py::module_& module) {
    module.def("texture_names", &texture_names,
               "Returns the names of wraps and of filters, in the order of their numbers.");
    module.def("check_pixels", &check_pixels, py::arg("owner"), py::arg("pixels"),
               "Raises ArgumentError that names the first pixel that is not finite.");
    module.def("texture_records", &texture_records, py::arg("textures"),
               "Returns records of textures, TextureWord, those of mip levels last: uint32, shape "
               "(n, 8), at least one.");
    module.def("mip_levels", &mip_levels, py::arg("pixels"),
               "Returns an image at half the size each time, down to one texel, as means of what "
               "the texels cover; without the image itself.\n\n"
               "Args:\n    pixels: Shape (height, width, channels).\n");
    module.def("packed_mip_levels", &packed_mip_levels, py::arg("pixels"),
               "Returns mip_levels() one after the other, each from its bottom row up.");
    module.def("packed_mip_size", &scene::packed_mip_size, py::arg("width"), py::arg("height"),
               py::arg("channels"), "Returns how many numbers packed_mip_levels() has.");
    module.def("is_inside", &is_inside, py::arg("corners"), py::arg("place"),
               py::arg("is_mirrored") = false,
               "Returns whether a place is inside of triangles.\n\n"
               "Args:\n    corners: World space, metres, shape (n, 3, 3).\n    place: Metres.\n"
               "    is_mirrored: The transform mirrors the mesh.\n");
}

} // namespace weft::python
