# SPDX-License-Identifier: Apache-2.0
"""The commands of ./dev.

Start reading at cli.py. project.py holds the paths and how a step runs; environments.py the virtual
environments; native_build.py the CMake side; wheels.py, testing.py and checks.py one command each.
"""
