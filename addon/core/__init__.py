# SPDX-License-Identifier: GPL-3.0-or-later
"""What the extension does, without Blender: plain data in, plain data out."""
