# SPDX-License-Identifier: Apache-2.0
"""The interpreter ends with status 0 and without a word whatever a daemon thread is doing."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from weft._forks import names_of_endangered

PREPARE = """
import sys, threading, time
import numpy as np
import weft

begun = threading.Event()
device = weft.create_device(type=sys.argv[1])
SOURCE = '''
uint spin(uint x) { for (uint i = 0; i < 12000; ++i) x = x * 1664525 + 1013904223; return x; }
float add(float a, float b) { return a + b; }
[Differentiable] float square(float x) { return x * x; }
'''
module = weft.Module.load_from_source(device, "m", SOURCE)
ENDLESS = "void f() { " + "{" * 20000 + "}" * 20000 + " }"

def again_and_again(work):
    count = 0
    while True:
        work(count)
        count += 1
        begun.set()
"""

SCENE = """
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.render import PathSettings
from weft.scene import Camera, Closure, Environment, Material, Mesh, Object, Scene

def scene_with(color):
    place = np.column_stack([np.eye(3), [0, 0, 3]])
    camera = Camera(16, 16, "orthographic", scale=1.5, transform=place)
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32)
    mesh = Mesh(corners, [[0, 1, 2], [0, 2, 3]], name="quad")
    plate = Material("plate", Closure("diffuse", color=color))
    plain = np.column_stack([np.eye(3), np.zeros(3)])
    return Scene([Object(mesh, [plate], plain, name="plate")], cameras=[camera],
                 environment=Environment(np.ones(3)))
"""

STATES = {
    "in a call": "again_and_again(lambda n: module.add(np.ones(64, np.float32), 1.0))",
    "in a long call": "again_and_again(lambda n: module.spin(np.arange(4096, dtype=np.uint32)))",
    "in calls that return tensors": """
        x = weft.Tensor.from_numpy(device, np.arange(4096, dtype=np.uint32))
        again_and_again(lambda n: module.spin(x, _result="tensor"))
    """,
    "in a backward call": """
        x = weft.Tensor.from_numpy(device, np.ones(64, np.float32)).with_grads()
        y = weft.Tensor.zeros(device, (64,)).with_grads()
        again_and_again(lambda n: module.square.bwds(x, _result=y))
    """,
    "compiling": "begun.set(); weft.Module.load_from_source(device, 'slow', ENDLESS)",
    "loading": """
        again_and_again(lambda n: weft.Module.load_from_source(
            device, f"m{n}", f"float f(float x) {{ return x + {n}; }}").f(1.0))
    """,
    "making devices": """
        again_and_again(lambda n: weft.create_device(type=sys.argv[1]).close())
    """,
    "waiting": """
        x = weft.Tensor.from_numpy(device, np.arange(1 << 18, dtype=np.uint32))
        again_and_again(lambda n: (module.spin(x, _result="tensor"), device.wait()))
    """,
    "copying": """
        values = np.ones(1 << 20, np.float32)
        x = weft.Tensor.empty(device, (1 << 20,))
        again_and_again(lambda n: (x.copy_from_numpy(values), x.numpy()))
    """,
    "printing": """
        x = weft.Tensor.from_numpy(device, np.ones((200, 200), np.float32))
        again_and_again(lambda n: str(x))
    """,
    "reducing": """
        x = weft.Tensor.from_numpy(device, np.ones(5000, np.float32))
        again_and_again(lambda n: weft.sum(x))
    """,
    "closing": """
        def work(n):
            one = weft.create_device(type=sys.argv[1])
            begun.set()
            weft.Tensor.zeros(one, (1 << 20,))
            one.close()
        again_and_again(work)
    """,
    "reloading": """
        import pathlib, tempfile
        path = pathlib.Path(tempfile.mkdtemp()) / "m.slang"
        path.write_text("float f(float x) { return x; }")
        again = weft.Module.load_from_file(device, path)
        def work(n):
            path.write_text(f"float f(float x) {{ return x + {n}; }}")
            again.reload()
            again.f(1.0)
        again_and_again(work)
    """,
}


DRAWING = {
    "compiling a renderer": """
        begun.set()
        once = PathSettings(samples=1, bounces=1)
        again_and_again(lambda n: weft.Renderer(device, scene_with((0.1, 0.2, n / 100))).render(
            settings=once))
    """,
    "rendering": """
        renderer = weft.Renderer(device, scene_with((0.1, 0.2, 0.3)))
        again_and_again(lambda n: renderer.render(
            settings=PathSettings(samples=4, bounces=2, seed=n)))
    """,
    "fitting": """
        photo = weft.Renderer(device, scene_with((0.8, 0.3, 0.1))).render(
            settings=PathSettings(samples=16, bounces=1))
        while True:
            fit = Fit(scene_with((0.5, 0.5, 0.5)), [Target(photo)], [Parameter("plate.color")],
                      FitSettings(bounces=1, samples=4, max_iterations=200, tolerance=1e-9),
                      device=device)
            def note(progress):
                begun.set()
                fit.save_checkpoint(sys.argv[2])
            fit.run(progress=note)
    """,
}


def leave(kind, state, delay, end="", count=1, prepare="", arguments=()):
    """Run a script whose daemon threads are in a state when it ends."""
    body = textwrap.indent(textwrap.dedent(state), "    ")
    script = (
        f"{PREPARE}\n{prepare}\ndef body():\n{body}\n"
        f"for _ in range({count}):\n    threading.Thread(target=body, daemon=True).start()\n"
        f"assert begun.wait(200)\ntime.sleep({delay})\n{end}\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script, kind, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.sweep(4)
@pytest.mark.parametrize("state", STATES)
def test_a_daemon_thread_does_not_disturb_the_end(device, state):
    ended = leave(device.info.type.name, STATES[state], 0.07)

    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("state", DRAWING)
def test_a_daemon_thread_that_draws_does_not_disturb_the_end(device, state, tmp_path):
    place = tmp_path / "fit.npz"
    kind = device.info.type.name
    ended = leave(kind, DRAWING[state], 0.2, prepare=SCENE, arguments=[str(place)])

    assert (ended.returncode, ended.stderr) == (0, "")
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".npz"] in ([], ["fit.npz"])
    if place.exists():
        with np.load(place) as checkpoint:
            assert all(checkpoint[name] is not None for name in checkpoint.files)


@pytest.mark.parametrize(
    "end", ["sys.exit(3)", "raise SystemExit(3)", "device.close(); sys.exit(3)"]
)
def test_the_status_of_the_host_is_kept(device, end):
    ended = leave(device.info.type.name, STATES["in a long call"], 0.05, end)

    assert ended.returncode == 3
    assert not ended.stderr or "is closed" in ended.stderr


def test_several_daemon_threads_do_not_disturb_the_end(device):
    ended = leave(device.info.type.name, STATES["in a long call"], 0.05, count=4)

    assert (ended.returncode, ended.stderr) == (0, "")


def test_what_the_host_wrote_last_arrives(device):
    ended = leave(device.info.type.name, STATES["in a long call"], 0.05, "print('last words')")

    assert (ended.returncode, ended.stdout) == (0, "last words\n")


def test_functions_registered_with_atexit_may_call(device):
    end = "import atexit; atexit.register(lambda: print(module.add(1.0, 2.0)))"
    ended = leave(device.info.type.name, STATES["in a long call"], 0.05, end)

    assert (ended.returncode, ended.stdout) == (0, "3.0\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_ends_by_itself_beside_threads_of_its_parent(device):
    if names_of_endangered([device.info]):
        pytest.skip("the driver crashes when a forked child ends (docs/devices.md)")
    end = (
        "import os, warnings; warnings.simplefilter('ignore'); child = os.fork()\n"
        "if child == 0: sys.exit(5)\n"
        "status = os.waitpid(child, 0)[1]; print(os.waitstatus_to_exitcode(status))"
    )
    ended = leave(device.info.type.name, STATES["in a long call"], 0.05, end)

    assert (ended.returncode, ended.stdout) == (0, "5\n"), ended.stderr
