#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Collects what tests/bench/device/run_h200.sh needs on a GPU machine that has no network and no system packages of
# ours, into three folders of the source tree that git ignores:
#   .gl   Debian packages: Vulkan and EGL loaders, Vulkan headers, volk, the validation layer, Catch2, Eigen, libzip and
#         nlohmann-json
#   .sdk  the Slang SDK: headers, and its libraries stripped and compressed
#   .whl  SlangPy to compare with, for the Python of that machine, without what running it does not need; and
#         compute-sanitizer, of the CUDA version whose driver the machine has
# Run it on Debian 12 with network. Environment: WEFT_SDK (an SDK folder; default build/sdk, made by ./dev build),
# WEFT_GPU_PYTHON (default 3.12), WEFT_SANITIZER (version of nvidia-cuda-sanitizer-api), WEFT_MAX_MIB (default 60).
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
sdk=${WEFT_SDK:-$root/build/sdk}
python=${WEFT_GPU_PYTHON:-3.12}
sanitizer=${WEFT_SANITIZER:-13.0.85}
limit=${WEFT_MAX_MIB:-60}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

packages=(
  libvulkan1 libegl1 libglvnd0 libopengl0 libgl1 libglx0 libgles2
  libvulkan-dev libvulkan-volk-dev vulkan-validationlayers catch2 libeigen3-dev libzip-dev libzip4 nlohmann-json3-dev
)

ignore() {
  local exclude
  exclude=$(git -C "$root" rev-parse --git-path info/exclude)
  cd "$root"
  mkdir -p "$(dirname "$exclude")"
  for folder in .gl .sdk .whl; do
    grep -qxF "/$folder/" "$exclude" 2>/dev/null || echo "/$folder/" >>"$exclude"
  done
}

pack_debian() {
  local missing=() package
  mkdir -p "$root/.gl"
  for package in "${packages[@]}"; do
    compgen -G "$root/.gl/${package}_*.deb" >/dev/null || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  chmod 755 "$scratch"
  (cd "$scratch" && apt-get -qq download "${missing[@]}" && mv ./*.deb "$root/.gl/")
}

pack_sdk() {
  local library packed
  [ -f "$sdk/include/slang.h" ] || { echo "pack: no Slang SDK in $sdk; run ./dev build or set WEFT_SDK" >&2; exit 1; }
  mkdir -p "$root/.sdk/lib" "$root/.sdk/include"
  cp "$sdk"/include/*.h "$root/.sdk/include/"
  for library in "$sdk"/lib/libslang-compiler.so* "$sdk"/lib/libslang-glslang*.so; do
    [ -f "$library" ] || continue
    packed=$root/.sdk/lib/$(basename "$library").xz
    [ "$packed" -nt "$library" ] && continue
    strip --strip-unneeded -o "$scratch/library" "$library"
    xz -T0 -6 -c "$scratch/library" >"$packed.part"
    mv "$packed.part" "$packed"
  done
}

pack_slangpy() {
  local version platform name
  version=$(sed -n 's/^slangpy==//p' "$root/packaging/requirements-bench.txt")
  name=slangpy-$version-cp${python/./}.tar.xz
  [ -f "$root/.whl/$name" ] && return
  mkdir -p "$root/.whl"
  for platform in manylinux_2_34_x86_64 manylinux_2_28_x86_64; do
    set -- "$@" --platform "$platform"
  done
  python3 -m pip download -q --no-deps --only-binary=:all: --implementation cp --python-version "$python" "$@" \
    -d "$scratch" "slangpy==$version"
  mkdir "$scratch/slangpy"
  python3 -m zipfile -e "$scratch"/slangpy-*.whl "$scratch/slangpy"
  (
    cd "$scratch/slangpy"
    rm -rf slangpy/libslang-rhi.a slangpy/include slangpy/tests
    strip --strip-unneeded slangpy/*.so slangpy/*.so.*
  )
  tar -C "$scratch/slangpy" -c . | nice xz -T0 -6 >"$root/.whl/$name"
}

pack_sanitizer() {
  local name=sanitizer-$sanitizer.tar.xz
  [ -f "$root/.whl/$name" ] && return
  python3 -m pip download -q --no-deps --only-binary=:all: -d "$scratch" "nvidia-cuda-sanitizer-api==$sanitizer"
  python3 -m zipfile -e "$scratch"/nvidia_cuda_sanitizer_api-*.whl "$scratch/sanitizer"
  tar -C "$scratch"/sanitizer/nvidia/cu13 -c bin lib | nice xz -T0 -6 >"$root/.whl/$name"
}

ignore
pack_debian
pack_sdk
pack_slangpy
pack_sanitizer
size=$(du -cm "$root/.gl" "$root/.sdk" "$root/.whl" | tail -1 | cut -f1)
echo "pack: $size MiB in .gl, .sdk and .whl"
[ "$size" -le "$limit" ] || { echo "pack: that is more than $limit MiB (WEFT_MAX_MIB)" >&2; exit 1; }
