# SPDX-License-Identifier: Apache-2.0
"""The hostile server stands with the tests of links."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "links"))
