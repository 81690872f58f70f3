# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of the extension in the console that Blender was started from."""

from __future__ import annotations

import logging


class ConsoleHandler(logging.StreamHandler):  # type: ignore[type-arg]  # generic in stubs only
    """Writes "weft warning: ..." lines to the error stream."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of one message."""
        return f"weft {record.levelname.lower()}: {record.getMessage()}"


def log_to_console(level: str) -> None:
    """Show messages from a level (a name of logging's) upwards."""
    stop_log()
    logger = logging.getLogger("weft")
    logger.addHandler(ConsoleHandler())
    logger.setLevel(level)
    logger.propagate = False


def stop_log() -> None:
    """Undo log_to_console()."""
    logger = logging.getLogger("weft")
    for handler in [one for one in logger.handlers if isinstance(one, ConsoleHandler)]:
        logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)
    logger.propagate = True
