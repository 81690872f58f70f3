# SPDX-License-Identifier: GPL-3.0-or-later
"""A function over the UV maps of surfaces as images. Start reading at bake.py."""
