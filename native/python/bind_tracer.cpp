// SPDX-License-Identifier: Apache-2.0
#include "python/bind_tracer.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/fork_guard.hpp"
#include "python/array_views.hpp"
#include "python/bind_tensor.hpp"
#include "python/interpreter_lock.hpp"
#include "python/session.hpp"
#include "render/path_queue.hpp"
#include "render/tracer.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <tuple>

namespace weft::python {

namespace py = pybind11;

namespace {

using Words = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;

template <typename T>
std::span<const T> numbers_of(const py::array_t<T, py::array::c_style | py::array::forcecast>& a) {
    return {a.data(), static_cast<std::size_t>(a.size())};
}

std::vector<scene::Instance> instances_of(const Words& meshes, const Floats& transforms) {
    if (transforms.size() != 12 * meshes.size()) {
        throw core::ArgumentError(core::text("Tracer: transforms must have shape (", meshes.size(),
                                             ", 3, 4), got ", transforms.size(), " numbers"));
    }
    std::vector<scene::Instance> instances(static_cast<std::size_t>(meshes.size()));
    for (std::size_t i = 0; i < instances.size(); i++) {
        instances[i].mesh = meshes.data()[i];
        std::copy_n(transforms.data() + 12 * i, 12, instances[i].object_to_world.begin());
    }
    return instances;
}

std::shared_ptr<render::Tracer> create(const std::shared_ptr<Session>& session,
                                       const std::vector<std::pair<Floats, Words>>& meshes,
                                       const Words& mesh_of_instance, const Floats& transforms,
                                       const std::string& kind, const std::string& trees) {
    scene::Geometry geometry;
    for (const auto& [positions, triangles] : meshes) {
        geometry.meshes.push_back({numbers_of(positions), numbers_of(triangles)});
    }
    geometry.instances = instances_of(mesh_of_instance, transforms);
    const render::TracerDesc desc{.kind = render::require_tracer_kind(kind, "Tracer: kind"),
                                  .builder = render::require_tree_builder(trees, "Tracer: trees"),
                                  .libraries = package_directory() / "lib"};
    const Unlocked unlocked;
    // The threads of its pool are those of the process that created it.
    return device::share_until_fork(
        render::create_tracer(session_context(*session), geometry, desc));
}

/// Number of a mesh that is kept, positions, triangles.
using Source =
    std::tuple<std::optional<std::uint32_t>, std::optional<Floats>, std::optional<Words>>;

void update(render::Tracer& tracer, const std::vector<Source>& meshes,
            const Words& mesh_of_instance, const Floats& transforms) {
    std::vector<render::MeshSource> sources;
    for (const auto& [kept, positions, triangles] : meshes) {
        if (positions.has_value() != triangles.has_value() || (!kept && !positions)) {
            throw core::ArgumentError(
                core::text("update: mesh ", sources.size(),
                           " must be (number, None, None), (number, positions, triangles) or "
                           "(None, positions, triangles)"));
        }
        render::MeshSource& source = sources.emplace_back();
        source.kept = kept.value_or(render::MeshSource::kNew);
        if (positions) {
            source.mesh = {numbers_of(*positions), numbers_of(*triangles)};
        }
    }
    const std::vector<scene::Instance> instances = instances_of(mesh_of_instance, transforms);
    const Unlocked unlocked;
    tracer.update(sources, instances);
}

render::RayBatch batch_of(tensor::TensorRef rays, tensor::TensorRef hits, std::uint32_t capacity,
                          std::uint32_t count) {
    return {std::move(rays), std::move(hits), capacity, count};
}

using TracerClass = py::classh<render::Tracer>;

void bind_memory(TracerClass& binding) {
    binding
        .def_property_readonly(
            "kind", [](const render::Tracer& tracer) { return render::to_string(tracer.kind()); },
            "'bvh', 'wide_bvh', 'embree' or 'ray_query'.")
        .def_property_readonly(
            "memory_bytes", [](const render::Tracer& tracer) { return tracer.memory().held; },
            "Bytes of the device that acceleration structures take; those of 'embree' are the "
            "host's.")
        .def_property_readonly(
            "build_bytes", [](const render::Tracer& tracer) { return tracer.memory().build; },
            "Most bytes of the device that making them has taken besides.")
        .def(
            "create_rays",
            [](const render::Tracer& tracer, std::uint32_t capacity) {
                return tensor_to_python(tracer.create_rays(capacity));
            },
            py::arg("capacity"), "Memory for the rays of a batch: 8 rows of floats, not filled.")
        .def(
            "create_hits",
            [](const render::Tracer& tracer, std::uint32_t capacity) {
                return tensor_to_python(tracer.create_hits(capacity));
            },
            py::arg("capacity"), "Memory for the hits of a batch: 5 rows of uint, not filled.");
}

void bind_tracing(TracerClass& binding) {
    binding
        .def(
            "trace_closest",
            [](render::Tracer& tracer, tensor::TensorRef rays, tensor::TensorRef hits,
               std::uint32_t capacity, std::uint32_t count) {
                const Unlocked unlocked;
                tracer.trace_closest(batch_of(std::move(rays), std::move(hits), capacity, count));
            },
            py::arg("rays").none(false), py::arg("hits").none(false), py::arg("capacity"),
            py::arg("count"),
            "Finds the first triangle along each of the first `count` rays.\n\n"
            "Raises:\n    ArgumentError: A tensor does not fit the batch.\n")
        .def(
            "trace_any",
            [](render::Tracer& tracer, tensor::TensorRef rays, tensor::TensorRef hits,
               std::uint32_t capacity, std::uint32_t count) {
                const Unlocked unlocked;
                tracer.trace_any(batch_of(std::move(rays), std::move(hits), capacity, count));
            },
            py::arg("rays").none(false), py::arg("hits").none(false), py::arg("capacity"),
            py::arg("count"),
            "Writes 1 for each ray that hits nothing between its ends, else 0, to one row of "
            "uint.\n\n"
            "Raises:\n    ArgumentError: A tensor does not fit the batch.\n")
        .def(
            "update_instances",
            [](render::Tracer& tracer, const Words& meshes, const Floats& transforms) {
                const std::vector<scene::Instance> instances = instances_of(meshes, transforms);
                const Unlocked unlocked;
                tracer.update_instances(instances);
            },
            py::arg("mesh_of_instance"), py::arg("transforms"),
            "Places the same meshes anew.\n\n"
            "Raises:\n    ArgumentError: A mesh is not there, or a transform is singular.\n")
        .def(
            "update", &update, py::arg("meshes"), py::arg("mesh_of_instance"),
            py::arg("transforms"),
            "Takes other meshes and instances, making only the trees that have changed.\n\n"
            "Args:\n"
            "    meshes: Tuples: (number, None, None) is a mesh that is there; (number, positions, "
            "triangles)\n"
            "        one with the same triangles, whose vertices have moved; (None, positions, "
            "triangles) a\n"
            "        new one. Others are dropped.\n"
            "    mesh_of_instance: Mesh of each instance.\n"
            "    transforms: Object to world, shape (instances, 3, 4).\n\n"
            "Raises:\n    ArgumentError: As the constructor; or a mesh is not there, is kept "
            "twice, or has moved with\n        other triangles. The tracer is as it was.\n");
}

void bind_queue(py::module_& module) {
    module.def(
        "sort_by_key",
        [](const tensor::TensorRef& keys, const tensor::TensorRef& queue, std::uint32_t count,
           std::uint32_t key_count) {
            const Unlocked unlocked;
            return render::sort_by_key(*keys, *queue, count, key_count);
        },
        py::arg("keys").none(false), py::arg("queue").none(false), py::arg("count"),
        py::arg("key_count"),
        "Writes the numbers 0 ... count - 1 to `queue` in the order of their keys.\n\n"
        "Both are contiguous tensors of uint with at least `count` elements. Returns key_count + 1 "
        "offsets: the\n"
        "numbers with key k lie at offset[k] to offset[k + 1]. Waits for the device.\n\n"
        "Raises:\n    ArgumentError: A tensor has another form, or a key is not below "
        "key_count.\n");
}

} // namespace

void bind_tracer(py::module_& module) {
    TracerClass binding(
        module, "Tracer",
        "Rays in batches against a fixed set of meshes.\n\n"
        "A batch has rows of `capacity` words. Rays: origin x y z, t_min, direction x y z, t_max "
        "(float). Hits:\n"
        "t, u, v (bits of floats), triangle of the mesh, instance (0xffffffff: nothing was hit). "
        "Distances are in\n"
        "lengths of the direction. A ray with t_max <= t_min hits nothing.\n");
    binding.def(
        py::init(&create), py::arg("device").none(false), py::arg("meshes"),
        py::arg("mesh_of_instance"), py::arg("transforms"), py::arg("kind") = "automatic",
        py::arg("trees") = "automatic",
        "Builds the acceleration structure.\n\n"
        "Args:\n"
        "    device: Where rays live.\n"
        "    meshes: Pairs of positions, shape (vertices, 3), and triangles, shape (n, 3).\n"
        "    mesh_of_instance: Mesh of each instance.\n"
        "    transforms: Object to world, shape (instances, 3, 4).\n"
        "    kind: 'bvh' (two children a node), 'wide_bvh' (eight, compressed), 'embree' "
        "(software\n"
        "        devices), 'ray_query' (the Vulkan driver's, where "
        "DeviceInfo.features.ray_query); 'automatic'\n"
        "        is what WEFT_TRACER names, else 'embree' or 'bvh'.\n"
        "    trees: Where those of 'bvh' are made: 'host', 'device'; 'automatic' is what\n"
        "        WEFT_TREE_BUILDER names, else the device for large meshes, unless it is a "
        "software device.\n\n"
        "Raises:\n    ArgumentError: A vertex is not finite, an index is out of range, a "
        "transform is singular.\n");
    bind_memory(binding);
    bind_tracing(binding);
    bind_queue(module);
}

} // namespace weft::python
