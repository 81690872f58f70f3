# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries of the table, one module a topic; each exports ``ENTRIES``."""
