# SPDX-License-Identifier: Apache-2.0
"""The Tensor Data Mover of CDNA5 (gfx1250).

fields: the table of fields. descriptor: words to fields and back. rules: what is legal, and why. copy: a copy in plain terms to fields.
pad: the padding codes and where a padded byte lands. transfer: what one instruction moves.
"""
