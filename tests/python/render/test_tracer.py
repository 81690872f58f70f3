# SPDX-License-Identifier: Apache-2.0
"""The tracer and the queue of paths, from Python."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, sphere
from weft._native import Tracer, sort_by_key
from weft.render import PathSettings
from weft.scene import Camera, Object, Scene, SunLight

POSITIONS = np.array([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], np.float32)
TRIANGLES = np.array([[0, 1, 2]], np.uint32)
IDENTITY = np.eye(4, dtype=np.float32)[None, :3]
ONE = np.zeros(1, np.uint32)


def tracer_of(device, transforms=IDENTITY, **others):
    return Tracer(
        device,
        [(POSITIONS, TRIANGLES)],
        np.zeros(len(transforms), np.uint32),
        transforms,
        **others,
    )


def trace(tracer, origins, direction=(0, 0, -1)):
    """Hits of rays, one row a ray: t, u, v, primitive, instance."""
    count = len(origins)
    rays, hits = tracer.create_rays(count), tracer.create_hits(count)
    rows = np.zeros((8, count), np.float32)
    rows[0:3] = np.transpose(origins)
    rows[4:7] = np.transpose([direction] * count)
    rows[7] = 1e30
    rays.copy_from_numpy(rows.reshape(rays.shape))
    tracer.trace_closest(rays, hits, count, count)
    words = np.ascontiguousarray(hits.to_numpy().reshape(5, count).T)
    tracer.trace_any(rays, hits, count, count)
    return words, hits.to_numpy().ravel()[:count]


def require(device, kind):
    if kind == "ray_query" and not device.info.features.ray_query:
        pytest.skip("the driver has no ray queries")


@pytest.mark.parametrize("kind", ["bvh", "wide_bvh", "ray_query", "automatic"])
def test_the_first_triangle_and_its_instance_are_found(device, kind):
    require(device, kind)
    transforms = np.concatenate([IDENTITY, IDENTITY])
    transforms[1, 2, 3] = 1
    tracer = tracer_of(device, transforms, kind=kind)

    words, visible = trace(tracer, [(0, 0, 3), (5, 0, 3)])

    assert words[0, :1].view(np.float32)[0] == pytest.approx(2)
    assert words[0, 3:].tolist() == [0, 1]
    assert words[1, 4] == 0xFFFFFFFF
    assert visible.tolist() == [0, 1]


def test_moved_instances_are_traced_where_they_are_now(device):
    tracer = tracer_of(device)
    moved = IDENTITY.copy()
    moved[0, 0, 3] = 5

    tracer.update_instances(np.zeros(1, np.uint32), moved)

    assert trace(tracer, [(5, 0, 3), (0, 0, 3)])[1].tolist() == [0, 1]


def test_the_environment_names_the_tracer(device, monkeypatch):
    chosen = tracer_of(device).kind
    for name, kind in {"bvh": "bvh", "wide_bvh": "wide_bvh", "automatic": chosen}.items():
        monkeypatch.setenv("WEFT_TRACER", name)

        assert tracer_of(device).kind == kind
        assert tracer_of(device, kind="bvh").kind == "bvh"


def test_a_tracer_that_is_not_there_is_refused(device, monkeypatch):
    monkeypatch.setenv("WEFT_TRACER", "optix")

    with pytest.raises(weft.ArgumentError, match=r"WEFT_TRACER must be .*'wide_bvh'.*'optix'"):
        tracer_of(device)


def test_a_device_without_ray_queries_says_so(device, monkeypatch):
    if device.info.features.ray_query:
        pytest.skip("the driver has ray queries")
    monkeypatch.setenv("WEFT_TRACER", "ray_query")

    with pytest.raises(weft.ArgumentError, match=r"create_tracer: ray_query cannot.*use bvh"):
        tracer_of(device)


def test_pictures_do_not_depend_on_the_shape_of_the_tree(device, monkeypatch):
    mesh, grey = sphere(), lambert()
    objects = [Object(mesh, [grey], np.column_stack([np.eye(3), [x, 0, 0]])) for x in (-1, 1)]
    camera = Camera(16, 16, fov=0.8, transform=Camera.look_at((0, -4, 2), (0, 0, 0)))
    scene = Scene(objects, [SunLight((-0.5, 0.4, -1), 3.0)], [camera])
    pictures = []
    ray_query = ("ray_query",) if device.info.features.ray_query else ()
    for kind in ("bvh", "wide_bvh", *ray_query):
        monkeypatch.setenv("WEFT_TRACER", kind)
        renderer = weft.Renderer(device, scene)
        pictures.append(renderer.render(settings=PathSettings(samples=2, bounces=3, seed=1)))
        assert renderer.tracer.kind == kind

    # Two triangles at the same distance are told apart by the order of the tree.
    assert (np.abs(pictures[0] - pictures[1]).max(axis=2) > 0).mean() <= 0.02
    for picture in pictures[2:]:  # whose driver rounds in its own way
        assert (np.abs(pictures[0] - picture).max(axis=2) > 1e-3).mean() <= 0.02
    assert pictures[0].max() > 0.1


def soup(count, seed=0):
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-1, 1, (count, 1, 3)) + rng.uniform(-0.1, 0.1, (count, 3, 3))
    return corners.astype(np.float32).reshape(-1, 3), np.arange(3 * count, dtype=np.uint32)


def hits_of(tracer):
    rng = np.random.default_rng(3)
    return trace(tracer, np.column_stack([rng.uniform(-1, 1, (2000, 2)), np.full(2000, 3)]))


@pytest.mark.parametrize("count", [2, 3, 700, pytest.param((1 << 20) + 1, marks=pytest.mark.full)])
def test_trees_of_the_device_have_the_hits_of_those_of_the_host(device, count):
    hits = {
        trees: hits_of(Tracer(device, [soup(count)], ONE, IDENTITY, kind="bvh", trees=trees))
        for trees in ("host", "device")
    }

    assert np.array_equal(hits["host"][0], hits["device"][0])
    assert np.array_equal(hits["host"][1], hits["device"][1])
    assert count < 700 or (hits["host"][0][:, 4] == 0).sum() > 200


@pytest.mark.parametrize(
    ("kind", "trees"),
    [
        ("bvh", "device"),
        ("bvh", "host"),
        ("wide_bvh", "host"),
        ("ray_query", "host"),
        ("automatic",) * 2,
    ],
)
def test_an_updated_tracer_has_the_hits_of_a_new_one(device, kind, trees):
    require(device, kind)
    options = {"kind": kind, "trees": trees}
    first, second, third = soup(300, 1), soup(200, 2), soup(100, 3)
    moved = (second[0] + np.float32(0.05), second[1])
    two = np.concatenate([IDENTITY, IDENTITY])
    tracer = Tracer(device, [first, second], np.arange(2, dtype=np.uint32), two, **options)
    meshes = np.array([2, 0, 1], np.uint32)
    three = np.concatenate([IDENTITY, two])
    three[0, 0, 3] = 0.3

    tracer.update([(1, *moved), (None, *third), (0, None, None)], meshes, three)

    fresh = Tracer(device, [moved, third, first], meshes, three, **options)
    assert np.array_equal(hits_of(tracer)[0], hits_of(fresh)[0])
    assert (tracer.memory_bytes > 0) == (tracer.kind != "embree")
    assert (tracer.build_bytes > 0) == (trees == "device" or kind == "ray_query")


def test_the_environment_names_the_builder_of_trees(device, monkeypatch):
    monkeypatch.setenv("WEFT_TREE_BUILDER", "device")
    assert Tracer(device, [soup(50)], ONE, IDENTITY, kind="bvh").build_bytes > 0
    assert Tracer(device, [soup(50)], ONE, IDENTITY, kind="bvh", trees="host").build_bytes == 0

    monkeypatch.setenv("WEFT_TREE_BUILDER", "optix")
    with pytest.raises(weft.ArgumentError, match=r"WEFT_TREE_BUILDER must be .*'optix'"):
        tracer_of(device, kind="bvh")


def update(device, *meshes):
    tracer_of(device).update(list(meshes), ONE, IDENTITY)


def test_sorting_keeps_the_order_of_equal_keys(device):
    keys = np.random.default_rng(1).integers(0, 5, 1000, np.uint32)
    queue = weft.Tensor.zeros(device, (1000,), dtype=weft.uint32)

    offsets = sort_by_key(weft.Tensor.from_numpy(device, keys), queue, 1000, 5)

    assert np.array_equal(queue.to_numpy(), np.argsort(keys, kind="stable"))
    assert offsets == [0, *np.cumsum(np.bincount(keys, minlength=5)).tolist()]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda d: tracer_of(d, kind="optix"), ["'automatic'", "'optix'"]),
        (lambda d: tracer_of(d, trees="gpu"), ["Tracer: trees", "'device'", "'gpu'"]),
        (lambda d: update(d, (1, None, None)), ["update: mesh 0", "mesh 1 of 1"]),
        (lambda d: update(d, (0, None, None), (0, None, None)), ["update: mesh 1", "keep each"]),
        (lambda d: update(d, (None, None, None)), ["update: mesh 0", "(None, positions"]),
        (lambda d: update(d, (0, POSITIONS, None)), ["update: mesh 0", "(number, positions"]),
        (lambda d: update(d, (0, *soup(2))), ["2 triangles", "had 1", "as a new mesh"]),
        (lambda d: update(d, (None, POSITIONS * np.nan, TRIANGLES)), ["mesh 0", "vertex 0"]),
        (lambda d: Tracer(d, [], np.zeros(2, np.uint32), IDENTITY), ["(2, 3, 4)", "12 numbers"]),
        (lambda d: tracer_of(d, np.zeros((1, 3, 4), np.float32)), ["no inverse"]),
        (
            lambda d: sort_by_key(*[weft.Tensor.zeros(d, (4,))] * 2, 4, 2),
            ["sort_by_key", "'keys'", "uint"],
        ),
        (
            lambda d: sort_by_key(*[weft.Tensor.zeros(d, (4,), dtype=weft.uint32)] * 2, 5, 2),
            ["sort_by_key", "at least 5"],
        ),
        (
            lambda d: sort_by_key(*[weft.Tensor.zeros(d, (4,), dtype=weft.uint32)] * 2, 4, 0),
            ["key_count", "got 0"],
        ),
    ],
)
def test_wrong_batches_are_refused(device, call, words):
    with pytest.raises(weft.ArgumentError) as caught:
        call(device)

    assert [word for word in words if word not in str(caught.value)] == []


def test_a_key_beyond_the_last_is_refused(device):
    keys = weft.Tensor.from_numpy(device, np.array([0, 7], np.uint32))
    queue = weft.Tensor.zeros(device, (2,), dtype=weft.uint32)

    with pytest.raises(weft.ArgumentError, match="key 7 is not below 2"):
        sort_by_key(keys, queue, 2, 2)
