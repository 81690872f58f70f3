#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: build_wheel.sh CHROOT OUTPUT: Weft's wheel for the Python of a chroot that make_chroot.sh made, for tests
# only: it is linked against that system.
set -euo pipefail
chroot=${1:?usage: build_wheel.sh CHROOT OUTPUT}
output=${2:?usage: build_wheel.sh CHROOT OUTPUT}
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
source=$chroot/weft/source

mkdir -p "$source" "$output"
rm -rf "$chroot/weft/wheels"
# What git knows and what is new; an incremental build goes on where it was.
(cd "$root" && git ls-files -z --cached --others --exclude-standard -- native shaders node_templates packaging \
  CMakeLists.txt CMakePresets.json LICENSE README.md pyproject.toml |
  tar --null --files-from=- --create) | tar --extract --directory "$source"
mkdir -p "$source/build/sdk" "$chroot/weft/cuda"
cp -r --update "$root"/build/sdk/. "$source/build/sdk/"
for include in "$root"/build/venv-*/lib/python3.*/site-packages/nvidia/cu13/include; do
  cp -r --update "$include" "$chroot/weft/cuda/"
  break
done
# What the host compiles with, such as a cache of objects, is not in the chroot.
chroot "$chroot" env --unset=CMAKE_C_COMPILER_LAUNCHER --unset=CMAKE_CXX_COMPILER_LAUNCHER --unset=CC --unset=CXX CUDA_HOME=/weft/cuda WEFT_SLANG_DIR=/weft/source/build/sdk SKBUILD_STRICT_CONFIG=false \
  python3 -m pip wheel --no-deps --no-build-isolation --wheel-dir /weft/wheels /weft/source
cp "$chroot"/weft/wheels/*.whl "$output"
