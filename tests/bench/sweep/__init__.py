# SPDX-License-Identifier: Apache-2.0
"""Programs of random types, shapes and layouts, each beside what the machine could do at best."""
