#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run_blender.sh CHROOT ZIP SCRIPT OUTPUT: start Blender on a virtual display, run SCRIPT in it with the
# extension's ZIP beside it, and bring what SCRIPT left in /weft/run/out to OUTPUT. SCRIPT ends Blender.
set -euo pipefail
chroot=${1:?usage: run_blender.sh CHROOT ZIP SCRIPT OUTPUT}
run=$chroot/weft/run
rm -rf "$run"
mkdir -p "$run/out" "$run/home" "$run/user" "$run/tmp" "$4"
cp "$2" "$run/weft.zip"
cp "$(dirname -- "${BASH_SOURCE[0]}")"/*.py "$run/"
cp "$3" "$run/script.py"
mounted=()
for place in proc dev/shm; do
  if mount --bind "/$place" "$chroot/$place" 2>/dev/null; then
    mounted+=("$chroot/$place")
  fi
done
leave() {
  for place in "${mounted[@]}"; do umount "$place" || umount --lazy "$place"; done
}
trap leave EXIT
status=0
inside=(chroot "$chroot" env -i PATH=/usr/bin:/bin HOME=/weft/run/home TMPDIR=/weft/run/tmp LANG=C.UTF-8
  BLENDER_USER_RESOURCES=/weft/run/user PYTHONPATH=/weft/run WEFT_ARCHIVE=/weft/run/weft.zip)
# A Blender that starts for the first time covers its window with questions.
timeout 300 "${inside[@]}" blender --background --python-expr \
  "import bpy; bpy.context.preferences.view.show_splash = False; bpy.ops.wm.save_userpref()" >"$4/first.log" 2>&1
timeout 1800 "${inside[@]}" xvfb-run --auto-servernum --server-args "-screen 0 1600x1000x24" \
  blender --gpu-backend opengl --window-geometry 0 0 1600 1000 --python-use-system-env --python /weft/run/script.py \
  >"$4/blender.log" 2>&1 || status=$?
cp -r "$run/out/." "$4/"
exit $status
