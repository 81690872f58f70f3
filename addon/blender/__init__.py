# SPDX-License-Identifier: GPL-3.0-or-later
"""Adapters: they read Blender's data into plain data, and write it back."""
