// SPDX-License-Identifier: Apache-2.0
#include "python/bind_environment.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/array_views.hpp"
#include "python/interpreter_lock.hpp"
#include "python/light_from_python.hpp"
#include "scene/environment.hpp"

#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;

namespace {

/// Images as spans; the arrays keep their memory.
class Images {
public:
    explicit Images(const py::sequence& images) {
        for (const py::handle given : images) {
            const Floats image = Floats::ensure(given);
            PyErr_Clear();
            if (!image || image.ndim() != 3 || image.shape(2) != 3 || image.size() == 0) {
                throw ArgumentError("Environment: an image must be (height, width, 3) with at "
                                    "least one pixel; make the Environment anew");
            }
            if (!m_arrays.empty()) {
                require_shape("Environment: an image", image, {height(), width(), 3});
            }
            m_arrays.push_back(image);
            m_spans.emplace_back(image.data(), static_cast<std::size_t>(image.size()));
        }
        if (m_arrays.empty()) {
            throw ArgumentError("Environment: at least one image is needed, got none");
        }
    }

    py::ssize_t height() const { return m_arrays.front().shape(0); }
    py::ssize_t width() const { return m_arrays.front().shape(1); }
    py::ssize_t count() const { return static_cast<py::ssize_t>(m_arrays.size()); }
    const std::vector<std::span<const float>>& spans() const { return m_spans; }

private:
    std::vector<Floats> m_arrays;
    std::vector<std::span<const float>> m_spans;
};

/// An array of memory that goes when the array does.
template <typename Number, typename Owned>
py::array_t<Number> take(std::unique_ptr<Owned[]> memory, std::vector<py::ssize_t> shape) {
    auto* const data = reinterpret_cast<Number*>(memory.get());
    const py::capsule owner(memory.get(), [](void* held) { delete[] static_cast<Owned*>(held); });
    static_cast<void>(memory.release());
    return py::array_t<Number>(std::move(shape), data, owner);
}

py::tuple environment_images(const py::sequence& given) {
    const Images images(given);
    scene::EnvironmentImages made;
    {
        const Unlocked unlocked;
        made = scene::build_environment_images(images.spans(),
                                               static_cast<std::uint32_t>(images.width()),
                                               static_cast<std::uint32_t>(images.height()));
    }
    const auto pixels = static_cast<py::ssize_t>(made.pixel_count);
    return py::make_tuple(
        take<float>(std::move(made.texels), {images.count(), images.height(), images.width(), 3}),
        take<float>(std::move(made.alias), {pixels, 3}), made.mean);
}

scene::EnvironmentPlacement place_environment(const py::object& environment) {
    return scene::place_environment(read_environment(environment));
}

void check_radiance(const std::string& owner, const Floats& image) {
    const Unlocked unlocked;
    scene::require_radiance(owner, {image.data(), static_cast<std::size_t>(image.size())});
}

template <std::size_t Count>
py::array_t<float> array_of(const std::array<float, Count>& values,
                            std::vector<py::ssize_t> shape) {
    return py::array_t<float>(std::move(shape), values.data());
}

} // namespace

void bind_environment(py::module_& module) {
    using Placement = scene::EnvironmentPlacement;
    py::classh<Placement>(module, "EnvironmentPlacement",
                          "What kernels know of an environment beside its images.")
        .def_property_readonly(
            "rotation", [](const Placement& p) { return array_of(p.to_world, {3, 3}); },
            "Image to world, shape (3, 3).")
        .def_property_readonly(
            "strength", [](const Placement& p) { return array_of(p.strength, {3}); },
            "Factor of all images, linear RGB, shape (3,).")
        .def_property_readonly(
            "layers", [](const Placement& p) { return py::tuple(py::cast(p.layers)); },
            "Number of the image that each kind of ray sees, NO_LIGHT: none.")
        .def_readonly("is_sampled", &Placement::is_sampled, "Light rays are sent there.")
        .def("power", &scene::environment_power, py::arg("mean"), py::arg("extent"),
             "Returns watts that cross a scene; None: light rays find no light there.\n\n"
             "Args:\n    mean: Luminance of the image over all directions.\n"
             "    extent: Radius of the scene, metres.\n");
    module.def("place_environment", &place_environment, py::arg("environment"),
               "Returns the EnvironmentPlacement of a weft.scene.Environment.\n\n"
               "Raises:\n    ArgumentError: Rotation or strength are no finite numbers.\n");
    module.def("environment_images", &environment_images, py::arg("images"),
               "Returns tables of images, of which light rays see the first: texels from the "
               "bottom row up, shape (k, height, width, 3); threshold, bits of the other pixel "
               "and density of each pixel, shape (n, 3); mean luminance over all directions.\n\n"
               "Args:\n    images: Each float32, shape (height, width, 3).\n\n"
               "Raises:\n    ArgumentError: Sizes differ, or the first has numbers that are "
               "negative or not finite.\n");
    module.def("check_radiance", &check_radiance, py::arg("owner"), py::arg("image"),
               "Raises ArgumentError for radiance that is negative or not finite.");
}

} // namespace weft::python
