# SPDX-License-Identifier: Apache-2.0
"""Scene files of strangers: nothing in them runs unless the user says so."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import weft
from support.messages import assert_in_order
from support.render_scenes import lambert, placed, quad
from weft.cli import main
from weft.fit.job import load_job
from weft.render import PathSettings
from weft.scene import (
    Attribute,
    Bump,
    Camera,
    Closure,
    ColorAttribute,
    Environment,
    Material,
    Mix,
    NormalMap,
    Scene,
    SlangCall,
    Texture,
    UVSet,
)
from weft.scene.containment import find_escape
from weft.scene.trust import trust_folder

WAVE = "[Differentiable] float wave(float2 uv, float n) { return 0.5f + 0.5f * sin(n * uv.x); }"
SETTINGS = PathSettings(samples=1, bounces=1)


def scene_with(*calls):
    """A floor whose materials are driven by calls."""
    floor = [
        placed(quad(2), Material(f"m{k}", Closure("diffuse", color=call)), name=f"floor{k}")
        for k, call in enumerate(calls)
    ]
    camera = Camera(4, 3, transform=Camera.look_at((0, -4, 3), (0, 0, 0)), name="front")
    return Scene(floor, [], [camera], Environment(np.ones((2, 4, 3))))


def wave(source=WAVE):
    return SlangCall("wave", source, {"uv": Attribute.UV, "n": 9.0})


@pytest.fixture
def become_other_user(tmp_path, monkeypatch):
    """Call it, and this process is one of somebody who has saved nothing."""

    def become(name="other"):
        monkeypatch.setenv("WEFT_TRUST_DIR", str(tmp_path / name))

    become("me")
    return become


@pytest.fixture
def foreign(tmp_path, become_other_user):
    """A file that somebody else has saved."""
    path = tmp_path / "stranger.weft"
    scene_with(wave()).save(path)
    become_other_user()
    return path


def rewrite(path, change):
    """Edit the text of a scene file as an attacker would."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    text = json.loads(members["scene.json"])
    change(text)
    members["scene.json"] = json.dumps(text).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def fields_of(text, kind):
    """The stored fields of the first object of a class."""
    return next(entry["fields"] for entry in text["objects"] if entry["type"] == kind)


def test_functions_of_others_are_refused_with_one_clear_error(foreign):
    with pytest.raises(weft.ArgumentError) as caught:
        Scene.load(foreign)

    assert_in_order(
        str(caught.value),
        ["Scene.load", str(foreign), "was not loaded", "'wave'", "trust=True", "--trust"],
    )


def test_trust_lets_them_run(device, foreign):
    picture = weft.Renderer(device, Scene.load(foreign, trust=True)).render("front", SETTINGS)

    expected = weft.Renderer(device, scene_with(wave())).render("front", SETTINGS)
    assert np.array_equal(picture, expected)


def test_what_this_user_has_saved_loads_without_a_flag(tmp_path, become_other_user):
    scene_with(wave()).save(tmp_path / "mine.weft")

    assert Scene.load(tmp_path / "mine.weft").materials()[0].surface.inputs["color"] == wave()


def test_a_changed_copy_of_an_own_function_is_a_function_of_others(tmp_path, become_other_user):
    path = tmp_path / "mine.weft"
    scene_with(wave()).save(path)
    rewrite(path, lambda text: fields_of(text, "SlangCall").update(source=WAVE + " "))

    with pytest.raises(weft.ArgumentError, match="was not loaded"):
        Scene.load(path)


def test_the_error_counts_what_it_does_not_show(tmp_path, become_other_user):
    sources = [WAVE + f"// {k}" for k in range(7)]
    scene_with(*map(wave, sources)).save(tmp_path / "many.weft")
    become_other_user()

    with pytest.raises(weft.ArgumentError, match="and 4 more") as caught:
        Scene.load(tmp_path / "many.weft")
    assert len(str(caught.value)) < 1500


def test_errors_show_no_control_characters_of_the_file(foreign):
    rewrite(foreign, lambda text: fields_of(text, "SlangCall").update(source="\x1b[2J\r\n" + WAVE))

    with pytest.raises(weft.ArgumentError) as caught:
        Scene.load(foreign)

    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        SlangCall("mathPower", "", {"x": 0.5, "y": 2.0}, module="weft.nodes"),
        SlangCall("checkerFactor", "", {"p": Attribute.POSITION, "s": 1.0}, module="weft.nodes"),
    ],
)
def test_nodes_that_come_with_weft_need_no_trust(tmp_path, become_other_user, call):
    scene_with(call).save(tmp_path / "nodes.weft")
    become_other_user()

    Scene.load(tmp_path / "nodes.weft")


@pytest.mark.parametrize("name", ["texture/fractal_noise.slang", "shader/microfacet.slang"])
def test_node_templates_need_no_trust_as_they_are(tmp_path, become_other_user, name):
    template = (Path(weft.__file__).parent / "node_templates" / name).read_text()
    for text, is_taken in ((template, True), (template + " ", False)):
        become_other_user("author")
        scene_with(wave(text)).save(tmp_path / "a.weft")
        become_other_user("victim")
        if is_taken:
            Scene.load(tmp_path / "a.weft")
        else:
            with pytest.raises(weft.ArgumentError, match="was not loaded"):
                Scene.load(tmp_path / "a.weft")


@pytest.mark.parametrize(
    ("module", "function"),
    [
        ("weft.nodes", "addToRecord"),
        ("weft.nodes", "printf"),
        ("weft.records", "weft_clear_record"),
        ("weft.render", "luminance"),
        ("beside_the_scene", "evil"),
    ],
)
def test_other_modules_and_functions_need_trust(tmp_path, become_other_user, module, function):
    scene_with(SlangCall(function, "", {"x": 1.0}, module=module)).save(tmp_path / "a.weft")
    Scene.load(tmp_path / "a.weft")  # the user's own
    become_other_user()

    with pytest.raises(weft.ArgumentError, match=f"'{function}'"):
        Scene.load(tmp_path / "a.weft")


INJECTIONS = ["f(0)) * g(", "f; evil", "f\n}", "", "a b", 'f"', "f<3>(1)", "../f"]


@pytest.mark.parametrize("trust", [False, True])
@pytest.mark.parametrize("name", INJECTIONS)
def test_a_name_is_never_more_than_a_name(foreign, name, trust):
    rewrite(foreign, lambda text: fields_of(text, "SlangCall").update(function=name))

    with pytest.raises(weft.ArgumentError, match="function must be a name"):
        Scene.load(foreign, trust=trust)


@pytest.mark.parametrize("module", ['"/etc/passwd"', "../evil", "/etc/evil", "a; import b", "a/b"])
def test_a_module_is_never_a_path(foreign, module):
    change = {"module": module, "source": ""}
    rewrite(foreign, lambda text: fields_of(text, "SlangCall").update(change))

    with pytest.raises(weft.ArgumentError, match=r"damaged.*function must be a name"):
        Scene.load(foreign, trust=True)


PRINTED = {
    "UVSet": ("index", UVSet(0)),
    "ColorAttribute": ("index", ColorAttribute(0)),
    "NormalMap": ("uv_set", NormalMap((0.5, 0.5, 1.0))),
}


@pytest.mark.parametrize("value", ["0); evil(", 1.5, True, [0], None])
@pytest.mark.parametrize("kind", PRINTED)
def test_numbers_that_stand_in_slang_text_are_integers(tmp_path, become_other_user, kind, value):
    field, own = PRINTED[kind]
    inputs = {
        "UVSet": {"color": Texture(np.ones((2, 2, 3)), uv=own)} if kind == "UVSet" else {},
        "ColorAttribute": {"color": own},
        "NormalMap": {"normal": own},
    }[kind]
    scene = Scene([placed(quad(2), Material("m", Closure("diffuse", **inputs)))])
    scene.save(tmp_path / "a.weft")
    rewrite(tmp_path / "a.weft", lambda text: fields_of(text, kind).update({field: value}))

    with pytest.raises(weft.ArgumentError, match="no scene of Weft, or damaged"):
        Scene.load(tmp_path / "a.weft", trust=True)


@pytest.mark.parametrize("origin", ["", "mine.weft"])
def test_a_file_does_not_say_where_its_functions_come_from(foreign, origin):
    rewrite(foreign, lambda text: fields_of(text, "SlangCall").update(origin=origin))

    with pytest.raises(weft.ArgumentError, match="damaged"):
        Scene.load(foreign, trust=True)


def test_calls_are_found_wherever_they_hide(tmp_path, become_other_user):
    deep = Texture(
        np.ones((2, 2, 3)), uv=SlangCall("place", "float2 place() { return 0; }", size=2)
    )
    bump = Bump(wave(WAVE + "// bump"))
    factor = wave(WAVE + "// factor")
    inner = SlangCall("outer", "float outer(float x) { return x; }", {"x": wave(WAVE + "// in")})
    for k, surface in enumerate(
        [
            Closure("diffuse", color=deep),
            Closure("diffuse", normal=bump),
            Mix(Closure("diffuse"), Closure("none"), factor),
            Closure("emission", strength=inner),
        ]
    ):
        become_other_user(f"author{k}")
        Scene([placed(quad(2), Material("m", surface))]).save(tmp_path / "a.weft")
        become_other_user(f"victim{k}")
        with pytest.raises(weft.ArgumentError, match="was not loaded"):
            Scene.load(tmp_path / "a.weft")


def test_what_a_flag_trusts_is_not_the_users_own(foreign, tmp_path):
    Scene.load(foreign, trust=True).save(tmp_path / "again.weft")

    assert (tmp_path / "again.weft").read_bytes() == foreign.read_bytes()
    with pytest.raises(weft.ArgumentError, match="was not loaded"):
        Scene.load(tmp_path / "again.weft")


def test_the_store_holds_readable_text_of_what_was_saved(tmp_path, become_other_user):
    scene_with(wave()).save(tmp_path / "mine.weft")

    (file,) = trust_folder().iterdir()
    assert file.suffix == ".slang"
    assert file.read_text() == WAVE


@pytest.mark.parametrize("content", ["", "something else", WAVE[:-1]])
def test_a_file_of_the_store_with_another_text_trusts_nothing(tmp_path, become_other_user, content):
    scene_with(wave()).save(tmp_path / "mine.weft")
    (file,) = trust_folder().iterdir()
    file.write_text(content)

    with pytest.raises(weft.ArgumentError, match="was not loaded"):
        Scene.load(tmp_path / "mine.weft")


def test_without_a_writable_store_a_scene_is_saved_and_asks_for_trust(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    for folder in ("", str(tmp_path / "file" / "below")):
        monkeypatch.setenv("WEFT_TRUST_DIR", folder)
        scene_with(wave()).save(tmp_path / "mine.weft")
        with pytest.raises(weft.ArgumentError, match="was not loaded"):
            Scene.load(tmp_path / "mine.weft")


def test_the_commands_refuse_and_take_the_flag(foreign, tmp_path, capsys):
    pytest.importorskip("OpenImageIO")
    render = ["render", str(foreign), "-o", str(tmp_path / "a.png"), "--spp", "1", "--quiet"]

    assert main(render) == 1
    assert "was not loaded" in capsys.readouterr().err
    assert not (tmp_path / "a.png").exists()

    assert main([*render, "--trust"]) == 0
    assert (tmp_path / "a.png").exists()


def test_jobs_refuse_and_take_the_flag(foreign, tmp_path, capsys):
    photo = np.full((3, 4, 3), 0.5, np.float32)
    weft.image.write(tmp_path / "photo.exr", photo, encoding="linear")
    job = tmp_path / "job.toml"
    job.write_text(
        'scene = "stranger.weft"\n[[targets]]\nimage = "photo.exr"\n'
        '[[parameters]]\nname = "m0.color.n"\n'
    )

    with pytest.raises(weft.ArgumentError, match="was not loaded"):
        load_job(job)
    assert load_job(job, trust=True).parameters[0].name == "m0.color.n"
    assert main(["fit", str(job), "--out", str(tmp_path / "out"), "--quiet"]) == 1
    assert "--trust" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_scene_without_functions_needs_no_trust(tmp_path, become_other_user):
    Scene([placed(quad(2), lambert())]).save(tmp_path / "a.weft")
    become_other_user()

    Scene.load(tmp_path / "a.weft")


CONTAINED = {
    "numbers": WAVE,
    "loops": "float wave(float2 uv, float n) { float s = 0; [MaxIters(4)] for (int i = 0; i < 4;"
    " ++i) s = s * n + float(i) * uv.x; return s * 0.01f; }",
    "structures": "struct Pair { float a; float b; float sum() { return a * b; } };"
    "float wave(float2 uv, float n) { Pair p; p.a = uv.x; p.b = n; return p.sum(); }",
    "places": "float wave(float2 uv, float n) { float a[3]; a[0] = n; a[2] = uv.y * n;"
    " return a[0] * a[2]; }",
    "long arrays": "float wave(float2 uv, float n) { float a[9]; a[8] = n; return a[8] * uv.x; }",
    "nodes": "import weft.nodes;\nfloat wave(float2 uv, float n) { return mathPower(uv.x, n); }",
    "generics": "T twice<T : IFloat>(T x) { return x + x; }"
    "float wave(float2 uv, float n) { return twice<float>(uv.x) * n; }",
    "bits": "float wave(float2 uv, float n) { int k = int(n) & 3; return uv.x * float(k); }",
}

HEAD = "float wave(float2 uv, float n) { "
ESCAPES = {
    "pointer": HEAD + "float* p = (float*)140000000; *p = n; return n; }",
    "pointer read": HEAD + "return *(float*)(140000000); }",
    "generic pointer": HEAD + "Ptr<float> p = Ptr<float>(140000000); return p[0]; }",
    "a name of its own for a pointer": "float own<Ptr>(float x) { return x; }"
    + HEAD
    + "Ptr<float> p = Ptr<float>(140000000); return p[0]; }",
    "a name of its own for a buffer": "float own<RWStructuredBuffer>(float x) { return x; }"
    + "RWStructuredBuffer<float> held; "
    + HEAD
    + "held[0] = n; return n; }",
    "alias": "typealias P = float*; " + HEAD + "P p = P(140000000); return p[0]; }",
    "typedef": "typedef float* P; " + HEAD + "P p; return n; }",
    "member": "struct S { float* p; } " + HEAD + "S s = bit_cast<S>(uint2(1, 2)); return *s.p; }",
    "own type": "struct S { float a; } " + HEAD + "S* p; return p.a; }",
    "generic type": "float g<T>(T * p) { return 1; } " + HEAD + "return n; }",
    "address of": HEAD + "float a = n; let p = &a; p[1000] = 0; return n; }",
    "run-time index": HEAD + "float a[4]; a[int(n)] = 1; return a[0]; }",
    "vector index": HEAD + "return uv[int(n)]; }",
    "vector's end": HEAD + "return uv[7]; }",
    "global array": "static float a[2]; " + HEAD + "return a[int(n)]; }",
    "buffer": "StructuredBuffer<float> b; " + HEAD + "return b[0]; }",
    "written buffer": "RWByteAddressBuffer b; " + HEAD + "b.Store(0, 1); return n; }",
    "texture": "Texture2D t; " + HEAD + "return t[uint2(0)].x; }",
    "weft's own tables": HEAD + "SceneView v; return v.geometry.positions[0]; }",
    "weft's own functions": HEAD + "weft_clear_record(140000000, 0); return n; }",
    "weft's records": HEAD + "addToRecord(140000000); return n; }",
    "assembler": HEAD + "return spirv_asm { result:$$float = OpUndef }; }",
    "intrinsic": '__target_intrinsic(cpp, "system") float g(float x); ' + HEAD + "return g(n); }",
    "include": "__include evil; " + HEAD + "return n; }",
    "preprocessor": '#include "/etc/passwd"\n' + HEAD + "return n; }",
    "import of a path": 'import "/etc/evil";\n' + HEAD + "return n; }",
    "import of a module": "import evil;\n" + HEAD + "return n; }",
    "import behind a comment": "/* */ import weft.records;\n" + HEAD + "return n; }",
    "shared memory": "groupshared float a; " + HEAD + "return a; }",
    "uniform": "uniform float* a; " + HEAD + "return n; }",
    "entry point": '[shader("compute")] void g() {} ' + HEAD + "return n; }",
    "star behind a comment": HEAD + "var p = (float/**/ *)3; return n; }",
}


@pytest.mark.parametrize("name", CONTAINED)
def test_what_stays_with_its_numbers_has_no_escape(name):
    assert find_escape(CONTAINED[name]) is None


@pytest.mark.slow
def test_trusted_functions_that_stay_with_their_numbers_run(device, tmp_path, become_other_user):
    calls = [replace(wave(source), is_differentiable=False) for source in CONTAINED.values()]
    scene_with(*calls).save(tmp_path / "a.weft")
    become_other_user()
    scene = Scene.load(tmp_path / "a.weft", trust=True)

    picture = weft.Renderer(device, scene).render("front", SETTINGS)

    assert np.isfinite(picture).all()


@pytest.mark.parametrize("name", ESCAPES)
def test_software_devices_refuse_what_could_reach_their_process(device, foreign, name):
    if not device.info.features.is_software:
        pytest.skip("this device is a GPU: its addresses are not those of the process")
    rewrite(foreign, lambda text: fields_of(text, "SlangCall").update(source=ESCAPES[name]))
    scene = Scene.load(foreign, trust=True)
    before = device.compiler_statistics

    with pytest.raises(weft.ArgumentError) as caught:
        weft.Renderer(device, scene)

    assert_in_order(str(caught.value), ["Renderer", str(foreign), "memory of this process"])
    assert device.compiler_statistics == before


def test_the_users_own_functions_may_do_what_those_of_files_may_not(device):
    source = HEAD + "float a[2]; a[0] = n; a[1] = uv.x; return a[int(n) & 1]; }"
    assert find_escape(source) is not None
    call = replace(wave(source), is_differentiable=False)

    picture = weft.Renderer(device, scene_with(call)).render("front", SETTINGS)

    assert np.isfinite(picture).all()
