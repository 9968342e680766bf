# SPDX-License-Identifier: Apache-2.0
"""CDNA Evidence: a register of claims about AMD CDNA GPUs, and the checks that test them."""

__version__ = "2026.12"
