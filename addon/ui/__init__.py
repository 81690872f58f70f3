# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators, panels and properties, one folder a topic; registration.py holds the tables."""
