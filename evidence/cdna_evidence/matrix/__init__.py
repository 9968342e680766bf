# SPDX-License-Identifier: Apache-2.0
"""Claims against compiler versions: the same questions put to every version that can be had, and what differs.

`questions` says what is asked and for which claim, `columns` which compilers answer, `run` asks, `table` reads the
kept answers (evidence/matrix.json): which cells differ from their neighbour, since and until when.
"""
