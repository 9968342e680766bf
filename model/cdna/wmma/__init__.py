# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions of gfx1250, in waves of 32 lanes: WMMA, SWMMAC and scaled WMMA."""
