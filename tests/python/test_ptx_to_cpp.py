# SPDX-License-Identifier: Apache-2.0
"""The translator that runs PTX on the host: what instructions mean, and what it refuses."""

import subprocess

import pytest

from support import gradient_host, ptx_to_cpp

HEAD = """
.version 9.0
.target sm_90
.const .align 8 .b8 SLANG_globalParams[16];
.visible .entry computeMain()
{
	.local .align 16 .b8 	__local_depot0[32];
	.reg .b64 	%SPL;
	.reg .pred 	%p<4>;
	.reg .b32 	%r<32>;
	.reg .f32 	%f<16>;
	.reg .b64 	%rd<16>;
	mov.u64 	%SPL, __local_depot0;
"""
SUM = """
	mov.u32 	%r1, 0;
	mov.f32 	%f1, 0f00000000;
$L__BB0_1:
	cvt.rn.f32.s32 	%f2, %r1;
	fma.rn.f32 	%f1, %f2, 0f40000000, %f1; // 2 i
	mul.wide.s32 	%rd1, %r1, 4;
	add.s64 	%rd2, %SPL, %rd1;
	st.local.f32 	[%rd2], %f1;
	add.s32 	%r1, %r1, 1;
	setp.lt.s32 	%p1, %r1, ROUNDS;
	@%p1 bra 	$L__BB0_1;
	ld.local.v2.f32 	{%f3, %f4}, [%SPL+8];
	sub.f32 	%f5, %f4, %f3;
	neg.s32 	%r2, 7;
	shr.s32 	%r3, %r2, 1;
	shr.u32 	%r4, %r2, 28;
	prmt.b32 	%r5, 287454020, 0, 291;
	mul.hi.s32 	%r6, -5, 1431655766;
	selp.b32 	%r7, 1, 2, %p1;
	mov.b32 	%r8, %f1;
	ret;
}
"""
PRINT = """
int main()
{
    kernel();
    using namespace f_computeMain;
    printf("%g %g %d %u %x %d %u %x\\n", r_f1, r_f5, (int)r_r3, r_r4, r_r5, (int)r_r6, r_r7, r_r8);
}
"""

needs_compiler = pytest.mark.skipif(gradient_host.compiler() is None, reason="runs C++ on the host")


def run(ptx, folder):
    (folder / "code.cpp").write_text(ptx_to_cpp.translate(ptx) + PRINT)
    command = [gradient_host.compiler(), "-std=c++17", "-w", folder / "code.cpp", "-o"]
    subprocess.run([*command, folder / "program"], check=True)
    return subprocess.run([folder / "program"], capture_output=True, text=True)


@needs_compiler
def test_instructions_do_what_the_manual_says(tmp_path):
    done = run(HEAD + SUM.replace("ROUNDS", "8"), tmp_path)

    # 2 (0 + ... + 7); 12 - 6; -7 / 2 downwards; 11223344 from its other end; -5 / 3 downwards
    assert done.stdout == "56 6 -4 15 44332211 -2 2 42600000\n"


@needs_compiler
def test_a_write_outside_of_local_memory_ends_the_program_with_its_line(tmp_path):
    done = run(HEAD + SUM.replace("ROUNDS", "9"), tmp_path)

    assert done.returncode == 9
    assert "of the PTX writes local memory at 32, outside of it" in done.stderr


@pytest.mark.parametrize(
    "line",
    ["bar.sync 0;", "call %rd1, (), f;", "tex.2d.v4.f32 {%f1}, [t];", "vote.sync.any.pred %p1;"],
)
def test_an_unknown_instruction_is_named(line):
    with pytest.raises(ValueError, match=r"line 14 of the PTX: '.*' is not known"):
        ptx_to_cpp.translate(HEAD + "\t" + line + "\n\tret;\n}\n")


CALLED = """
.func (.param .b32 func_retval0) _Z4addup(
	.param .b64 _Z4addup_param_0,
	.param .align 4 .b8 _Z4addup_param_1[8]
)
{
	.local .align 4 .b8 	__local_depot0[4];
	.reg .b64 	%SPL;
	.reg .f32 	%f<8>;
	.reg .b64 	%rd<2>;
	mov.u64 	%SPL, __local_depot0;
	ld.param.u64 	%rd1, [_Z4addup_param_0];
	ld.param.f32 	%f1, [_Z4addup_param_1+4];
	ld.f32 	%f2, [%rd1];
	add.f32 	%f3, %f1, %f2;
	st.local.f32 	[%SPL], %f3;
	st.param.f32 	[func_retval0+0], %f3;
	ret;
}
"""
CALL = """
	mov.f32 	%f1, 0f40A00000;
	st.local.f32 	[%SPL], %f1;
	{ // callseq 0, 0
	.reg .b32 temp_param_reg;
	.param .b64 param0;
	st.param.b64 	[param0+0], %SPL;
	.param .align 4 .b8 param1[8];
	st.param.f32 	[param1+4], 0f40400000;
	.param .b32 retval0;
	call.uni (retval0),
	_Z4addup,
	(
	param0,
	param1
	);
	ld.param.f32 	%f5, [retval0+0];
	} // callseq 0
	ld.local.f32 	%f6, [%SPL];
	mov.b32 	%r8, %f6;
	ret;
}
"""


@needs_compiler
def test_calls_have_parameters_results_and_local_memory_of_their_own(tmp_path):
    done = run(CALLED + HEAD + CALL, tmp_path)

    assert done.stdout == "5 8 0 0 0 0 0 40a00000\n"
