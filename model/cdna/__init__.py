# SPDX-License-Identifier: Apache-2.0
"""The reference model of CDNA3 (gfx942), CDNA4 (gfx950) and CDNA5 (gfx1250).

Pure functions and immutable values: no files, no network, no clock, standard library only.
Nothing here is hardware. Each number names the claim that says where it comes from.
"""
