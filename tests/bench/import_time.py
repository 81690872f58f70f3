# SPDX-License-Identifier: Apache-2.0
"""Seconds of importing numpy and then Weft, in this fresh process."""

import json
import sys
import time

start = time.perf_counter()
import numpy  # noqa: E402, F401

between = time.perf_counter()
import weft  # noqa: E402, F401

end = time.perf_counter()
if "torch" in sys.modules:
    sys.exit("import_time: importing weft has imported torch")
print(json.dumps({"numpy": between - start, "weft": end - between}))
