# SPDX-License-Identifier: Apache-2.0
"""Pins: whether line 2177 of a cited file still says what it was cited for.

citation.py collects the pinned citations of the register, lock.py keeps what was read (git blob id, SHA-256 of exactly
the cited lines), readers.py fetches files from git or over https, verify.py judges.
"""

from .citation import Pin, collect
from .lock import Entry, Lock, LockError, PinState, states

__all__ = ["Entry", "Lock", "LockError", "Pin", "PinState", "collect", "states"]
