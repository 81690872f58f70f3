# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang Evaluate: functions that the engine evaluates on geometry. Start reading at manager.py."""
