# SPDX-License-Identifier: Apache-2.0
"""The register: who said what, with which boundary; loaded, validated, and never forgotten (the ledger)."""

from .load import Register, load, load_all
from .problem import Problem, RegisterError

__all__ = ["Problem", "Register", "RegisterError", "load", "load_all"]
