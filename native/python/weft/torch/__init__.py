# SPDX-License-Identifier: Apache-2.0
"""Weft and torch: imported when the first tensor of torch arrives, never by ``import weft``.

``create_torch_device`` makes a device; calls take tensors of torch as they are. Start reading at
``tracking.py``, which makes the calls that torch differentiates.
"""

from weft.torch.devices import create_torch_device

__all__ = ["create_torch_device"]
