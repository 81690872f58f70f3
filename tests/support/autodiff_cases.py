# SPDX-License-Identifier: Apache-2.0
"""The functions of autodiff_cases.slang once more, for any array library with numpy's names.

Arrays have the calls along their first axis. `xp` is jax.numpy, torch or the like.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Range: TypeAlias = "tuple[tuple[int, ...], float, float]"
Argument: TypeAlias = "Range | Mapping[str, Any]"

SOURCE = Path(__file__).with_suffix(".slang")


def definitions(scalar: str) -> str:
    """Return the Slang types that SOURCE is written in."""
    lines = [f"typealias Real = {scalar};"]
    lines += [f"typealias Real{n} = vector<{scalar}, {n}>;" for n in (2, 3, 4)]
    return "\n".join([*lines, f"typealias Real3x3 = matrix<{scalar}, 3, 3>;", ""])


def dot(a: Any, b: Any) -> Any:
    return (a * b).sum(-1)


def length(xp: Any, v: Any) -> Any:
    return xp.sqrt(dot(v, v))


def unit(xp: Any, v: Any) -> Any:
    return v / length(xp, v)[..., None]


def cross(xp: Any, a: Any, b: Any) -> Any:
    (ax, ay, az), (bx, by, bz) = parts(a), parts(b)
    return xp.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], -1)


def parts(v: Any) -> list[Any]:
    """Return the components of vectors or arrays."""
    return [v[..., i] for i in range(v.shape[-1])]


def mix(a: Any, b: Any, t: Any) -> Any:
    return a + (b - a) * t


def fade(t: Any) -> Any:
    return t * t * t * (t * (t * 6 - 15) + 10)


def lattice(xp: Any, i: Any, j: Any) -> Any:
    """Hash a point of the lattice as 32-bit arithmetic does, in 64 bits."""
    mask = 0xFFFFFFFF
    # Integers have no gradients, and newer versions of torch refuse to drop them on the way.
    i, j = (k.detach() if hasattr(k, "detach") else k for k in (i, j))
    h = (
        xp.asarray(i, dtype=xp.int64) * 374761393 + xp.asarray(j, dtype=xp.int64) * 668265263
    ) & mask
    h = ((h ^ (h >> 13)) * 1274126177) & mask
    h = h ^ (h >> 16)
    return (h & 0xFFFFFF) / 2.0**24


def trigonometry(xp, x, y):
    return xp.sin(x) * xp.cos(y) + xp.tan(0.5 * x)


def exponentials(xp, x, y):
    return xp.exp(-x * x) * xp.log(1 + y * y) + xp.exp(y) + xp.log(2 + x)


def binary_exponentials(xp, x, y):
    return xp.exp2(y) * xp.log2(2 + x) + xp.exp2(-x)


def powers(xp, x, y):
    return x**y + x**2.5


def roots(xp, x, y):
    return xp.sqrt(x) / xp.sqrt(y) + xp.sqrt(x * x + y * y)


def hyperbolic(xp, x, y):
    return xp.tanh(x) + xp.sinh(y) * xp.cosh(x)


def inverse_trigonometry(xp, x, y):
    return xp.arcsin(x) + xp.arccos(y) * xp.arctan(x + y)


def angle(xp, y, x):
    return xp.arctan2(y, x)


def limits(xp, x, y):
    return xp.maximum(x, y) * xp.minimum(x, 0.5 * y) + xp.abs(x) + xp.clip(y, -0.5, 0.5)


def steps(xp, x, y):
    t = xp.clip((x + 0.25) / 1.5, 0.0, 1.0)
    return t * t * (3 - 2 * t) * mix(x, y, 0.25)


def fraction(xp, x, y):
    return (x - xp.floor(x)) * y


def sigmoids(xp, x, y):
    return 1 / (1 + xp.exp(-x)) + xp.log(1 + xp.exp(y)) * x


def rational(xp, x, y):
    return (x * x - 3 * y + 0.5) / (1 + x * x + y * y)


def volume(xp, a, b, c):
    return dot(cross(xp, a, b), c)


def direction(xp, v):
    return unit(xp, v)


def mirrored(xp, v, n):
    normal = unit(xp, n)
    return v - 2 * dot(v, normal)[..., None] * normal


def gaps(xp, a, b):
    return length(xp, a) * length(xp, a - b)


def transform(xp, m, v):
    return (m @ v[..., None])[..., 0] + (v[..., None, :] @ m)[..., 0, :]


def determinant3(xp, m):
    a, b, c = m[..., 0, :], m[..., 1, :], m[..., 2, :]
    return dot(a, cross(xp, b, c))


def product(xp, a, b):
    return a @ xp.swapaxes(b, -1, -2)


def quadratic(xp, m, v):
    return dot(v, (m @ v[..., None])[..., 0])


def rotate(xp, v, axis, turn):
    k, cosine, sine = unit(xp, axis), xp.cos(turn)[..., None], xp.sin(turn)[..., None]
    return v * cosine + cross(xp, k, v) * sine + k * dot(k, v)[..., None] * (1 - cosine)


def quaternions(xp, a, b):
    av, bv, aw, bw = a[..., :3], b[..., :3], a[..., 3:], b[..., 3:]
    vector = aw * bv + bw * av + cross(xp, av, bv)
    return xp.concatenate([vector, aw * bw - dot(av, bv)[..., None]], -1)


def refracted(xp, v, n, eta):
    i, m, eta = unit(xp, v), unit(xp, n), eta[..., None]
    cosine = dot(i, m)[..., None]
    k = 1 - eta * eta * (1 - cosine * cosine)
    root = xp.sqrt(xp.where(k < 0, xp.ones_like(k), k))
    return xp.where(k < 0, xp.zeros_like(i), eta * i - (eta * cosine + root) * m)


def ggx(xp, n_dot_h, n_dot_l, n_dot_v, roughness):
    alpha2 = roughness**4
    denominator = n_dot_h * n_dot_h * (alpha2 - 1) + 1
    light = n_dot_v * xp.sqrt(alpha2 + (1 - alpha2) * n_dot_l * n_dot_l)
    view = n_dot_l * xp.sqrt(alpha2 + (1 - alpha2) * n_dot_v * n_dot_v)
    return alpha2 / (denominator * denominator) * 0.5 / (light + view)


def fresnel(xp, f0, cosine):
    return f0 + (1 - f0) * ((1 - cosine) ** 5)[..., None]


def blinn_phong(xp, l, v, n, shininess):  # noqa: E741
    n_dot_h = dot(unit(xp, n), unit(xp, unit(xp, l) + unit(xp, v)))
    return xp.clip(n_dot_h, 0.0078125, 10.0) ** shininess


def oren_nayar(xp, n_dot_l, n_dot_v, l_dot_v, sigma2):
    a = 1 - 0.5 * sigma2 / (sigma2 + 0.25)
    b = 0.5 * sigma2 / (sigma2 + 0.125)
    s = l_dot_v - n_dot_l * n_dot_v
    t = xp.where(s > 0, xp.maximum(n_dot_l, n_dot_v), xp.ones_like(s))
    return n_dot_l * (a + b * s / t)


def value_noise(xp, x, y):
    i, j = xp.floor(x), xp.floor(y)
    u, v = fade(x - i), fade(y - j)
    low = mix(lattice(xp, i, j), lattice(xp, i + 1, j), u)
    high = mix(lattice(xp, i, j + 1), lattice(xp, i + 1, j + 1), u)
    return mix(low, high, v)


def gradient_noise(xp, x):
    i, seven = xp.floor(x), 7 * xp.ones_like(x)
    t = x - i
    left = (lattice(xp, i, seven) * 2 - 1) * t
    right = (lattice(xp, i + 1, seven) * 2 - 1) * (t - 1)
    return mix(left, right, fade(t))


def octaves(xp, x, gain, lacunarity):
    return sum(gain**i * xp.sin(lacunarity**i * x) for i in range(4))


def newton(xp, x):
    y = xp.ones_like(x)
    for _ in range(6):
        y = 0.5 * (y + x / y)
    return y


def logistic(xp, x, rate):
    for _ in range(5):
        x = rate * x * (1 - x)
    return x


def spring(xp, state, stiffness, damping):
    x, speed = parts(state)
    for _ in range(8):
        speed = speed + 0.125 * (-stiffness * x - damping * speed)
        x = x + 0.125 * speed
    return xp.stack([x, speed], -1)


def shade(xp, material, cosine):
    metallic, base = material["metallic"][..., None], material["base"]
    diffuse = (1 - metallic) * base * cosine[..., None]
    shine = ggx(xp, cosine, cosine, cosine, material["roughness"])[..., None]
    return diffuse + fresnel(xp, mix(0.0625, base, metallic), cosine) * shine


def hit(xp, shot):
    sphere, ray = shot["sphere"], shot["ray"]
    way, offset = unit(xp, ray["way"]), ray["origin"] - sphere["centre"]
    b = dot(offset, way)
    discriminant = b * b - dot(offset, offset) + sphere["radius"] ** 2
    missed = discriminant < 0
    root = xp.sqrt(xp.where(missed, xp.ones_like(b), discriminant))
    return xp.where(missed, -xp.ones_like(b), -b - root)


def pieces(xp, x, y):
    middle = xp.where(y > -0.5, x - y * y, y)
    right = xp.where(y > 0.25, x * y + 1, middle)
    return xp.where(x < -0.5, x * x * y, right * right)


def horner(xp, coefficients, x):
    return sum(coefficient * x**i for i, coefficient in enumerate(parts(coefficients)))


def cross_entropy(xp, scores):
    return xp.log(xp.exp(scores - scores[..., 2:3]).sum(-1))


def blended_distance(xp, p, size, radius, k):
    ball = length(xp, p) - radius
    q = xp.abs(p) - size
    zero = xp.zeros_like(ball)
    outside = xp.maximum(q, xp.zeros_like(q))
    squared = dot(outside, outside)
    is_outside = squared > 0
    away = xp.where(is_outside, xp.sqrt(xp.where(is_outside, squared, xp.ones_like(squared))), zero)
    x, y, z = parts(q)
    box = away + xp.minimum(xp.maximum(x, xp.maximum(y, z)), zero)
    h = xp.maximum(k - xp.abs(ball - box), zero) / k
    return xp.minimum(ball, box) - h * h * k * 0.25


@dataclass(frozen=True)
class Case:
    """A function and the ranges from which its arguments are drawn.

    Attributes:
        function: Takes the array library and the arguments; its name is the Slang function's.
        arguments: For each argument (shape of one, lowest, highest), or a dict of these.
        double_anywhere: Whether Vulkan has what it needs in double: SPIR-V's extended instructions
            know exp, sin and the like in single precision only.
        tolerance: Of single precision, relative to an argument's largest gradient.
        result: Shape of the result.
        double_tolerance: The same of double precision; the default is some thousand roundings.
    """

    function: Callable[..., Any]
    arguments: tuple[Argument, ...]
    double_anywhere: bool = False
    tolerance: float = 1e-5
    result: tuple[int, ...] = ()
    double_tolerance: float = 1e-12

    @property
    def name(self) -> str:
        return self.function.__name__

    def draw(self, count: int) -> list[Any]:
        """Return `count` arguments in float64 that are exact in single precision."""
        random = np.random.default_rng(sum(map(ord, self.name)))

        def one(spec: Any) -> Any:
            if isinstance(spec, dict):
                return {name: one(entry) for name, entry in spec.items()}
            shape, low, high = spec
            return random.uniform(low, high, (count, *shape)).astype(np.float32).astype(np.float64)

        return [one(spec) for spec in self.arguments]


def scalars(count: int, low: float, high: float) -> tuple[Range, ...]:
    return (((), low, high),) * count


V3, M3 = ((3,), -1.0, 1.0), ((3, 3), -1.0, 1.0)
COSINES = scalars(3, 0.2, 1.0)
AROUND_1 = ((3,), 0.5, 1.5)
SHOT = {
    "sphere": {"centre": ((3,), -0.5, 0.5), "radius": ((), 1.0, 2.0)},
    "ray": {"origin": ((3,), 2.5, 3.5), "way": ((3,), -1.5, -0.5)},
}
MATERIAL = {"base": ((3,), 0.0, 1.0), "metallic": ((), 0.0, 1.0), "roughness": ((), 0.3, 1.0)}

CASES = [
    Case(trigonometry, scalars(2, -1.5, 1.5)),
    Case(exponentials, scalars(2, -1.5, 1.5)),
    # Slang's derivatives of exp2() and log2() hold the logarithm of 2 in single precision.
    Case(binary_exponentials, scalars(2, -1.5, 1.5), double_tolerance=1e-7),
    Case(powers, scalars(2, 0.25, 3.0)),
    Case(roots, scalars(2, 0.25, 3.0), double_anywhere=True),
    Case(hyperbolic, scalars(2, -2.0, 2.0)),
    # Vulkan allows asin() and acos() an error of atan2()'s 4096 units in the last place.
    Case(inverse_trigonometry, scalars(2, -0.9, 0.9), tolerance=5e-4),
    Case(angle, scalars(2, -1.0, 1.0)),
    Case(limits, scalars(2, -1.0, 1.0), double_anywhere=True),
    Case(steps, scalars(2, -0.5, 1.5), double_anywhere=True),
    Case(fraction, scalars(2, -3.0, 3.0), double_anywhere=True),
    Case(sigmoids, scalars(2, -4.0, 4.0)),
    Case(rational, scalars(2, -2.0, 2.0), double_anywhere=True),
    Case(volume, (V3, V3, V3), double_anywhere=True),
    Case(direction, (AROUND_1,), double_anywhere=True, result=(3,)),
    Case(mirrored, (V3, AROUND_1), double_anywhere=True, result=(3,)),
    Case(gaps, (V3, ((3,), 1.5, 2.5)), double_anywhere=True),
    Case(transform, (M3, V3), double_anywhere=True, result=(3,)),
    Case(determinant3, (M3,), double_anywhere=True),
    Case(product, (M3, M3), double_anywhere=True, result=(3, 3)),
    Case(quadratic, (M3, V3), double_anywhere=True),
    Case(rotate, (V3, AROUND_1, ((), -3.0, 3.0)), result=(3,)),
    Case(quaternions, (((4,), -1.0, 1.0),) * 2, double_anywhere=True, result=(4,)),
    Case(refracted, (((3,), -1.5, -0.5), AROUND_1, ((), 0.5, 1.5)), True, 1e-4, (3,)),
    Case(ggx, (*COSINES, ((), 0.3, 1.0)), double_anywhere=True),
    Case(fresnel, (((3,), 0.0, 1.0), ((), 0.0, 1.0)), double_anywhere=True, result=(3,)),
    Case(blinn_phong, (AROUND_1, AROUND_1, AROUND_1, ((), 1.0, 20.0)), tolerance=1e-4),
    Case(oren_nayar, (*COSINES, ((), 0.0, 1.0)), double_anywhere=True),
    Case(value_noise, scalars(2, -8.0, 8.0), True, 1e-5),
    Case(gradient_noise, scalars(1, -8.0, 8.0), True, 1e-5),
    Case(octaves, (((), -2.0, 2.0), ((), 0.25, 0.75), ((), 1.5, 2.5))),
    Case(newton, scalars(1, 0.25, 8.0), double_anywhere=True),
    Case(logistic, (((), 0.1, 0.9), ((), 1.0, 3.5)), double_anywhere=True),
    Case(spring, (((2,), -1.0, 1.0), ((), 0.5, 4.0), ((), 0.0, 1.0)), True, 1e-5, (2,)),
    Case(shade, (MATERIAL, ((), 0.2, 1.0)), double_anywhere=True, result=(3,)),
    # The root of a grazing ray magnifies rounding.
    Case(hit, (SHOT,), double_anywhere=True, tolerance=1e-3),
    Case(pieces, scalars(2, -1.0, 1.0), double_anywhere=True),
    Case(horner, (((4,), -1.0, 1.0), ((), -2.0, 2.0)), double_anywhere=True),
    Case(cross_entropy, (((5,), -3.0, 3.0),)),
    Case(blended_distance, (V3, ((3,), 0.25, 0.75), ((), 0.25, 1.0), ((), 0.125, 0.5)), True, 1e-4),
]
