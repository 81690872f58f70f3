#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds two versions of Weft on one GPU machine and times renders and fits of both in turns: what docs/rendering.md
# shows as before and after. The sources of the version before come as an archive beside what pack.sh collects:
#
#     git archive REVISION CMakeLists.txt native shaders packaging tests/bench tests/support | xz >.stage/before.tar.xz
#     tests/bench/device/pack.sh && tests/bench/device/before_after.sh build time
#
# Steps, in this order: build, keep (the builds, packed, into $OUT: a later run finds them as .stage/after.tar.xz and
# .stage/before-built.tar.xz and takes the step `unpack` instead of `build`), unpack, rebuild, time, profile, check.
# Environment: OUT, WEFT_WORK, WEFT_JOBS and PYTHON as for run_h200.sh; WEFT_TURNS (2).
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
work=${WEFT_WORK:-${TMPDIR:-/tmp}/weft-gpu}
out=${OUT:-$root/out/gpu}
jobs=${WEFT_JOBS:-$(nproc)}
python=${PYTHON:-python3}
deps=$work/deps
mkdir -p "$out" "$work/sdk/lib" "$deps" "$work/before"

prepare() {
  local packed
  if ! ldconfig -p | grep -q 'libvulkan\.so\.1'; then
    for packed in "$root"/.gl/lib{vulkan1,egl1,glvnd0,opengl0,gl1,glx0,gles2}_*.deb; do dpkg -x "$packed" /; done
    ldconfig
  fi
  for packed in "$root"/.gl/{libvulkan-dev,libvulkan-volk-dev,libeigen3-dev}_*.deb; do dpkg -x "$packed" "$deps"; done
  cp -r "$root/.sdk/include" "$work/sdk/"
  for packed in "$root"/.sdk/lib/*.xz; do xz -dc "$packed" >"$work/sdk/lib/$(basename "$packed" .xz)"; done
  tar -C "$work/before" -xJf "$root/.stage/before.tar.xz"
  export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json}
  export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
  [ -n "${CUDA_HOME:-}" ] || CUDA_HOME=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")")
  export CUDA_HOME
}

# build_one <sources> <name>
build_one() {
  cmake -S "$1" -B "$work/build-$2" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG" -DWEFT_BUILD_TESTS=OFF -DWEFT_BUILD_ENGINE=OFF -DWEFT_EMBREE=OFF \
    -DWEFT_WARNINGS_AS_ERRORS=OFF "-DWEFT_SLANG_DIR=$work/sdk" "-DCMAKE_PREFIX_PATH=$deps/usr" \
    "-DWEFT_VULKAN_INCLUDE_DIR=$deps/usr/include" "-DPython_EXECUTABLE=$(command -v "$python")" "-Dpybind11_DIR=$root/.stage/pybind11/share/cmake/pybind11" &&
    cmake --build "$work/build-$2" -j "$jobs" --target weft_python weft-compiler weft_shader_ir &&
    cmake --install "$work/build-$2" --prefix "$work/stage-$2" && cp -r "$1"/native/python/weft/. "$work/stage-$2/weft/"
}

build() {
  build_one "$work/before" before >"$out/build-before.log" 2>&1 &
  build_one "$root" after >"$out/build-after.log" 2>&1
  wait
  tail -n 2 "$out"/build-*.log
}

# Builds this version alone, beside the one before from `unpack`.
rebuild() {
  rm -rf "$work/stage-after"
  build_one "$root" after >"$out/build-after.log" 2>&1
  tail -n 2 "$out/build-after.log"
}

keep() {
  local name
  for name in before after; do
    find "$work/stage-$name" -name '*.so' -exec strip --strip-unneeded {} + 2>/dev/null
    tar -C "$work" --exclude='libslang*' -c "stage-$name" | xz -T0 -3 >"$out/$name-built.tar.xz"
  done
  ls -l "$out"
}

unpack() {
  local name library
  for name in before after; do
    tar -C "$work" -xJf "$root/.stage/$name-built.tar.xz"
    mkdir -p "$work/stage-$name/weft/lib"
    cp "$work"/sdk/lib/* "$work/stage-$name/weft/lib/"
  done
}

sources_of() { if [ "$1" = before ]; then echo "$work/before"; else echo "$root"; fi; }

# run_version <name> <script> [arguments]: with caches of its own
run_version() {
  local name=$1 script=$2
  shift 2
  echo "-- $name: $script $*"
  (cd "$(sources_of "$name")" && PYTHONPATH="$work/stage-$name" WEFT_CACHE_DIR="$work/cache-$name" \
    timeout 120 "$python" "tests/bench/$script" "$@" 2>&1)
}

measure() {
  local turn name
  for turn in $(seq "${WEFT_TURNS:-2}"); do
    for name in before after; do
      run_version "$name" rendering/large.py --device cuda --draws 16
      run_version "$name" rendering/run.py --device cuda
    done
  done
}

profile() {
  (cd "$root" && PYTHONPATH="$work/stage-after" WEFT_CACHE_DIR="$work/cache-after" timeout 100 \
    "$python" "tests/bench/rendering/${WEFT_PROFILED:-large.py}" --device cuda --profile 2>&1)
}

# Tests of what computes on the device, on CUDA and Vulkan.
check() {
  (cd "$root" && PYTHONPATH="$work/stage-after" WEFT_TEST_DEVICES=vulkan,cuda WEFT_CACHE_DIR="$work/cache-tests" \
    timeout "${WEFT_CHECK_SECONDS:-170}" "$python" -m pytest -v --tb=short --maxfail=20 -p no:cacheprovider -p no:benchmark -n 14 \
    --dist loadfile -m "not full" ${WEFT_CHECKED:-tests/python/fit tests/python/render tests/python/test_mlp.py} 2>&1 |
    grep -aE "FAILED|^E  |passed|failed|Error")
}

prepare
for step in "$@"; do
  began=$SECONDS
  case $step in
    time) measure ;;
    *) "$step" ;;
  esac
  echo "== $step: $((SECONDS - began)) s"
done
