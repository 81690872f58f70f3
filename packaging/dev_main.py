# SPDX-License-Identifier: Apache-2.0
"""What ./dev runs once a Python interpreter is there."""

from __future__ import annotations

import sys

from dev.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
