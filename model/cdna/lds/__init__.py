# SPDX-License-Identifier: Apache-2.0
"""The Local Data Share: its banks, and the barrier cell that the Tensor Data Mover arrives at."""
