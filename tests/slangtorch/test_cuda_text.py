# SPDX-License-Identifier: Apache-2.0
"""Text for CUDA's compiler alone: an error that names it where kernels run on another device."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import slangtorch
from weft.slangtorch.cuda_text import find_cuda_text

KERNEL = """
[AutoPyBindCUDA][CUDAKernel]
void run(TensorView<float> x) { x[0] = special(x[0]); }
[AutoPyBindCUDA][CUDAKernel]
void plain(TensorView<float> x) { x[0] = 2 * x[0]; }
"""

WITHOUT_BODY = '\n__target_intrinsic(cuda, "sinf($0)")\nfloat special(float x);\n'
IN_CASE = (
    "float special(float x)\n{\n    __target_switch\n    {\n"
    '    case cuda: __intrinsic_asm "sinf($0)";\n    }\n}\n'
)
PRELUDE = '\n\nfloat special(float x) { __requirePrelude("#define SPECIAL 1"); return sin(x); }\n'


@pytest.fixture
def load(device, tmp_path):
    def loaded(text, **others):
        for name, content in {"kernels": text, **others}.items():
            (tmp_path / f"{name}.slang").write_text(content, encoding="utf-8")
        return slangtorch.loadModule(tmp_path / "kernels.slang", device=device)

    return loaded


def launch(device, kernel):
    x = weft.Tensor.from_numpy(device, np.array([0.5], np.float32))
    kernel(x=x).launchRaw(blockSize=(1, 1, 1), gridSize=(1, 1, 1))
    return x.numpy()[0]


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        (WITHOUT_BODY, 2, "__target_intrinsic"),
        (IN_CASE, 5, "__intrinsic_asm"),
        (PRELUDE, 3, "__requirePrelude"),
    ],
)
def test_other_devices_name_file_line_and_word(device, load, text, line, word):
    module = load(text + KERNEL)

    assert launch(device, module.plain) == 1
    if device.info.type == weft.DeviceType.cuda:
        assert launch(device, module.run) == pytest.approx(np.sin(0.5), rel=1e-5)
        return
    message = rf"kernels.slang:{line}: '{word}' is for CUDA's compiler.*a CUDA device. Slang says:"
    with pytest.raises(weft.CompileError, match=message):
        launch(device, module.run)


def test_imported_files_are_named(device, load):
    module = load("import special_functions;\n" + KERNEL, special_functions=WITHOUT_BODY)

    if device.info.type != weft.DeviceType.cuda:
        with pytest.raises(weft.CompileError, match=r"special_functions\.slang:2: '__target_intr"):
            launch(device, module.run)


def test_functions_with_a_body_for_all_run_everywhere(device, load):
    text = '[__target_intrinsic("cuda", "(2 * $0)")]\nfloat special(float x) { return 2 * x; }\n'

    assert launch(device, load(text + KERNEL).run) == 1


def test_other_errors_stay_as_they_are(device, load):
    text = "// __requirePrelude(x)\nfloat special(float x) { return bwd_diff(x); }\n"

    with pytest.raises(weft.CompileError) as caught:
        launch(device, load(text + KERNEL).run)
    assert "is for CUDA's compiler" not in str(caught.value)


def test_comments_and_strings_do_not_count(tmp_path):
    file = tmp_path / "a.slang"
    file.write_text(
        '/* __requirePrelude( */ static const String s = "__target_intrinsic(cuda";\n'
        "// case cuda: __intrinsic_asm\n"
        'case glsl: __intrinsic_asm "x"; case cuda : { __intrinsic_asm "y"; }\n'
        '#include "a.slang"\n',
        encoding="utf-8",
    )

    assert find_cuda_text(str(file), []) == [(str(file), 3, "__intrinsic_asm")]
