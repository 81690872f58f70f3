// SPDX-License-Identifier: Apache-2.0
// WEFT_API marks what the shared library `weft` exports: classes and functions of the headers that C++ programs
// include. Where the same objects are linked into a program or into the Python module, it changes nothing.
#pragma once

#if !defined(_WIN32)
#define WEFT_API __attribute__((visibility("default")))
#elif defined(WEFT_FROM_LIBRARY) // defined by the CMake target weft::engine of an installed Weft
#define WEFT_API __declspec(dllimport)
#else
#define WEFT_API __declspec(dllexport)
#endif
