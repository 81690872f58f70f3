# SPDX-License-Identifier: Apache-2.0
"""Types, functions and attributes of SlangTorch's kernels."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.slangtorch_modules import load
from weft import slangtorch

__all__ = ["load"]  # the fixture

KINDS = {
    "float": np.float32,
    "half": np.float16,
    "double": np.float64,
    "int": np.int32,
    "uint": np.uint32,
    "int64_t": np.int64,
    "uint64_t": np.uint64,
    "int16_t": np.int16,
    "uint8_t": np.uint8,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
def test_every_scalar_is_indexed_in_every_rank(load, kind, rank):
    if rank > 1 and kind not in ("float", "uint8_t"):
        pytest.skip("ranks are the same for all scalars")
    numbers = ", ".join(f"i[{k}]" for k in range(rank))
    vector = f"uint{rank}({numbers})" if rank > 1 else "uint1(i[0])"
    by_vector = f"*b.data_ptr_at({vector}) = b.load({vector});" if rank < 5 else ""
    module = load(f"""
        [AutoPyBindCUDA] [CUDAKernel]
        void copy(TensorView<{kind}> a, TensorView<{kind}> b, TensorView<uint> facts)
        {{
            uint at = cudaThreadIdx().x + cudaBlockIdx().x * cudaBlockDim().x;
            uint i[5];
            for (int k = {rank} - 1; k >= 0; --k)
            {{
                i[k] = at % a.size(k);
                at /= a.dim(k);
            }}
            b[{numbers}] = a[{numbers if rank == 5 else vector}];
            b.store({numbers}, b.load({numbers}));
            {by_vector}
            facts[0] = a.dims();
            facts[1] = a.stride(0);
        }}
    """)
    shape = (3, 2, 2, 2, 3)[:rank]
    a = np.arange(np.prod(shape)).reshape(shape).astype(KINDS[kind])
    b, facts = np.zeros_like(a), np.zeros(2, np.uint32)

    module.copy(a=a, b=b, facts=facts).launchRaw((a.size, 1, 1), (1, 1, 1))

    assert np.array_equal(a, b)
    assert facts.tolist() == [rank, a.strides[0]]


@pytest.mark.parametrize("kind", ["float", "half", "double", "int", "uint", "int64_t", "uint64_t"])
def test_atomic_sums_lose_nothing(device, load, kind):
    if kind in ("int64_t", "uint64_t", "double") and not device.info.features.int64_atomics:
        pytest.skip("no atomics of 64 bits")
    module = load(f"""
        [AutoPyBindCUDA] [CUDAKernel]
        void count(TensorView<{kind}> t, TensorView<int> olds)
        {{
            {kind} old;
            t.InterlockedAdd(uint2(cudaThreadIdx().x % 3, 0), {kind}(2), old);
            olds[cudaThreadIdx().x] = int(old);
        }}
    """)
    t, olds = np.zeros((3, 1), KINDS[kind]), np.zeros(96, np.int32)

    module.count(t=t, olds=olds).launchRaw((96, 1, 1), (1, 1, 1))

    assert t.ravel().tolist() == [64] * 3
    assert sorted(olds[::3]) == list(range(0, 64, 2))


def test_other_atomics_of_integers(load):
    calls = "\n".join(
        f"t.Interlocked{name}({k}u, i, old); o.Interlocked{name}(uint2({k}, 0), i, old);"
        for k, name in enumerate(["Min", "Max", "And", "Or", "Xor", "Exchange"])
    )
    module = load(f"""
        [AutoPyBindCUDA] [CUDAKernel]
        void all(TensorView<int> t, TensorView<int> o, TensorView<float> f)
        {{
            const int i = int(cudaThreadIdx().x) + 5;
            int old;
            {calls}
            t.InterlockedCompareExchange(6u, 3, i);
            float was;
            f.InterlockedExchange(0u, float(i), was);
            f.InterlockedCompareExchange(1u, 2.0, float(i));
        }}
    """)
    t = np.array([100, 0, 255, 0, 0, 0, 3], np.int32)
    o, f = t.reshape(7, 1).copy(), np.array([1, 2], np.float32)

    module.all(t=t, o=o, f=f).launchRaw((3, 1, 1), (1, 1, 1))

    assert t[:5].tolist() == [5, 7, 5 & 6 & 7, 5 | 6 | 7, 5 ^ 6 ^ 7]
    assert t[5] in (5, 6, 7)
    assert t[6] in (5, 6, 7)
    assert o[:5, 0].tolist() == t[:5].tolist()
    assert f[0] in (5, 6, 7)
    assert f[1] in (5, 6, 7)


@pytest.mark.parametrize(("name", "kind"), [("Min", "float"), ("Xor", "half"), ("Add", "bool")])
def test_atomics_that_a_type_has_not_do_not_compile(load, name, kind):
    text = f"""
        [AutoPyBindCUDA] [CUDAKernel]
        void f(TensorView<{kind}> t) {{ {kind} old; t.Interlocked{name}(0u, {kind}(1), old); }}
    """
    with pytest.raises(weft.CompileError, match=f"Interlocked{name}"):
        load(text)


def test_fills(load):
    module = load("""
        [AutoPyBindCUDA] [CUDAKernel]
        void f(TensorView<float> a, TensorView<float> b) { a.fillZero(); b.fillValue(3); }
    """)
    a, b = np.ones((3, 4), np.float32), np.ones((2, 2, 2), np.float32)
    module.f(a=a, b=b).launchRaw((1, 1, 1), (1, 1, 1))
    assert not a.any()
    assert (b == 3).all()


def test_vectors_are_elements(load):
    module = load("""
        [AutoPyBindCUDA] [CUDAKernel]
        void f(TensorView<float3> a, TensorView<float2> b)
        { let i = cudaThreadIdx().x; b[i, 1] = a[i].zx + float2(a.size(0), a.size(1)); }
    """)
    a = np.arange(12, dtype=np.float32).reshape(4, 3)
    b = np.zeros((4, 2, 2), np.float32)

    module.f(a=a, b=b).launchRaw((4, 1, 1), (1, 1, 1))

    assert b[:, 1].tolist() == (a[:, [2, 0]] + (4, 3)).tolist()
    with pytest.raises(weft.ArgumentError, match=r"expected \(3,\) as its last dimensions"):
        module.f(a=np.zeros((4, 2), np.float32), b=b)


def test_gradients_of_a_view_are_reached_by_hand(load):
    module = load("""
        struct Line
        {
            DiffTensorView weights;

            [BackwardDerivative(eval_bwd)]
            float eval(float x) { return *weights.primal.data_ptr() * x; }
            void eval_bwd(inout DifferentialPair<float> x, float upstream)
            {
                float old;
                weights.diff.diff.InterlockedAdd(0, upstream * x.p, old);
                x = diffPair(x.p, upstream * weights.primal[0]);
            }
        }

        [PyExport("Line")] struct Exported { float x; }

        [AutoPyBindCUDA] [CUDAKernel] [Differentiable]
        void f(Line line, DiffTensorView x, DiffTensorView y)
        {
            let i = cudaThreadIdx().x;
            y[i] = line.eval(x[i]);
        }

        [AutoPyBindCUDA] [CUDAKernel]
        void g(TensorView<float> a, TensorView<float> b)
        {
            DiffTensorView<float> view;
            view.primal = a;
            DiffTensorView<float> other = DiffTensorView<float>(a, b);
            DiffTensorView<float> constant = DiffTensorView<float>(a);
            b[0] = view[0] + other.load(0) + constant[1];
        }
    """)
    w, gradient = np.array([3], np.float32), np.zeros(1, np.float32)
    x, slope = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    y = (np.zeros(4, np.float32), np.ones(4, np.float32))

    line = {"weights": (w, gradient)}
    module.f.bwd(line=line, x=(x, slope), y=y).launchRaw((4, 1, 1), (1, 1, 1))

    assert gradient.tolist() == [6]
    assert slope.tolist() == [3] * 4
    found = np.zeros(1, np.float32)
    module.g(a=x + 1, b=found).launchRaw((1, 1, 1), (1, 1, 1))
    assert found.tolist() == [4]
    assert module.Exported(x=2).x == 2


MESH = """
struct Mesh { TensorView<float> vertices; TensorView<int> indices; }
struct Layer { DiffTensorView weights[2]; float slope; Mesh mesh; }

[AutoPyBindCUDA] [CUDAKernel]
void gather(Mesh mesh, TensorView<float> found)
{
    let i = cudaThreadIdx().x;
    found[i] = mesh.vertices[mesh.indices[i]];
}

[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void forward(Layer layer, DiffTensorView y)
{
    let i = cudaThreadIdx().x;
    y[i] = layer.weights[0][i] * layer.weights[1][i] * layer.slope;
}
"""


@pytest.mark.parametrize("form", ["named", "dict", "tuple"])
def test_structures_are_named_tuples_dicts_and_tuples(load, form):
    module = load(MESH)
    vertices = np.array([5, 6, 7], np.float32)
    indices = np.array([2, 0, 1, 1], np.int32)
    mesh = {
        "named": module.Mesh(vertices=vertices, indices=indices),
        "dict": {"vertices": vertices, "indices": indices},
        "tuple": (vertices, indices),
    }[form]
    found = np.zeros(4, np.float32)

    module.gather(mesh=mesh, found=found).launchRaw((4, 1, 1), (1, 1, 1))

    assert found.tolist() == [7, 5, 6, 6]
    assert module.Mesh is module.Mesh


def test_gradients_pass_through_structures_and_arrays(load):
    module = load(MESH)
    a, b = np.array([1, 2], np.float32), np.array([3, 4], np.float32)
    gradients = [np.zeros(2, np.float32), np.zeros(2, np.float32)]
    mesh = module.Mesh(a, np.zeros(1, np.int32))
    layer = module.Layer(weights=[(a, gradients[0]), (b, gradients[1])], slope=2.0, mesh=mesh)
    y, upstream = np.zeros(2, np.float32), np.ones(2, np.float32)

    module.forward.bwd(layer=layer, y=(y, upstream)).launchRaw((2, 1, 1), (1, 1, 1))

    assert gradients[0].tolist() == [6, 8]
    assert gradients[1].tolist() == [2, 4]


@pytest.mark.parametrize(
    ("mesh", "message"),
    [
        ((1,), r"Mesh with 2 members \(vertices, indices\), got 1 values"),
        ({"vertices": 1}, "which has a member 'indices'"),
        ({"vertices": 1, "indices": 2, "color": 3}, "which has no member 'color'"),
        (7, "must be Mesh, a dict or a tuple, got int 7"),
        ((3, 4), "'mesh.vertices' must be a tensor, got int 3"),
    ],
)
def test_wrong_structures_are_named(load, mesh, message):
    module = load(MESH)
    with pytest.raises(weft.ArgumentTypeError, match=message):
        module.gather(mesh=mesh, found=np.zeros(1, np.float32))


def test_groups_share_memory_and_wait(load):
    module = load("""
        groupshared float shared[64];
        [AutoPyBindCUDA] [CUDAKernel]
        void reverse(TensorView<float> t)
        {
            let i = cudaThreadIdx().x;
            let first = cudaBlockIdx().x * cudaBlockDim().x;
            shared[i] = t[first + i];
            GroupMemoryBarrierWithGroupSync();
            t[first + i] = shared[63 - i];
        }
    """)
    t = np.arange(128, dtype=np.float32)
    module.reverse(t=t).launchRaw((64, 1, 1), (2, 1, 1))
    assert t.tolist() == [*range(63, -1, -1), *range(127, 63, -1)]


@pytest.mark.parametrize("mark", ["Differentiable", "BackwardDifferentiable"])
@pytest.mark.parametrize("call", ["__bwd_diff", "bwd_diff"])
def test_old_spellings(load, mark, call):
    module = load(f"""
        [{mark}] float square(float x) {{ return x * x; }}
        [CudaDeviceExport] float exported(float x) {{ return x; }}
        [AutoPyBindCUDA] [CudaKernel]
        void slope(TensorView<float> x, TensorView<float> y)
        {{
            let i = cudaThreadIdx().x;
            DifferentialPair<float> pair = diffPair(x.load(i));
            {call}(square)(pair, 1.0);
            y.store(i, exported(pair.d));
        }}
    """)
    x, y = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
    module.slope(x=x, y=y).launchRaw((3, 1, 1), (1, 1, 1))
    assert y.tolist() == [0, 2, 4]


def test_defines_make_modules_of_their_own_that_live_side_by_side(load):
    text = """
        static const uint kSteps = STEPS;
        [AutoPyBindCUDA] [CUDAKernel]
        void f(TensorView<float> t) { for (uint k = 0; k < kSteps; ++k) t[0] += 1; }
    """
    modules = {steps: load(text, defines={"STEPS": steps}) for steps in (20, 50)}
    for steps, module in modules.items():
        t = np.zeros(1, np.float32)
        module.f(t=t).launchRaw((1, 1, 1), (1, 1, 1))
        assert t[0] == steps
    assert load(text, defines={"STEPS": 20}) is modules[20]
    assert load(text, extraSlangFlags=["-DSTEPS=50"]) is modules[50]


def test_an_edited_file_is_read_again_and_a_broken_one_is_an_error(load):
    text = "[AutoPyBindCUDA] [CUDAKernel] void f(TensorView<float> t) {{ t[0] = {}; }}"
    found = np.zeros(1, np.float32)
    module = load(text.format(1))
    module.f(t=found).launchRaw((1, 1, 1), (1, 1, 1))
    assert found[0] == 1
    with pytest.raises(weft.CompileError, match="nothing"):
        load(text.format("nothing"))
    again = load(text.format(2))
    for each in (module, again):
        found[0] = 0
        each.f(t=found).launchRaw((1, 1, 1), (1, 1, 1))
        assert found[0] == 2


def test_flags_and_paths_that_cannot_be_are_named(load, device, tmp_path):
    text = "[AutoPyBindCUDA] [CUDAKernel] void f(TensorView<float> t) { t[0] = 1; }"
    with pytest.raises(weft.ArgumentError, match="the flag '-fast' of extraSlangFlags"):
        load(text, extraSlangFlags=["-fast"])
    with pytest.raises(weft.ArgumentError, match=r"extraCudaFlags \['-G'\] cannot be taken"):
        load(text, extraCudaFlags=["-G"])
    with pytest.raises(FileNotFoundError):
        weft.loadModule(tmp_path / "absent.slang", device=device)
    with pytest.warns(DeprecationWarning, match="skipSlang"):
        load(text, skipSlang=True, verbose=True)
    assert not [each for each in tmp_path.iterdir() if each.suffix != ".slang"]


def test_fast_math_is_a_matter_of_cuda(device, tmp_path):
    text = """
[AutoPyBindCUDA][CUDAKernel]
void waves(TensorView<float> x, TensorView<float> y)
{
    uint i = cudaThreadIdx().x;
    y[i] = sin(x[i]) / x[i];
}
"""
    path = tmp_path / "waves.slang"
    path.write_text(text)
    x = np.linspace(1, 40, 256, dtype=np.float32)
    exact = np.sin(x.astype(np.float64)) / x
    errors = {}
    for fast in (False, True):
        module = slangtorch.loadModule(path, cudaFastMath=fast, device=device)
        assert slangtorch.loadModule(path, cudaFastMath=fast, device=device) is module
        y = weft.Tensor.zeros(device, (256,))
        given = weft.Tensor.from_numpy(device, x)
        module.waves(x=given, y=y).launchRaw(blockSize=(256, 1, 1), gridSize=(1, 1, 1))
        errors[fast] = np.abs(y.numpy() - exact).max()

    assert (
        errors[False] < 3e-7 if device.info.type == weft.DeviceType.cuda else errors[False] < 1e-4
    )
    assert errors[True] < 1e-4
    is_cuda = device.info.type == weft.DeviceType.cuda
    assert (errors[True] > errors[False]) == is_cuda


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
def test_elements_are_read_again_after_they_were_written(load, rank):
    at = ", ".join(["i", *["0"] * (rank - 1)])
    vector = "uint1(i)" if rank == 1 else f"uint{min(rank, 4)}({', '.join(at.split(', ')[:4])})"
    module = load(f"""
        [AutoPyBindCUDA] [CUDAKernel]
        void f(TensorView<float> t)
        {{
            let i = cudaThreadIdx().x;
            t[{at}] = t[{at}] * 3;
            t[{at}] += 1;
            t[{at}]++;
            t[{vector}] += 2;
            t.store({at}, t.load({at}) + t[{at}]);
        }}
    """)
    t = np.ones((4,) + (1,) * (rank - 1), np.float32)
    module.f(t=t).launchRaw((4, 1, 1), (1, 1, 1))
    assert t.ravel().tolist() == [14] * 4


def test_components_of_elements_are_written(device, load):
    # Slang's text for CUDA assigns to several components at once, which C++ cannot.
    is_cuda = device.info.type == weft.DeviceType.cuda
    both = "t[0].x += 1; t[0].z += 1;" if is_cuda else "t[0].xz += float2(1);"
    module = load(f"""
        [AutoPyBindCUDA] [CUDAKernel]
        void f(TensorView<float3> t) {{ t[0].y = 2; {both} t[0].x *= 5; }}
    """)
    t = np.zeros((1, 3), np.float32)
    module.f(t=t).launchRaw((1, 1, 1), (1, 1, 1))
    assert t.tolist() == [[5, 2, 1]]


def test_booleans_are_refused_where_kernels_have_others(device, load):
    module = load("""
        [AutoPyBindCUDA] [CUDAKernel]
        void f(TensorView<bool> a, TensorView<bool> b)
        {
            b[cudaThreadIdx().x] = a[cudaThreadIdx().x];
        }
    """)
    a, b = np.array([False, True, True]), np.zeros(3, bool)
    if device.info.type == weft.DeviceType.cuda:
        module.f(a=a, b=b).launchRaw((3, 1, 1), (1, 1, 1))
        assert b.tolist() == a.tolist()
        return
    with pytest.raises(weft.ArgumentTypeError, match=r"'a' has elements of bool.*uint8_t"):
        module.f(a=a, b=b)


def test_gradients_pass_through_arrays_of_structures_with_arrays(load):
    module = load("""
        struct Layer { DiffTensorView weights; float2 factors[2]; }

        struct Net { Layer layers[2]; float scale; }

        [AutoPyBindCUDA] [CUDAKernel] [Differentiable]
        void f(Net nets[2], DiffTensorView y)
        {
            let i = cudaThreadIdx().x;
            float sum = 0;
            [ForceUnroll] for (int a = 0; a < 2; ++a)
                [ForceUnroll] for (int b = 0; b < 2; ++b)
                {
                    Layer layer = nets[a].layers[b];
                    sum += nets[a].scale * layer.weights[i] * layer.factors[1].y;
                }
            y[i] = sum;
        }
    """)
    weights = np.arange(16, dtype=np.float32).reshape(2, 2, 4)
    gradients, y = np.zeros_like(weights), np.zeros(4, np.float32)

    def nets(pair):
        return [
            {"layers": [(pair(a, b), [[1, 2], [3, 4]]) for b in range(2)], "scale": a + 1}
            for a in range(2)
        ]

    module.f(nets=nets(lambda a, b: weights[a, b]), y=y).launchRaw((4, 1, 1), (1, 1, 1))
    expected = 4 * (weights[0].sum(0) + 2 * weights[1].sum(0))
    assert y.tolist() == expected.tolist()
    pairs = nets(lambda a, b: (weights[a, b], gradients[a, b]))
    module.f.bwd(nets=pairs, y=(y, np.ones(4, np.float32))).launchRaw((4, 1, 1), (1, 1, 1))
    assert gradients.tolist() == [[[4] * 4] * 2, [[8] * 4] * 2]


def test_a_parameter_may_be_called_self_and_sizes_may_be_scalars_of_arrays(load):
    module = load("[AutoPyBindCUDA] [CUDAKernel] void f(TensorView<float> self) { self[0] += 1; }")
    t = np.zeros(1, np.float32)
    module.f(self=t).launchRaw(np.array(1), np.int64(1))
    assert t[0] == 1
