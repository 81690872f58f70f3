# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang functions that the engine evaluates on geometry: what they take, give and depend on."""
