# SPDX-License-Identifier: Apache-2.0
"""``python -m weft`` is the command ``weft``."""

from weft.cli import main

raise SystemExit(main())
