# SPDX-License-Identifier: Apache-2.0
"""Blender as a Python module: the environments that tests/blender runs in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dev import environments
from dev.project import ROOT, leave_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dev.environments import Environment

FOLDER = "tests/blender"


@dataclass(frozen=True)
class Blender:
    """A version of Blender, and the Python version that its module needs."""

    version: str
    python: str


BLENDERS = (Blender("4.5", "3.11"), Blender("5.2", "3.13"))

# Minutes of rendering, fits, processes and edits, whose rules do not change with Blender's version.
IN_ONE_BLENDER = {
    "4.5": (
        "test_camera_export",
        "test_coincident_faces",
        "test_copy_as_slang",
        "test_displacement_export",
        "test_edits",
        "test_evaluation_conversions",
        "test_evaluation_leftovers",
        "test_evaluation_stacks",
        "test_evaluation_states",
        "test_file_changes",
        "test_fit_lights",
        "test_fit_live",
        "test_fit_pictures",
        "test_fit_problems",
        "test_fit_sequences",
        "test_fit_templates",
        "test_flat_faces_cycles",
        "test_foreign_blend_files",
        "test_images",
        "test_instance_export",
        "test_isolation",
        "test_light_rules_cycles",
        "test_lettering",
        "test_light_export",
        "test_lowered_images",
        "test_mesh_export",
        "test_missing_cycles",
        "test_nodes_cycles",
        "test_own_embree",
        "test_picking",
        "test_slang_images",
        "test_slang_learned",
        "test_slang_moving",
        "test_slang_pixels",
        "test_slang_sources_gone",
        "test_terminators_cycles",
        "test_tilted_normals_cycles",
        "test_volumes_cycles",
    ),
    "5.2": (
        "test_attribute_export",
        "test_bump_cycles",
        "test_cubic_cycles",
        "test_display_transform",
        "test_evaluation_problems",
        "test_evaluation_renders",
        "test_evaluation_trees",
        "test_fit_choices",
        "test_fit_environment",
        "test_fit_leaving",
        "test_fit_references",
        "test_fit_stored",
        "test_light_paths_cycles",
        "test_lowering_random",
        "test_many_lights_cycles",
        "test_osl_cycles",
        "test_ramp_stops",
        "test_ray_kind_export",
        "test_sample",
        "test_save_template",
        "test_scripting_module",
        "test_slang_baked_edges",
        "test_slang_baked_following",
        "test_slang_baked_refusals",
        "test_slang_following",
        "test_slang_libraries",
        "test_slang_undo",
        "test_slang_variants",
        "test_slang_widths",
        "test_subsurface_cycles",
        "test_tangents_cycles",
        "test_template_nodes",
        "test_world_export",
    ),
}
"""Files that the runs of two Blenders share; ./dev test --full has them in both."""


def files_of(blender: Blender, *, is_shared: bool, is_reversed: bool) -> list[str]:
    """Return the test files that a Blender runs, in order or from the end.

    Args:
        blender: The Blender.
        is_shared: Leave out what the other Blender of this run has instead.
        is_reversed: Begin with the last one.
    """
    others = [names for version, names in IN_ONE_BLENDER.items() if version != blender.version]
    left_out = {name for names in others for name in names} if is_shared else set()
    files = sorted(ROOT.glob(f"{FOLDER}/test_*.py"), reverse=is_reversed)
    return [str(path.relative_to(ROOT)) for path in files if path.stem not in left_out]


def provide(blender: Blender) -> Environment | None:
    """Return the environment of a Blender, ready to use; None, said in one line, without Python."""
    python = environments.find_python(blender.python)
    if python is None:
        variable = f"WEFT_PYTHON{blender.python.replace('.', '')}"
        leave_out(
            f"no Python {blender.python} ({variable}, pyenv, PATH): the tests in Blender "
            f"{blender.version} are skipped"
        )
        return None
    environment = environments.Environment(f"bpy-{blender.version}", python)
    environments.provide(environment, environment.name)
    return environment


def split_selection(arguments: Sequence[str]) -> tuple[list[str] | None, list[str] | None]:
    """Split what pytest shall run into what runs inside Blender and what runs outside.

    Args:
        arguments: Paths and options; options go to both.

    Returns:
        The arguments of both runs; None: there is nothing to run.
    """
    inside = [argument for argument in arguments if argument.startswith(FOLDER)]
    outside = [argument for argument in arguments if argument.startswith("tests/")]
    outside = [argument for argument in outside if argument not in inside]
    options = [argument for argument in arguments if not argument.startswith("tests/")]
    return (
        [*inside, *options] if inside else None,
        [*outside, *options] if outside or not inside else None,
    )
