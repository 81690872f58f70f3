# SPDX-License-Identifier: Apache-2.0
"""Graphs of Blender's nodes as materials: what arrives where, under which name."""

from __future__ import annotations

import pytest
from addon.core.graph.compile import AttributeTable, compile_material
from addon.core.graph.model import Graph

import weft
from support.node_graphs import GraphBuilder, surface_graph
from weft.scene import Add, Closure, Constant, Mix, SlangCall
from weft.scene.materials import textures_of
from weft.scene.program import print_program


def principled(inputs=None, name="Principled BSDF", builder=None) -> Graph:
    builder = builder or GraphBuilder()
    node = builder.add("ShaderNodeBsdfPrincipled", name, inputs=inputs)
    return surface_graph(builder, node)


def compiled(graph, name="Chrome", **options):
    return compile_material(graph, {}, name, **options)


def test_unlinked_inputs_are_parameters_with_blenders_numbers():
    result = compiled(principled({"Roughness": 0.25, "IOR": 1.7}))

    surface = result.material.surface
    roughness = surface.inputs["roughness"]
    assert surface.kind == "principled"
    assert isinstance(roughness, Constant)
    assert (roughness.name, roughness.value) == ("Principled BSDF.Roughness", 0.25)
    assert surface.inputs["ior"].numbers == (1.7,)
    assert surface.inputs["base_color"].numbers == (0.8, 0.8, 0.8)
    assert result.problems == []


def test_what_is_switched_off_is_left_out_but_can_be_bound():
    result = compiled(principled())

    assert "metallic" not in result.material.surface.inputs
    assert "coat_roughness" not in result.material.surface.inputs
    states = {binding.socket: binding.is_active for binding in result.bindings}
    assert states["Roughness"] is True
    assert states["Metallic"] is False


def test_a_parameter_that_a_fit_wants_is_kept_at_its_neutral_value():
    result = compiled(principled(), keep={"Chrome.Principled BSDF.Metallic"})

    assert result.material.surface.inputs["metallic"].value == 0
    assert {b.socket: b.is_active for b in result.bindings}["Metallic"] is True


def test_bounds_are_those_of_the_closure():
    result = compiled(principled())

    bounds = {binding.socket: (binding.low, binding.high) for binding in result.bindings}
    assert bounds["IOR"] == (1.0, 4.0)
    assert bounds["Roughness"] == (0.0, 1.0)


def test_a_function_node_is_a_call_of_the_library():
    builder = GraphBuilder()
    sine = builder.add("ShaderNodeMath", "Wave", operation="SINE", inputs={"Value": 0.3})

    result = compiled(principled({"Roughness": (sine, "Value")}, builder=builder))

    roughness = result.material.surface.inputs["roughness"]
    assert (roughness.function, roughness.module) == ("mathSine", "weft.nodes")
    (argument,) = roughness.arguments.values()
    assert (argument.name, argument.value) == ("Wave.inputs[0]", 0.3)


def test_a_shared_node_is_one_object():
    builder = GraphBuilder()
    node = builder.add("ShaderNodeMath", operation="SINE")
    links = {"Roughness": (node, "Value"), "Metallic": (node, "Value")}

    inputs = compiled(principled(links, builder=builder)).material.surface.inputs

    assert inputs["roughness"] is inputs["metallic"]


@pytest.mark.parametrize(
    ("source", "target", "function"),
    [("RGB", "Roughness", "colorToFloat"), ("Value", "Base Color", "floatToVector")],
)
def test_links_convert_as_in_cycles(source, target, function):
    builder = GraphBuilder()
    number = (0.1, 0.2, 0.3, 1.0) if source == "RGB" else 0.4
    node = builder.add(f"ShaderNode{source}", "Number", output=number)
    output = "Color" if source == "RGB" else "Value"

    result = compiled(principled({target: (node, output)}, builder=builder))

    value = result.material.surface.inputs[target.lower().replace(" ", "_")]
    assert value.function == function
    assert next(iter(value.arguments.values())).name == f"Number.{output}"
    assert next(b for b in result.bindings if b.path == ("Number",)).is_active


def test_a_color_at_a_shader_socket_shines():
    builder = GraphBuilder()
    node = builder.add("ShaderNodeRGB", "Color", output=(0.1, 0.2, 0.3, 1.0))

    surface = compiled(surface_graph(builder, node, "Color")).material.surface

    assert surface.kind == "emission"
    assert surface.inputs["color"].numbers == (0.1, 0.2, 0.3)


@pytest.mark.parametrize("is_old", [False, True])
def test_reroutes_and_muted_nodes_pass_on_what_they_get(is_old):
    builder = GraphBuilder(converts_on_the_way=is_old)
    value = builder.add("ShaderNodeValue", "Number", output=0.7)
    turn = builder.add("NodeReroute", inputs={"Input": (value, "Value")})
    muted = builder.add(
        "ShaderNodeMath",
        inputs={"Value": (turn, "Output"), "Value_001": 0.9},
        is_muted=True,
        internal_links={"Value": "Value"},
    )

    result = compiled(principled({"Roughness": (muted, "Value")}, builder=builder))

    roughness = result.material.surface.inputs["roughness"]
    # Reroutes of the file carry colours, which were a conversion before Blender 5.0.
    assert isinstance(roughness, SlangCall if is_old else Constant)
    assert [b.value for b in result.bindings if b.path == ("Number",)] == [0.7]


@pytest.mark.parametrize(("is_old", "expected"), [(False, 0.5), (True, 0.0)])
def test_what_nothing_reaches_is_no_link_or_zero(is_old, expected):
    builder = GraphBuilder(converts_on_the_way=is_old)
    turn = builder.add("ShaderNodeMath", is_muted=True, internal_links={"Value": "Value"})

    result = compiled(principled({"Roughness": (turn, "Value")}, builder=builder))

    roughness = result.material.surface.inputs["roughness"]
    assert (roughness.value if isinstance(roughness, Constant) else roughness) == expected


def grain() -> Graph:
    """A group that adds 0.25 to its input."""
    tree = GraphBuilder("Grain")
    tree.ends("NodeGroupInput", ("Socket_1", "VALUE", 0.5))
    tree.add("ShaderNodeMath", "Plus", inputs={"Value": ("NodeGroupInput", "Socket_1")})
    tree.ends("NodeGroupOutput", ("Socket_0", "VALUE", ("Plus", "Value")))
    return tree.graph()


def test_groups_that_are_used_twice_share_their_numbers_not_their_inputs():
    builder = GraphBuilder()
    for name, value in (("First", 0.1), ("Second", 0.2)):
        builder.group(name, grain(), {"Socket_1": value})
    links = {"Metallic": ("First", "Socket_0"), "Roughness": ("Second", "Socket_0")}

    inputs = compiled(principled(links, builder=builder)).material.surface.inputs

    first, second = (list(inputs[name].arguments.values()) for name in ("metallic", "roughness"))
    assert (first[0].name, second[0].name) == ("First.Socket_1", "Second.Socket_1")
    assert first[1] is second[1]
    assert first[1].name == "First.Plus.inputs[1]"


def test_groups_nest():
    middle = GraphBuilder("Middle")
    middle.ends("NodeGroupInput", ("Socket_5", "VALUE", 0.5))
    middle.group("Grain", grain(), {"Socket_1": ("NodeGroupInput", "Socket_5")})
    middle.ends("NodeGroupOutput", ("Socket_6", "VALUE", ("Grain", "Socket_0")))
    builder = GraphBuilder()
    builder.group("Middle", middle.graph(), {"Socket_5": 0.9})

    graph = principled({"Roughness": ("Middle", "Socket_6")}, builder=builder)
    arguments = list(compiled(graph).material.surface.inputs["roughness"].arguments.values())

    assert arguments[0].name == "Middle.Socket_5"
    assert arguments[0].value == 0.9
    assert arguments[1].name == "Middle.Grain.Plus.inputs[1]"


def test_an_unsupported_node_is_named_with_its_place_and_the_substitute():
    tree = GraphBuilder("Grain")
    tree.add("ShaderNodeTexGabor", "Gabor Texture")
    tree.ends("NodeGroupOutput", ("Socket_0", "VALUE", ("Gabor Texture", "Value")))
    builder = GraphBuilder()
    builder.group("Stripes", tree.graph())

    result = compiled(
        principled({"Roughness": ("Stripes", "Socket_0")}, builder=builder), name="Wood"
    )

    (problem,) = result.problems
    assert problem.where == "Material 'Wood' > group 'Stripes' > node 'Gabor Texture'"
    assert "ShaderNodeTexGabor" in problem.message
    assert problem.used_instead == "the value of the socket that it drives"
    assert result.material.surface.inputs["roughness"].name == "Stripes.NodeGroupOutput.Socket_0"


def test_loops_of_links_end_with_a_problem():
    builder = GraphBuilder()
    builder.add("ShaderNodeMath", "A", inputs={"Value": ("B", "Value")})
    builder.add("ShaderNodeMath", "B", inputs={"Value": ("A", "Value")})

    result = compiled(principled({"Roughness": ("A", "Value")}, builder=builder))

    assert [problem.message for problem in result.problems] == ["it is part of a loop of links"]


def test_long_chains_are_no_problem():
    builder = GraphBuilder()
    last = builder.add("ShaderNodeValue", "Number", output=0.7)
    for k in range(1000):
        last = builder.add("ShaderNodeMath", f"Math {k}", inputs={"Value": (last, "Value")})

    result = compiled(principled({"Roughness": (last, "Value")}, builder=builder))

    assert result.problems == []
    assert len([binding for binding in result.bindings if "Math" in binding.path[0]]) == 1000


def mixed(factor):
    builder = GraphBuilder()
    first = builder.add("ShaderNodeBsdfDiffuse")
    second = builder.add("ShaderNodeBsdfTransparent")
    inputs = {"Fac": factor, "Shader": (first, "BSDF"), "Shader_001": (second, "BSDF")}
    node = builder.add("ShaderNodeMixShader", "Mix Shader", inputs=inputs)
    return surface_graph(builder, node, "Shader")


def test_shaders_mix():
    surface = compiled(mixed(0.3)).material.surface

    assert isinstance(surface, Mix)
    assert (surface.first.kind, surface.second.kind) == ("diffuse", "transparent")
    assert surface.factor.numbers == (0.3,)


def test_a_mix_of_all_one_shader_is_that_shader():
    assert compiled(mixed(0.0)).material.surface.kind == "diffuse"
    assert compiled(mixed(1.0)).material.surface.kind == "transparent"


def test_shaders_add_and_nothing_added_is_nothing():
    builder = GraphBuilder()
    diffuse = builder.add("ShaderNodeBsdfDiffuse")
    one = builder.add("ShaderNodeAddShader", inputs={"Shader_001": (diffuse, "BSDF")})
    both = {"Shader": (one, "Shader"), "Shader_001": (diffuse, "BSDF")}
    node = builder.add("ShaderNodeAddShader", inputs=both)

    surface = compiled(surface_graph(builder, node, "Shader")).material.surface

    assert isinstance(surface, Add)
    assert surface.first is surface.second
    assert surface.first.kind == "diffuse"


def test_the_output_of_cycles_comes_before_the_active_one():
    builder = GraphBuilder()
    for name, target, active in (("Any", "ALL", True), ("Own", "CYCLES", False)):
        shader = builder.add("ShaderNodeEmission", f"{name} Emission")
        builder.add(
            "ShaderNodeOutputMaterial",
            name,
            inputs={"Surface": (shader, "Emission")},
            target=target,
            is_active_output=active,
        )

    surface = compiled(builder.graph()).material.surface

    assert surface.inputs["strength"].name == "Own Emission.Strength"


def test_a_graph_without_output_is_black_and_says_so():
    result = compiled(GraphBuilder().graph())

    assert result.material.surface.kind == "none"
    assert [str(problem) for problem in result.problems] == [
        "Material 'Chrome': it has no output node (used instead: nothing: black)"
    ]


def with_volume(builder, node, output="Volume"):
    links = {"Volume": (node, output)}
    builder.add("ShaderNodeOutputMaterial", "Output", inputs=links, is_active_output=True)
    return compiled(builder.graph())


def test_a_volume_without_surface_has_a_clear_boundary():
    builder = GraphBuilder()
    node = builder.add("ShaderNodeVolumeAbsorption", "Ink", Density=2.0)

    result = with_volume(builder, node)

    assert result.problems == []
    assert result.material.surface.kind == "transparent"
    assert result.material.volume.kind == "medium"
    names = {entry.parameter for entry in result.bindings}
    assert names == {"Chrome.Ink.Color", "Chrome.Ink.Density"}


def test_a_volume_that_varies_is_named():
    builder = GraphBuilder()
    noise = builder.add("ShaderNodeTexNoise", "Noise")
    node = builder.add("ShaderNodeVolumeAbsorption", "Ink", inputs={"Density": (noise, "Fac")})

    result = with_volume(builder, node)

    (problem,) = result.problems
    assert problem.message == "a volume that varies in space is not supported"
    assert result.material.volume is None


def test_surfaces_do_nothing_inside():
    builder = GraphBuilder()
    node = builder.add("ShaderNodeBsdfDiffuse", "Paint")

    result = with_volume(builder, node, "BSDF")

    assert result.problems == []
    assert result.material.volume is None


def test_materials_keep_their_names_dots_included():
    names = ["A.001", "A~001", "A_001"]

    assert [compiled(principled(), name=name).material.name for name in names] == names


def test_materials_of_a_scene_count_attributes_together():
    table = AttributeTable()

    indices = [
        table.require(kind, name).index
        for kind, name in (("uv", "Map"), ("color", "Paint"), ("uv", ""), ("generated", ""))
    ]

    assert indices == [0, 0, 1, 1]
    assert table.require("color", "Paint").index == 0


def test_an_unknown_target_is_refused():
    with pytest.raises(weft.ArgumentError, match=r"must be one of material, world, light, got 'x'"):
        compiled(principled(), target="x")


def test_the_world_is_an_emission():
    builder = GraphBuilder()
    node = builder.add("ShaderNodeBackground", "Background", inputs={"Strength": 2.0})
    links = {"Surface": (node, "Background")}
    builder.add("ShaderNodeOutputWorld", "World Output", inputs=links, is_active_output=True)

    surface = compiled(builder.graph(), target="world").material.surface

    assert isinstance(surface, Closure)
    assert (surface.kind, surface.inputs["strength"].numbers) == ("emission", (2.0,))


def test_long_chains_of_nodes_are_printed_without_nesting_calls():
    builder, last = GraphBuilder(), None
    for number in range(1500):
        inputs = {"Value": (last, "Value") if last else 0.3}
        last = builder.add("ShaderNodeMath", f"m{number}", operation="ADD", inputs=inputs)
    shader = builder.add(
        "ShaderNodeBsdfPrincipled", "Shader", inputs={"Roughness": (last, "Value")}
    )
    material = compile_material(surface_graph(builder, shader), {}, "M").material

    program = print_program(material)

    assert len(program.slots) > 1500
    assert program.text.count("mathAdd(") % 1500 == 0
    assert textures_of(material.surface) == []
