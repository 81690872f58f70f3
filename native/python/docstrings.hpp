// SPDX-License-Identifier: Apache-2.0
// The longer docstrings of the classes Function and Tensor; short ones stand beside their bindings.
#pragma once

namespace weft::python {

inline constexpr const char* kFunctionDoc =
    R"(A Slang function, called with numbers, lists, dicts, arrays, Tensors, grid() and the like.

The shapes of the arguments, less the dimensions of one value of their parameters, join as in
numpy; the function runs for each element of the joint shape.

Args:
    _result: A Tensor or numpy array to fill, or the kind to return: 'numpy', 'tensor', 'torch'.

Returns:
    A Python value for the shape (), else a Tensor; after it, out parameters left out.

Raises:
    ArgumentError: Types, shapes or ranges do not fit; nothing has run.
    CompileError: The kernel does not compile.
)";

inline constexpr const char* kMapDoc =
    R"(Says which call dimension each dimension of an argument is, or its element type.

Args:
    One entry an argument, positional or by name: a tuple of dimensions, or a type.

Returns:
    A function: f.map((0,), (1,))(a, b) makes an outer product.
)";

inline constexpr const char* kEmptyDoc = R"(Uninitialised memory.

Args:
    shape: Elements a dimension, each 0 or greater; an integer or a sequence.
    dtype: A type of weft or of a module, a numpy dtype, or a name; float32 if left out.
    usage: No effect; for scripts of other systems, as are memory_type and program_layout.

Raises:
    ArgumentError: The shape or the dtype is impossible.
    OutOfMemoryError: The device has no room.
)";

inline constexpr const char* kFullDoc =
    R"(Every element `value`: a number, a sequence for vectors, a dict for structures.

The dtype is that of the value if left out. Other arguments as of empty().
)";

inline constexpr const char* kFromNumpyDoc =
    R"(A tensor with a copy of an array, a list or a number.

Args:
    array: Bools, integers or floats, with any strides and byte order.
    dtype: None takes the array's (float64 stays double). With a vector, matrix or structure the
        last dimensions are the element's own: (N, 3) for float3[N].
    target_slang_dtype: Another name of dtype.
    usage: No effect; for scripts of other systems, as are memory_type and program_layout.

Raises:
    ArgumentError: The last dimensions do not fit, or an integer is out of range.
    ArgumentTypeError: The array holds no numbers, or floats for integers.
)";

inline constexpr const char* kToNumpyDoc =
    R"(A new array of shape + element dimensions; structures become a structured array.

Waits for the work that writes the tensor.

Args:
    out: An array like the new one, which is filled and returned instead: no fresh memory, and none of the
        host's copies if it is of weft.pinned_empty().

Raises:
    ArgumentError: `out` has another shape or dtype, or gaps, or is read-only.
    KeyboardInterrupt: Ctrl-C; the work goes on.
)";

inline constexpr const char* kCopyFromNumpyDoc =
    R"(Copies an array of the tensor's shape, or as many numbers in one dimension.

The shape ends in the dimensions of an element: (N, 3) for float3[N]. Structures take a structured
array or a dict of arrays, too. Floats round to the tensor's type.

Raises:
    ArgumentError: Another shape, or an integer out of range.
    ArgumentTypeError: Floats for integers.
)";

} // namespace weft::python
