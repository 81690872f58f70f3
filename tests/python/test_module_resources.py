# SPDX-License-Identifier: Apache-2.0
"""Buffers, blocks, pointers and tensors take what set() gives at module scope, or an argument."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
struct Inner { float a; StructuredBuffer<float> w; };
struct P { float k; ParameterBlock<Inner> inner; StructuredBuffer<float2> pairs; float3 tail; };
struct Pixel { float3 color; int id; };

ConstantBuffer<P> p : register(b0);
ParameterBlock<P> block;
StructuredBuffer<float> numbers : register(t0);
[[vk::binding(3, 1)]] StructuredBuffer<Pixel> pixels;
RWStructuredBuffer<float> sums : register(u0);
RWStructuredBuffer<int> counts;
RWStructuredBuffer<Pixel> drawn;
ByteAddressBuffer bytes;
RWByteAddressBuffer room;
uniform float* pointer;
uniform Tensor<float, 2> grid;
uniform RWTensor<float, 1> line;
TextureBuffer<P> texels;
cbuffer Camera : register(b1) { float focus; float3x3 turn; float lens[3] : packoffset(c4); }
tbuffer Old { int old_count; };

float constant(float x) { return x * p.k; }
float nested(float x) { return x * block.inner.a + block.inner.w[1] + block.pairs[0].y; }
float tail(float x) { return p.tail.z + x; }
float number(int i) { return numbers[i]; }
float loaded(int i)
{
    uint n, stride;
    numbers.GetDimensions(n, stride);
    return numbers.Load(i) + n + 100 * stride;
}
float3 pixel(int i) { return pixels[i].color * pixels[i].id; }
void add(int i, float x) { sums[i] += x; }
void count(int i) { InterlockedAdd(counts[i], 1); }
void draw(int i) { drawn[i].color.y = i; drawn[i].id = -i; }
uint word(int at)
{
    uint size;
    bytes.GetDimensions(size);
    return bytes.Load(at) + bytes.Load2(at).y + 1000 * size;
}
float real(int at) { return bytes.Load<float>(at); }
void store(int i) { room.Store(4 * i, i); uint old; room.InterlockedAdd(0, 1, old); }
float pointed(int i) { return pointer[i]; }
float cell(int i, int j) { return grid[i, j] + grid.shape[0]; }
void mark(int i) { line[i] = i; }
float texel(float x) { return texels.k * x; }
float camera(float x) { return x * focus + lens[2] + turn[1][2]; }
float lens_only(int i) { return lens[i]; }
float old(float x) { return x * old_count; }
uint size_of(int i) { return grid.shape[i] + numbers.getCount(); }
float plain(float x) { return x + 1; }

float by_constant(ConstantBuffer<Inner> c, float x) { return c.a * x + c.w[1]; }
float by_block(ParameterBlock<P> c) { return c.k + c.inner.w[0] + c.pairs[1].x; }
float by_buffer(StructuredBuffer<float> b, int i) { return b[i]; }
float3 by_pixels(StructuredBuffer<Pixel> b, int i) { return b[i].color; }
float3 by_vectors(StructuredBuffer<float3> b, int i) { return b[i]; }
void by_written(RWStructuredBuffer<float> b, int i) { b[i] = 2 * i; }
uint by_bytes(ByteAddressBuffer b, int at) { return b.Load(at); }
void by_room(RWByteAddressBuffer b, int i) { b.Store(4 * i, i + 1); }
T generic<T>(StructuredBuffer<T> b, int i) { return b[i]; }
"""


VALUES = np.array([1.5, -2, 3, 1e6], np.float32)


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "module_resources", SOURCE)


def whole_p(device, k=3.0):
    inner = {"a": 2.0, "w": Tensor.from_numpy(device, np.array([5, 7], np.float32))}
    return {
        "k": k,
        "inner": inner,
        "pairs": np.array([[1, 10], [4, 40]], np.float32),
        "tail": [1, 2, 3],
    }


def test_a_constant_buffer_is_set_by_a_dict(module):
    f = module.constant.set({"p": {"k": 3}})

    assert f(2.0) == 6.0
    assert f.set(p={"k": 5})(2.0) == 10.0
    assert np.array_equal(f(np.arange(3, dtype=np.float32)).numpy(), [0, 3, 6])


def test_members_that_a_function_does_not_read_may_be_left_out(module):
    assert module.tail.set(p={"tail": [0, 0, 8]})(1.0) == 9.0


def test_sizes_alone_are_read(module, device):
    assert module.size_of.set(grid=np.zeros((3, 7), np.float32), numbers=VALUES)(1) == 7 + 4


def test_parameter_blocks_nest_and_hold_buffers(module, device):
    assert module.nested.set(block=whole_p(device))(10.0) == 20 + 7 + 10


def test_a_texture_buffer_and_a_tbuffer_are_constants(module, device):
    assert module.texel.set(texels={"k": 4})(2.0) == 8.0
    assert module.old.set(old_count=3)(2.0) == 6.0


@pytest.mark.parametrize("form", ["tensor", "numpy", "list", "float64", "view", "two_dimensions"])
def test_a_structured_buffer_takes_any_numbers_in_a_row(module, device, form):
    given = {
        "tensor": lambda: Tensor.from_numpy(device, VALUES),
        "numpy": lambda: VALUES,
        "list": VALUES.tolist,
        "float64": lambda: VALUES.astype(np.float64),
        "view": lambda: Tensor.from_numpy(device, np.concatenate([VALUES, VALUES]))[4:],
        "two_dimensions": lambda: Tensor.from_numpy(device, VALUES.reshape(2, 2)),
    }[form]()

    f = module.number.set(numbers=given)

    assert [f(i) for i in range(4)] == VALUES.tolist()
    assert module.loaded.set(numbers=given)(1) == -2 + 4 + 400
    assert np.array_equal(module.by_buffer(given, np.arange(4, dtype=np.int32)).numpy(), VALUES)


def pixels(module, device):
    array = np.zeros(3, [("color", np.float32, 3), ("id", np.int32)])
    array["color"] = np.arange(9).reshape(3, 3)
    array["id"] = [1, 2, 3]
    return array, Tensor.from_numpy(device, array, dtype=module.Pixel)


def test_a_structured_buffer_holds_structures(module, device):
    array, tensor = pixels(module, device)

    assert list(module.pixel.set(pixels=tensor)(1)) == [6, 8, 10]
    assert list(module.by_pixels(tensor, 2)) == [6, 7, 8]
    assert array["id"].tolist() == [1, 2, 3]


def test_structures_of_the_host_are_laid_out_for_the_device(module):
    array = np.zeros(3, [("color", np.float64, 3), ("id", np.int64)])
    array["color"] = np.arange(9).reshape(3, 3)
    array["id"] = [1, 2, 3]
    columns = {"color": array["color"], "id": [1, 2, 3]}
    rows = [{"id": i + 1, "color": [3 * i, 3 * i + 1, 3 * i + 2]} for i in range(3)]

    for given in (array, columns, rows):
        assert list(module.pixel.set(pixels=given)(1)) == [6, 8, 10]
        assert list(module.by_pixels(given, 2)) == [6, 7, 8]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"color": np.zeros((3, 3)), "id": [1, 2]}, r"id.*one for each"),
        ({"color": np.zeros((3, 2)), "id": [1, 2, 3]}, r"color.*float3"),
        ({"color": np.zeros((3, 3))}, "fields of Pixel"),
        ([{"color": [1, 2, 3], "id": 1}, {"color": [1, 2], "id": 1}], r"\[1\]\.color"),
        ([{"color": [1, 2, 3], "id": 2**40}], "2147483647"),
    ],
)
def test_structures_that_do_not_fit_are_refused(module, given, why):
    with pytest.raises(weft.ArgumentError, match=why):
        module.by_pixels(given, 0)


def test_a_structured_buffer_holds_vectors(module, device):
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)

    assert list(module.by_vectors(rows, 1)) == [3, 4, 5]
    assert list(module.by_vectors(Tensor.from_numpy(device, rows), 1)) == [3, 4, 5]
    with pytest.raises(weft.ArgumentError, match=r"by_vectors.*'b'.*\(3,\)"):
        module.by_vectors(np.arange(6, dtype=np.float32), 1)


def test_elements_of_a_written_buffer_are_written_in_part(module, device):
    sums = Tensor.zeros(device, (4,), dtype="float32")
    module.add.set(sums=sums)(np.arange(4, dtype=np.int32), np.array([1, 2, 3, 4], np.float32))
    _, drawn = pixels(module, device)
    module.draw.set(drawn=drawn)(np.arange(3, dtype=np.int32))

    assert sums.numpy().tolist() == [1, 2, 3, 4]
    assert drawn.numpy()["color"].tolist() == [[0, 0, 2], [3, 1, 5], [6, 2, 8]]
    assert drawn.numpy()["id"].tolist() == [0, -1, -2]


def test_elements_of_a_written_buffer_take_atomic_operations(module, device):
    counts = Tensor.zeros(device, (3,), dtype="int32")

    module.count.set(counts=counts)(np.arange(300, dtype=np.int32) % 3)

    assert counts.numpy().tolist() == [100, 100, 100]


def test_bytes_of_any_array_can_be_read(module, device):
    words = np.array([7, 8, 9, 10], np.uint32)
    reals = np.array([0.5, 1.5], np.float32)

    assert module.word.set(bytes=words)(4) == 8 + 9 + 16000
    assert module.word.set(bytes=Tensor.from_numpy(device, words))(4) == 8 + 9 + 16000
    assert module.real.set(bytes=reals)(4) == 1.5
    assert module.by_bytes(words, 12) == 10
    assert module.by_bytes(words.view(np.uint8), 12) == 10
    assert module.real.set(bytes=Tensor.from_numpy(device, reals))(0) == 0.5


def test_bytes_are_written_back_to_numpy_arrays(module, device):
    room = np.full(4, 100, np.uint32)
    module.store.set(room=room)(np.arange(1, 4, dtype=np.int32))
    given = np.zeros(3, np.int32)
    module.by_room(given, np.arange(3, dtype=np.int32))
    tensor = Tensor.zeros(device, (3,), dtype="int32")
    module.by_room(tensor, np.arange(3, dtype=np.int32))

    assert room.tolist() == [103, 1, 2, 3]
    assert given.tolist() == [1, 2, 3]
    assert tensor.numpy().tolist() == [1, 2, 3]


def test_a_written_buffer_is_a_parameter(module, device):
    tensor = Tensor.zeros(device, (3,), dtype="float32")

    module.by_written(tensor, np.arange(3, dtype=np.int32))

    assert tensor.numpy().tolist() == [0, 2, 4]


def test_pointers_and_tensors_at_module_scope_are_set(module, device):
    values = np.arange(6, dtype=np.float32)
    line = Tensor.zeros(device, (4,), dtype="float32")

    assert module.pointed.set(pointer=Tensor.from_numpy(device, values))(4) == 4.0
    assert module.cell.set(grid=values.reshape(2, 3))(1, 2) == 5.0 + 2
    assert module.cell.set(grid=Tensor.from_numpy(device, values.reshape(3, 2)).T)(1, 2) == 5.0 + 2
    module.mark.set(line=line)(np.arange(4, dtype=np.int32))
    assert line.numpy().tolist() == [0, 1, 2, 3]


def test_a_tensor_at_module_scope_is_written_back_to_numpy(module):
    line = np.zeros(4, np.float32)

    module.mark.set(line=line)(np.arange(4, dtype=np.int32))

    assert line.tolist() == [0, 1, 2, 3]


def test_members_of_a_cbuffer_are_set_by_their_names_or_the_block_s(module):
    turn = np.arange(9, dtype=np.float32).reshape(3, 3)

    assert module.camera.set(focus=2, turn=turn, lens=[1, 2, 30])(5.0) == 10 + 30 + 5
    assert module.camera.set(Camera={"focus": 2, "turn": turn, "lens": [1, 2, 30]})(5.0) == 45
    assert module.lens_only.set(Camera={"lens": [1, 2, 30]})(2) == 30


def test_blocks_are_parameters(module, device):
    assert module.by_constant({"a": 2.0, "w": np.array([1, 4], np.float32)}, 3.0) == 10.0
    assert module.by_block(whole_p(device)) == 3 + 5 + 4


def test_buffers_of_generic_functions_find_their_type(module, device):
    assert module.generic(Tensor.from_numpy(device, np.array([1, 2], np.int32)), 1) == 2
    assert module["generic<float>"](VALUES, 2) == 3.0


def test_sizes_may_differ_from_call_to_call(module):
    for count in (1, 2, 5, 70):
        values = np.arange(count, dtype=np.float32)
        assert module.loaded.set(numbers=values)(count - 1) == count - 1 + count + 400


def test_dispatch_takes_them_as_vars(module, device):
    counts = Tensor.zeros(device, (2,), dtype="int32")

    module.count.dispatch((2, 1, 1), i=0, vars={"counts": counts})

    assert counts.numpy().tolist() == [2, 0]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("constant", "p"),
        ("number", "numbers"),
        ("count", "counts"),
        ("word", "bytes"),
        ("pointed", "pointer"),
        ("cell", "grid"),
        ("old", "old_count"),
        ("store", "room"),
        ("lens_only", "lens"),
    ],
)
def test_what_a_function_reads_must_be_set(module, function, name):
    arguments = {"cell": (0, 0)}.get(function, (0,))

    with pytest.raises(weft.ArgumentError, match=rf"{function}.*'{name}'.*set\("):
        getattr(module, function)(*arguments)


def test_a_function_that_reads_none_of_them_needs_none(module):
    assert module.plain(1.0) == 2.0


@pytest.mark.parametrize(
    ("function", "value", "message"),
    [
        ("constant", {"p": {"k": "x"}}, "k"),
        ("constant", {"p": {"j": 1}}, r"'p'.*'k'"),
        ("constant", {"p": 3.0}, r"'p'"),
        ("number", {"numbers": 3.0}, r"'numbers' must be StructuredBuffer<float>"),
        ("number", {"numbers": np.zeros(2, np.complex64)}, "complex"),
        ("word", {"bytes": [1, 2]}, r"'bytes'.*dtype"),
        ("pointed", {"pointer": 5}, r"'pointer'"),
        ("cell", {"grid": np.zeros(3, np.float32)}, r"'grid'.*2 dimensions"),
        ("cell", {"grid": np.zeros((2, 2, 2), np.float32)}, r"'grid'.*same for all calls"),
        ("old", {"old_count": np.zeros(3, np.int32)}, r"'old_count'.*same for all calls"),
        ("old", {"old_count": 1.5}, r"'old_count'"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(module, function, value, message):
    arguments = {"cell": (0, 0)}.get(function, (0,))

    with pytest.raises(weft.ArgumentError, match=message) as caught:
        getattr(module, function).set(value)(*arguments)

    assert function in str(caught.value)


def test_a_read_only_array_cannot_take_what_is_written(module):
    room = np.zeros(4, np.uint32)
    room.flags.writeable = False

    with pytest.raises(weft.ArgumentError, match=r"store.*'room'.*read-only"):
        module.store.set(room=room)(1)


def misreads_narrow_uniforms(device):
    """Say whether this is NVIDIA's Vulkan driver, for which such reads are refused."""
    is_nvidia = device.info.driver.startswith("NVIDIA")
    return device.info.type.name == "vulkan" and is_nvidia


def test_uniforms_of_padded_types_arrive_whole(device):
    module = weft.Module.load_from_source(
        device,
        "padded_uniforms",
        """
        struct S { float3 a; half b; bool c; int8_t d[3]; };
        uniform float3x3 m33; uniform float2x3 m23; uniform float3x2 m32; uniform half3x2 h32;
        uniform int8_t tiny[5]; uniform float table[200]; uniform float3 rows[4];
        uniform float2x2 mats[2]; uniform bool3 flags; uniform S s[3];
        uniform double2x3 d23; uniform int3x3 i33;
        float a(int i, int j) { return m33[i][j]; }
        float b(int i, int j) { return m23[i][j]; }
        float c(int i, int j) { return m32[i][j]; }
        float d(int i, int j) { return h32[i][j]; }
        float e(int i, int j) { return table[i * 20 + j]; }
        float f(int i, int j) { return rows[i][j]; }
        float g(int i, int j) { return mats[i][j][1 - j]; }
        int h(int i) { return tiny[i]; }
        int k(int i) { return flags[i] ? 1 : 0; }
        float4 l(int i) { return float4(s[i].a.z, s[i].b, s[i].c ? 1 : 0, s[i].d[2]); }
        double n(int i, int j) { return d23[i][j]; }
        int o(int i, int j) { return i33[i][j]; }
        """,
    )

    def read(name, uniform, value, shape):
        i, j = (np.ascontiguousarray(x, np.int32) for x in np.indices(shape))
        return getattr(module, name).set({uniform: value})(i, j).numpy()

    def numbers(*shape, dtype=np.float32):
        return (np.arange(np.prod(shape)) + 1).reshape(shape).astype(dtype)

    cases = [("a", "m33", (3, 3)), ("b", "m23", (2, 3)), ("c", "m32", (3, 2)), ("d", "h32", (3, 2))]
    cases += [("f", "rows", (4, 3)), ("n", "d23", (2, 3)), ("o", "i33", (3, 3))]
    for name, uniform, shape in cases:
        value = numbers(*shape, dtype=np.int32 if name == "o" else np.float32)
        if uniform == "h32" and misreads_narrow_uniforms(device):
            with pytest.raises(weft.ArgumentError, match=r"'d' .*'h32'.*constant indices"):
                read(name, uniform, value, shape)
            continue
        assert np.array_equal(read(name, uniform, value, shape), value), uniform
    assert np.array_equal(read("e", "table", numbers(200), (10, 20)), numbers(10, 20))
    assert read("g", "mats", numbers(2, 2, 2), (2, 2)).tolist() == [[2, 3], [6, 7]]
    assert [module.h.set(tiny=[1, -2, 3, -4, 5])(i) for i in range(5)] == [1, -2, 3, -4, 5]
    assert [module.k.set(flags=[True, False, True])(i) for i in range(3)] == [1, 0, 1]
    entries = [{"a": [0, 0, i], "b": i + 0.5, "c": i == 1, "d": [0, 0, i]} for i in range(3)]
    assert [list(module.l.set(s=entries)(i)) for i in range(3)] == [
        [0, 0.5, 0, 0],
        [1, 1.5, 1, 1],
        [2, 2.5, 0, 2],
    ]


def test_buffers_of_imported_modules_are_set(device, tmp_path):
    (tmp_path / "shared_tables.slang").write_text(
        "StructuredBuffer<float> table;\ncbuffer Scale { float scale; float unused; }\n"
        "float looked_up(int i) { return table[i] * scale; }\n"
    )
    (tmp_path / "main.slang").write_text(
        "import shared_tables;\nfloat f(int i) { return looked_up(i); }\n"
    )
    module = weft.Module.load_from_file(device, tmp_path / "main.slang")

    f = module.f.set({"table": np.array([1, 2, 3], np.float32), "Scale": {"scale": 10}})

    assert f(2) == 30.0
    with pytest.raises(weft.ArgumentError, match=r"f: .*'table'"):
        module.f(1)


def test_a_differentiable_function_reads_buffers_as_constants(device):
    module = weft.Module.load_from_source(
        device,
        "differentiable_buffers",
        """
        StructuredBuffer<float> weights;
        ConstantBuffer<Scale> scale;
        struct Scale { float by; };
        [Differentiable] float f(float x) { return x * x * weights[1] * scale.by; }
        """,
    )
    x = Tensor.from_numpy(device, np.array([1, 2, 3], np.float32)).with_grads()
    result = Tensor.zeros(device, (3,), dtype="float32").with_grads()
    result.grad.copy_from_numpy(np.ones(3, np.float32))

    module.f.set(weights=[0.0, 5.0], scale={"by": 2.0}).bwds(x, _result=result)

    assert x.grad.numpy().tolist() == [20, 40, 60]


def test_a_user_s_own_type_of_such_a_name_stays_his(device):
    module = weft.Module.load_from_source(
        device,
        "own_buffer",
        "struct StructuredBuffer { float a; };\nfloat f(StructuredBuffer b) { return b.a; }\n",
    )

    assert module.f({"a": 4.0}) == 4.0
