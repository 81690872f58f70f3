#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Weft from source on a GPU machine, runs its tests and benchmarks there and prints short tables at the end.
# Made for machines without a network, such as an H200 in a compute centre: what it needs beside a C++ compiler,
# CMake, Ninja and a Python with numpy, pybind11 and pytest was put beside the sources by pack.sh.
#
#     tests/bench/device/run_h200.sh [phase ...]        default: all phases, in the order of the list below
#
# Environment: OUT (folder of the logs, default out/gpu), WEFT_WORK (build folder, default weft-gpu in the temporary folder; kept, so a
# second run is quick), WEFT_SECONDS (time for everything, default 530; the phases' shares grow with it), WEFT_JOBS
# (default: all cores), WEFT_TARGETS (what is built, default everything), PYTHON.
#
# Tracers alone: WEFT_TARGETS="weft_test_scene weft_test_render weft_bench_tracing weft_python weft-compiler" before
#     tests/bench/device/run_h200.sh setup facts build stage tracers renders
# No phase stops the ones after it; the exit status is the number of phases that failed.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
out=${OUT:-$root/out/gpu}
work=${WEFT_WORK:-${TMPDIR:-/tmp}/weft-gpu}
deadline=${WEFT_SECONDS:-530}
jobs=${WEFT_JOBS:-$(nproc)}
python=${PYTHON:-python3}
deps=$work/deps
export root out work jobs python deps
mkdir -p "$out" "$work"

# name, seconds, what its log is asked for at the end
phases=(
  "setup 60 ^error|cannot"
  "facts 30 ."
  "build 260 error:|FAILED|CMake Error|warning:"
  "stage 30 Error"
  "gpu 60 passed|failed|FAILED|skipped|create_kernel:|MiB$"
  "python 110 passed|failed|^FAILED|^ERROR|skipped"
  "launch 40 ."
  "bench 240 ."
  "sweep 150 bound|torch|right|WRONG|^  [01]\\.|^[a-z]+  "
  "tracers 200 passed|failed|FAILED|triangles|tree|ready|ray/s|cuda|vulkan"
  "renders 120 figure|device"
  "native 90 tests passed|\*\*\*|Failed"
  "lost_context 30 passed|failed|FAILED"
  "sanitizer 60 ERROR SUMMARY|Invalid|passed|failed"
  "torch 200 passed|failed|^FAILED|^ERROR|skipped"
  "races 90 RACECHECK SUMMARY|ERROR SUMMARY|hazard|right:"
)

run_setup() {
  if ! ldconfig -p | grep -q 'libvulkan\.so\.1'; then
    for package in "$root"/.gl/lib{vulkan1,egl1,glvnd0,opengl0,gl1,glx0,gles2}_*.deb; do dpkg -x "$package" /; done
    ldconfig
  fi
  for package in "$root"/.gl/{libvulkan-dev,libvulkan-volk-dev,vulkan-validationlayers,catch2,libeigen3-dev,libzip-dev,libzip4,nlohmann-json3-dev}_*.deb; do
    dpkg -x "$package" "$deps"
  done
  layer=$deps/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json
  library=$(find "$deps" -name libVkLayer_khronos_validation.so)
  sed -i "s#\"library_path\": *\"[^\"]*\"#\"library_path\": \"$library\"#" "$layer"
  mkdir -p "$work/sdk/lib" "$work/slangpy"
  cp -r "$root/.sdk/include" "$work/sdk/"
  for packed in "$root"/.sdk/lib/*.xz; do
    xz -dc "$packed" >"$work/sdk/lib/$(basename "$packed" .xz)"
  done
  # Competitors and the sanitizer are for some phases only, and may be left out of what is carried.
  if compgen -G "$root/.whl/slangpy-*.tar.xz" >/dev/null; then
    tar -C "$work/slangpy" -xJf "$root"/.whl/slangpy-*.tar.xz
  fi
  if ! command -v compute-sanitizer && compgen -G "$root/.whl/sanitizer-*.tar.xz" >/dev/null; then
    mkdir -p "$work/sanitizer"
    tar -C "$work/sanitizer" -xJf "$root"/.whl/sanitizer-*.tar.xz
    chmod +x "$work"/sanitizer/bin/*
    ln -sfn "$work"/sanitizer/lib/*.so "$work/sanitizer/bin/"
  fi
}

run_facts() {
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.mem --format=csv,noheader || true
  c++ --version | head -1
  cmake --version | head -1
  nvcc --version 2>/dev/null | tail -1
  "$python" -c 'import sys, numpy; print("Python", sys.version.split()[0], "numpy", numpy.__version__)'
  "$python" -c 'import torch; print("torch", torch.__version__)' 2>/dev/null || echo "no torch"
  "$python" -c 'import pytest, pybind11; print("pytest", pytest.__version__, "pybind11", pybind11.__version__)'
  echo "driver files: ${VK_DRIVER_FILES:-default}; NVRTC: ${WEFT_NVRTC:-searched}"
}

run_build() {
  cmake -S "$root" -B "$work/weft" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG" -DWEFT_BUILD_TESTS=ON -DWEFT_BUILD_PYTHON=ON \
    -DWEFT_WARNINGS_AS_ERRORS=OFF "-DWEFT_SLANG_DIR=$work/sdk" "-DCMAKE_PREFIX_PATH=$deps/usr" \
    "-DWEFT_VULKAN_INCLUDE_DIR=$deps/usr/include" "-DPython_EXECUTABLE=$(command -v "$python")"
  # shellcheck disable=SC2086
  cmake --build "$work/weft" -j "$jobs" ${WEFT_TARGETS:+--target $WEFT_TARGETS} -- -k 0
}

run_stage() {
  rm -rf "$work/stage"
  cmake --install "$work/weft" --prefix "$work/stage"
  cp -r "$root"/native/python/weft/. "$work/stage/weft/"
  ls -R "$work/stage/weft"
  "$python" -c 'import weft; print([device.name for device in weft.enumerate_devices()])'
}

run_gpu() {
  "$work/weft/tests/native/device_cuda/weft_test_device_cuda_gpu"
}

run_lost_context() {
  "$work/weft/tests/native/device_cuda/weft_test_device_cuda_gpu" "[.lost_context]"
}

run_native() {
  ctest --test-dir "$work/weft" -j "$jobs" --output-on-failure --timeout 80 -E 'device_cuda_lost_context'
}

run_pytest() {
  local workers=()
  "$python" -c 'import xdist' 2>/dev/null && workers=(-n $((jobs < 8 ? jobs : 8)))
  cd "$root" && "$python" -m pytest -q -p no:cacheprovider -p no:benchmark "${workers[@]}" "$@"
}

run_python() {
  run_pytest --ignore=tests/checks --ignore=tests/python/test_gradients_against_torch.py tests
}

# Derivatives of many functions beside torch.autograd's.
run_torch() {
  run_pytest tests/python/test_gradients_against_torch.py
}

run_launch() {
  "$work/weft/tests/bench/device/weft_bench_cuda"
}

run_bench() {
  cd "$root" && "$python" tests/bench/run.py --json "$out/bench.json"
}

# Random programs beside their bounds and beside torch.
run_sweep() {
  cd "$root" && "$python" tests/bench/run.py sweep --device cuda --limit 120 --json "$out/sweep.json"
}

run_sanitizer() {
  compute-sanitizer --tool memcheck "$work/weft/tests/native/device_cuda/weft_test_device_cuda_gpu" \
    "a GPU adds*","temporaries*","a command list*","every dispatch*","half arithmetic*"
}

# Tests of the trees and of all tracers, then rays a second.
run_tracers() {
  local device failed=0
  "$work/weft/tests/native/scene/weft_test_scene" || failed=1
  for device in cuda vulkan; do
    echo "tests on $device"
    WEFT_DEVICE=$device "$work/weft/tests/native/render/weft_test_render" || failed=1
  done
  for device in cuda vulkan; do
    "$work/weft/tests/bench/tracing/weft_bench_tracing" "$device" || failed=1
  done
  return $failed
}

# Pictures with each tracer, and how they differ.
run_renders() {
  local device
  cd "$root"
  for device in cuda vulkan; do
    "$python" tests/bench/rendering/tracers.py --device "$device"
    "$python" tests/bench/rendering/tracers.py --device "$device" --many
  done
}

# Every way in which gradients add up: races in shared memory, then accesses out of bounds.
run_races() {
  cd "$root"
  # Kernels are asked for parameters until there are no more, which the driver answers with an error.
  for tool in racecheck "memcheck --report-api-errors no"; do
    # shellcheck disable=SC2086
    compute-sanitizer --tool $tool --target-processes application-only --error-exitcode 9 \
      "$python" tests/support/gradient_patterns.py cuda
  done
}
export -f run_setup run_facts run_build run_stage run_gpu run_lost_context run_native run_pytest run_python run_launch \
  run_bench run_sweep run_sanitizer run_torch run_races run_tracers run_renders

# Where this machine keeps what is not in its usual place.
find_libraries() {
  local icd=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
  if [ -z "${VK_DRIVER_FILES:-}" ] && [ -f "$icd" ] &&
    ! compgen -G '/usr/share/vulkan/icd.d/nvidia*' >/dev/null && ! compgen -G '/etc/vulkan/icd.d/nvidia*' >/dev/null; then
    export VK_DRIVER_FILES=$icd
  fi
  export PATH=$PATH:$work/sanitizer/bin LD_LIBRARY_PATH=$deps/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export VK_LAYER_PATH=$deps/usr/share/vulkan/explicit_layer.d
  export PYTHONPATH=$work/stage:$work/slangpy${PYTHONPATH:+:$PYTHONPATH}
  export WEFT_TEST_DEVICES=${WEFT_TEST_DEVICES:-vulkan,cuda} WEFT_CACHE_DIR=$work/cache PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
}

wanted() {
  local name=$1 choice
  [ ${#choices[@]} -eq 0 ] && return 0
  for choice in "${choices[@]}"; do [ "$choice" = "$name" ] && return 0; done
  return 1
}

choices=("$@")
find_libraries
results=()
failures=0
for line in "${phases[@]}"; do
  read -r name limit pattern <<<"$line"
  wanted "$name" || continue
  left=$((deadline - SECONDS))
  if [ "$left" -lt 5 ]; then
    results+=("$name|not run: the time was up|0|$pattern")
    failures=$((failures + 1))
    continue
  fi
  [ "$deadline" -gt 530 ] && limit=$((limit * deadline / 530))
  [ "$limit" -gt "$left" ] && limit=$left
  start=$SECONDS
  timeout -k 5 "$limit" bash -uo pipefail -c "set -e; run_$name" >"$out/$name.log" 2>&1
  status=$?
  verdict=passed
  if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then verdict="STOPPED after $limit s"; elif [ "$status" -ne 0 ]; then
    verdict="FAILED ($status)"
  fi
  [ "$verdict" = passed ] || failures=$((failures + 1))
  echo "$name: $verdict, $((SECONDS - start)) s"
  results+=("$name|$verdict|$((SECONDS - start))|$pattern")
done

# Few files come back from some machines: everything in one archive, the tables in plain text.
{
  for result in "${results[@]}"; do
    IFS='|' read -r name verdict seconds pattern <<<"$result"
    echo "== $name: $verdict ($seconds s)"
    [ -f "$out/$name.log" ] || continue
    lines=12
    case $name in launch | bench | tracers) lines=70 ;; facts | renders) lines=14 ;; esac
    grep -aE "$pattern" "$out/$name.log" | tail -n "$lines" | cut -c1-170
    case $verdict in passed) ;; *) echo "-- end of $name.log"; tail -n 15 "$out/$name.log" | cut -c1-170 ;; esac
  done
} >"$out/summary.txt"
logs=("$out"/*.log)
tar -C "$out" -cJf "$out/logs.tar.xz" "${logs[@]##*/}" && rm -f "${logs[@]}"
cat "$out/summary.txt"
exit "$failures"
