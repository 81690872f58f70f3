# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender's shader node graphs to materials of weft.scene.

``model`` is a graph as plain data, ``compile`` walks it, ``table`` says what each type of node is,
with one module of entries a topic in ``nodes/``. Start reading at compile.py.
"""
