#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: make_chroot.sh FOLDER: Debian sid with Blender, a virtual display and what Weft's wheel is built with.
# Needs root, debootstrap and 4 GB. What is there already is kept.
set -euo pipefail
folder=${1:?usage: make_chroot.sh FOLDER}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
packages=(blender python3-cattr python3-numpy python3-openimageio python3-requests python3-dev python3-venv python3-pip python3-pybind11 python3-scikit-build-core
  xvfb xauth x11-utils xdotool imagemagick mesa-vulkan-drivers libgl1-mesa-dri libvulkan-dev libvulkan-volk-dev libembree-dev
  g++ cmake ninja-build)

mkdir -p "$folder"
if [ ! -e "$folder/etc/debian_version" ] || [ -d "$folder/debootstrap" ]; then
  debootstrap --variant=minbase sid "$folder" "$mirror"
fi
# Mirrors that are frozen for reproducible builds have a Release file that has run out.
echo 'Acquire::Check-Valid-Until "false";' >"$folder/etc/apt/apt.conf.d/90weft"
if [ ! -e "$folder/.weft-packages" ] || [ "$(<"$folder/.weft-packages")" != "${packages[*]}" ]; then
  run=(env DEBIAN_FRONTEND=noninteractive chroot "$folder")
  "${run[@]}" apt-get update -qq
  "${run[@]}" apt-get install -y -qq --no-install-recommends "${packages[@]}"
  "${run[@]}" apt-get clean
  echo "${packages[*]}" >"$folder/.weft-packages"
fi
