# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits of a Blender scene, without Blender: what is asked for, how it runs, what it found."""
