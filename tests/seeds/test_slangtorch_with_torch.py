# SPDX-License-Identifier: Apache-2.0
"""Documented uses of SlangTorch with tensors of torch, on the CPU where there is no GPU."""

from __future__ import annotations

import pytest

import weft
from seeds.test_slangtorch import BOX, DIFFERENTIABLE, HOST, SQUARE
from support.slangtorch_modules import load

torch = pytest.importorskip("torch", reason="torch is not installed")

__all__ = ["load"]  # the fixture

MESH = """
struct Mesh
{
    TensorView<float> vertices;
    TensorView<int> indices;
};

[AutoPyBindCUDA]
[CUDAKernel]
void processMesh(Mesh mesh)
{
    let at = cudaThreadIdx().x;
    if (cudaThreadIdx().y == 0 && at < mesh.indices.size(0))
        mesh.vertices[mesh.indices[at]] += 1;
}
"""


@pytest.fixture
def place(device):
    return "cuda" if device.info.type == weft.DeviceType.cuda else "cpu"


def test_a_kernel_squares(load, place):
    m = load(SQUARE)
    a = torch.randn((1024,), dtype=torch.float, device=place)
    output = torch.zeros_like(a)
    m.square(input=a, output=output).launchRaw(blockSize=(32, 1, 1), gridSize=(64, 1, 1))
    assert torch.equal(output, a * a)


def test_the_derivatives_of_a_kernel(load, place):
    m = load(DIFFERENTIABLE)
    x = torch.tensor((0, 1, 2, 3, 4, 5), dtype=torch.float, device=place)
    gradient, output = torch.zeros_like(x), torch.zeros_like(x)
    upstream = torch.ones_like(output)
    m.square.bwd(input=(x, gradient), output=(output, upstream)).launchRaw(
        blockSize=(6, 1, 1), gridSize=(1, 1, 1)
    )
    assert gradient.tolist() == [0, 2, 4, 6, 8, 10]
    assert upstream.tolist() == [0] * 6


def test_kernels_as_a_function_of_torch(load, place):
    m = load(DIFFERENTIABLE)

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            output = torch.zeros_like(x)
            m.square(input=x, output=output).launchRaw(
                blockSize=(32, 32, 1), gridSize=((x.shape[0] + 31) // 32, 1, 1)
            )
            ctx.save_for_backward(x, output)
            return output

        @staticmethod
        def backward(ctx, upstream):
            (x, output) = ctx.saved_tensors
            gradient = torch.zeros_like(x)
            m.square.bwd(input=(x, gradient), output=(output, upstream.clone())).launchRaw(
                blockSize=(32, 1, 1), gridSize=((x.shape[0] + 31) // 32, 1, 1)
            )
            return gradient

    x = torch.tensor((3.0, 4.0), requires_grad=True, device=place)
    Square.apply(x).sum().backward()
    assert x.grad.tolist() == [6, 8]


def test_host_functions_as_a_function_of_torch(load, place):
    m = load(HOST)

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return m.square(x)

        @staticmethod
        def backward(ctx, upstream):
            [x] = ctx.saved_tensors
            return m.square_gradient(x, upstream)

    x = torch.tensor([[3.0, 4.0], [0.0, 1.0]], requires_grad=True, device=place)
    y = Square.apply(x)
    y.sum().backward()
    assert y.tolist() == [[9, 16], [0, 1]]
    assert x.grad.tolist() == [[6, 8], [0, 2]]


def test_box_filter(load, place):
    m = load(BOX)
    image, found = torch.rand(10, 7, device=place), torch.zeros(10, 7, device=place)
    m.box_forward(input=image, output=found).launchRaw((4, 4, 1), (3, 2, 1))
    pool = torch.nn.AvgPool2d(3, stride=1, padding=1, count_include_pad=False)
    assert torch.allclose(found, pool(image[None, None])[0, 0], rtol=1e-5)


@pytest.mark.parametrize("form", ["named", "dict", "tuple"])
def test_structures(load, place, form):
    m = load(MESH)
    vertices = torch.zeros(4, device=place)
    indices = torch.tensor([3, 1], dtype=torch.int32, device=place)
    mesh = {
        "named": lambda: m.Mesh(vertices=vertices, indices=indices),
        "dict": lambda: {"vertices": vertices, "indices": indices},
        "tuple": lambda: (vertices, indices),
    }[form]()
    m.processMesh(mesh=mesh).launchRaw(blockSize=(32, 32, 1), gridSize=(1, 1, 1))
    assert vertices.tolist() == [0, 1, 0, 1]


def test_what_a_kernel_writes_counts_as_written(load, place):
    if place == "cuda":
        pytest.skip("kernels write the memory of torch itself")
    m = load(SQUARE)
    x = torch.tensor([3.0], requires_grad=True)
    y = x * x
    loss = (y * y).sum()
    m.square(input=torch.ones(1), output=y.detach()).launchRaw((1, 1, 1), (1, 1, 1))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.parametrize("layout", ["transposed", "every other"])
def test_any_strides(load, layout):
    m = load(SQUARE)
    whole = torch.arange(12.0).reshape(3, 4)
    x = whole.T[1] if layout == "transposed" else whole.reshape(-1)[::4]
    output = torch.zeros(3, 2)[:, 1]
    m.square(input=x, output=output).launchRaw((4, 1, 1), (1, 1, 1))
    assert output.tolist() == (x * x).tolist()


def test_types_without_memory_of_numpy_are_named(load):
    m = load(SQUARE)
    with pytest.raises(
        weft.ArgumentTypeError, match=r"'input' is a torch tensor of torch\.bfloat16"
    ):
        m.square(input=torch.ones(2, dtype=torch.bfloat16), output=torch.ones(2))


def test_a_function_of_torch_has_one_size_and_copies_the_gradient_of_a_sum(load):
    m = load(DIFFERENTIABLE)

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            output = torch.zeros_like(x)
            m.square(input=x, output=output).launchRaw(
                blockSize=(32, 1, 1), gridSize=((x.shape[0] + 31) // 32, 1, 1)
            )
            ctx.save_for_backward(x, output)
            return output

        @staticmethod
        def backward(ctx, upstream):
            (x, output) = ctx.saved_tensors
            gradient = torch.zeros_like(x)
            with pytest.raises(weft.ArgumentError, match=r"repeats elements.*contiguous copy"):
                m.square.bwd(input=(x, gradient), output=(output, upstream)).launchRaw(
                    blockSize=(32, 1, 1), gridSize=(1, 1, 1)
                )
            gradient.zero_()
            upstream = upstream.clone()
            m.square.bwd(input=(x, gradient), output=(output, upstream)).launchRaw(
                blockSize=(32, 1, 1), gridSize=(1, 1, 1)
            )
            assert not upstream.any()
            return gradient

    x = torch.tensor((3.0, 4.0), requires_grad=True)
    with pytest.raises(IndexError):
        x.shape[1]
    Square.apply(x).sum().backward()
    assert x.grad.tolist() == [6, 8]
