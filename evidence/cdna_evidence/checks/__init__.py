# SPDX-License-Identifier: Apache-2.0
"""Executable checks: observe without seeing the claim's values, then judge; and the proof that each value is bound."""

from .api import CannotTell, Check, differences

__all__ = ["CannotTell", "Check", "differences"]
