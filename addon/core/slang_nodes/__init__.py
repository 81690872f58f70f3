# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang functions as nodes, without Blender. Start reading at preparing.py."""
