# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang nodes that the engine bakes into images or attributes. Start reading at baking.py."""
