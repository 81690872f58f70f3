#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: make_driver.sh FOLDER: Mesa's software driver with ray queries, from Debian 12's backports, in a folder of its own:
# nothing is installed. Prints what to set. What is there already is kept.
set -euo pipefail
folder=$(realpath -m "${1:?usage: make_driver.sh FOLDER}")
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
libraries=$folder/files/usr/lib/$(uname -m)-linux-gnu
manifest=$folder/lavapipe.json

if [ ! -e "$manifest" ]; then
  mkdir -p "$folder"/apt/{lists,archives}/partial "$folder/debs" "$folder/files"
  # The key's name is that of Debian 12; others have no packages for this libc.
  key=/usr/share/keyrings/debian-archive-keyring.gpg
  for suite in bookworm-backports bookworm; do
    echo "deb [signed-by=$key] $mirror $suite main"
  done >"$folder/apt/sources.list"
  cat >"$folder/apt/apt.conf" <<END
Dir::State::lists "$folder/apt/lists";
Dir::Cache "$folder/apt";
Dir::Etc::sourcelist "$folder/apt/sources.list";
Dir::Etc::sourceparts "-";
Acquire::Check-Valid-Until "false";
APT::Sandbox::User "root";
END
  export APT_CONFIG=$folder/apt/apt.conf
  apt-get update -qq >&2
  (cd "$folder/debs" && apt-get download -qq mesa-vulkan-drivers/bookworm-backports \
    libdrm2/bookworm-backports libdrm-amdgpu1/bookworm-backports libllvm15 libz3-4 >&2)
  for package in "$folder"/debs/*.deb; do
    dpkg-deb -x "$package" "$folder/files"
  done
  sed "s|\"library_path\": *\"[^\"]*\"|\"library_path\": \"$libraries/libvulkan_lvp.so\"|" \
    "$folder/files/usr/share/vulkan/icd.d/lvp_icd.json" >"$manifest"
fi
echo "VK_DRIVER_FILES=$manifest"
echo "VK_ICD_FILENAMES=$manifest"
echo "LD_LIBRARY_PATH=$libraries"
