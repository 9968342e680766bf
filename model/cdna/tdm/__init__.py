# SPDX-License-Identifier: Apache-2.0
"""The Tensor Data Mover of CDNA5 (gfx1250).

fields: the table of fields. descriptor: words to fields and back. rules: what is legal, and why.
readings: what positions that this project does not go by make of a descriptor. copy: a copy in plain terms to fields.
pad: the padding codes, and where a padded byte lands. walk, transfer: what one instruction moves.
events, order: what finishes in order, and missing waits found. barrier, multicast, pipeline: the cell in LDS, the shared load,
the loop. paths: what the three ways into LDS cost.
"""
