# SPDX-License-Identifier: Apache-2.0
"""The loop of a worker process that builds descriptors; standard library only, loaded by path."""

import json
import os
import sys


def serve(answer):
    """Run a worker: answer each source of standard input with one line on standard output.

    Args: answer: function from a source text to the program's output; what it raises is a rejection.
    """
    # What the program's libraries print goes to standard error, so that it cannot mix with the answers.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for source in json.load(sys.stdin):
        try:
            told = ["accepted", answer(source)]
        except Exception as error:  # noqa: BLE001 - whatever the program raises is its answer
            text = " ".join(f"{type(error).__name__}: {error}".split())
            told = ["rejected", text[:600]]
        out.write(json.dumps(told) + "\n")
        out.flush()
