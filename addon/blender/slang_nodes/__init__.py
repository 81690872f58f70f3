# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang functions as node groups of Blender. Start reading at nodes.py."""
