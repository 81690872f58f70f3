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


@pytest.mark.parametrize("kind", ["bvh", "wide_bvh", "automatic"])
def test_the_first_triangle_and_its_instance_are_found(device, kind):
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


def test_pictures_do_not_depend_on_the_shape_of_the_tree(device, monkeypatch):
    mesh, grey = sphere(), lambert()
    objects = [Object(mesh, [grey], np.column_stack([np.eye(3), [x, 0, 0]])) for x in (-1, 1)]
    camera = Camera(16, 16, fov=0.8, transform=Camera.look_at((0, -4, 2), (0, 0, 0)))
    scene = Scene(objects, [SunLight((-0.5, 0.4, -1), 3.0)], [camera])
    pictures = []
    for kind in ("bvh", "wide_bvh"):
        monkeypatch.setenv("WEFT_TRACER", kind)
        renderer = weft.Renderer(device, scene)
        pictures.append(renderer.render(settings=PathSettings(samples=2, bounces=3, seed=1)))
        assert renderer.tracer.kind == kind

    # Two triangles at the same distance are told apart by the order of the tree.
    assert (np.abs(pictures[0] - pictures[1]).max(axis=2) > 0).mean() <= 0.02
    assert pictures[0].max() > 0.1


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
